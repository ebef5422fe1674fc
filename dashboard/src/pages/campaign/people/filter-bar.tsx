import type { FormEvent } from 'react';
import { Button } from '../../../kit/button.tsx';
import { SelectField, TextField } from '../../../kit/field.tsx';
import { localTimeOf } from '../../../kit/local-time.ts';
import { useMay } from '../../../shell/me.ts';
import { outcomes } from '../outcomes.ts';
import type { PeopleSearch } from '../search.ts';

/** Which people are shown. It stands in the address, so that it can be sent to someone. */
type FilterBarProps = {
  filter: PeopleSearch;
  onFilter(filter: PeopleSearch): void;
  onRow(row: number): void;
};

const states = ['waiting', 'queued', 'calling', 'done', 'parked', 'unknown', 'skipped', 'rejected'];

export function FilterBar({ filter, onFilter, onRow }: FilterBarProps) {
  const maySee = useMay('read_people');
  const read = (form: HTMLFormElement) => {
    const typed = new FormData(form);
    const text = (name: string) => String(typed.get(name) ?? '').trim();
    const since = text('since');
    const wanted: PeopleSearch = {
      state: text('state'),
      outcome: text('outcome'),
      name: text('name'),
      variable: text('variable'),
      since: since === '' ? '' : new Date(since).toISOString(),
      // They have no field here; one who follows a link keeps them until the filter is cleared.
      phone: filter.phone ?? '',
      until: filter.until ?? '',
      key: filter.key ?? '',
      from: filter.from ?? '',
    };
    const set = Object.entries(wanted).filter(([, value]) => value !== '');
    onFilter(Object.fromEntries(set));
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    read(event.currentTarget);
  };
  const goToRow = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const row = Number(new FormData(event.currentTarget).get('row'));
    if (row >= 1) onRow(row);
  };
  const hidden = [
    filter.phone,
    filter.key && `key ${filter.key}`,
    filter.from && `from ${filter.from}`,
  ].filter(Boolean);
  return (
    <div className="mb-3 flex flex-wrap items-end gap-x-6 gap-y-3">
      <form
        onSubmit={submit}
        aria-label="Filter"
        className="grid min-w-0 flex-1 basis-full grid-cols-2 items-end gap-2 sm:grid-cols-3 lg:grid-cols-6 xl:basis-0"
      >
        <SelectField
          label="State"
          name="state"
          defaultValue={filter.state ?? ''}
          onChange={(event) => read(event.currentTarget.form!)}
          choices={choicesOf(states, filter.state)}
        />
        <SelectField
          label="Outcome"
          name="outcome"
          defaultValue={filter.outcome ?? ''}
          onChange={(event) => read(event.currentTarget.form!)}
          choices={choicesOf(outcomes, filter.outcome)}
        />
        {maySee && (
          <TextField
            label="Name or phone"
            name="name"
            type="search"
            minLength={3}
            defaultValue={filter.name}
            placeholder="a part of either"
          />
        )}
        {maySee && (
          <TextField
            label="Variable"
            name="variable"
            type="search"
            defaultValue={filter.variable}
            placeholder="city:Boston"
          />
        )}
        <TextField
          label="Moved since"
          name="since"
          type="datetime-local"
          defaultValue={localTimeOf(filter.since)}
        />
        <div className="flex gap-2">
          <Button type="submit">Filter</Button>
          {Object.keys(filter).length > 0 && (
            <Button kind="quiet" onClick={() => onFilter({})}>
              Clear
            </Button>
          )}
        </div>
        {hidden.length > 0 && <p className="col-span-full text-sm text-quiet">Also: {hidden.join(', ')}.</p>}
      </form>
      <form onSubmit={goToRow} className="flex items-end gap-2">
        <div className="w-28">
          <TextField label="Go to row" name="row" type="number" min={1} />
        </div>
        <Button type="submit">Go</Button>
      </form>
    </div>
  );
}

/** One that an address names and that is a list of several is kept as it is. */
function choicesOf(names: readonly string[], now: string | undefined) {
  const all = now === undefined || names.includes(now) ? names : [...names, now];
  return [{ value: '', label: 'any' }, ...all.map((name) => ({ value: name, label: name }))];
}
