import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Campaign } from '../../../api/description.ts';
import { OutcomeMark, stateText } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Chip, Chips } from '../../../kit/chips.tsx';
import { SelectField, TextField } from '../../../kit/field.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { usePageKeys } from '../../../kit/keys.ts';
import { localTimeOf } from '../../../kit/local-time.ts';
import { useMay } from '../../../shell/me.ts';
import { outcomes } from '../outcomes.ts';
import type { PeopleSearch } from '../search.ts';

/** Which people are shown: by state at one press, by all else below. It stands in the address, so that it can be sent. */
type FilterBarProps = {
  filter: PeopleSearch;
  balance: Campaign['balance'];
  onFilter(filter: PeopleSearch): void;
  onRow(row: number): void;
};

const states = ['calling', 'waiting', 'queued', 'parked', 'unknown', 'done', 'skipped', 'rejected'] as const;

export function FilterBar({ filter, balance, onFilter, onRow }: FilterBarProps) {
  const { state, ...others } = filter;
  const [isOpen, setOpen] = useState(Object.keys(others).length > 0);
  const form = useRef<HTMLFormElement>(null);
  const wantsFocus = useRef(false);
  usePageKeys({
    f() {
      wantsFocus.current = true;
      setOpen(true);
      form.current?.querySelector('input')?.focus();
    },
  });
  useEffect(() => {
    if (isOpen && wantsFocus.current) form.current?.querySelector('input')?.focus();
  }, [isOpen]);
  const known = states.some((each) => each === state);
  return (
    <>
      <Chips label="State">
        <Chip on={state === undefined} onClick={() => onFilter(others)} label="Everyone" n={balance.rows} />
        {states.map((each) =>
          balance[each] > 0 || state === each ? (
            <Chip
              key={each}
              on={state === each}
              onClick={() => onFilter({ ...others, state: each })}
              label={
                <>
                  <OutcomeMark state={each} />
                  {each}
                </>
              }
              n={balance[each]}
            />
          ) : null,
        )}
        {state !== undefined && !known && (
          <Chip on onClick={() => onFilter(others)} label={state.replaceAll(',', ' or ')} />
        )}
        <Button small kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" />
          Filters
          <span className="key-in-button max-md:hidden" aria-hidden="true">
            F
          </span>
        </Button>
      </Chips>
      {isOpen && <MoreFilters form={form} filter={filter} onFilter={onFilter} onRow={onRow} />}
    </>
  );
}

type MoreProps = Omit<FilterBarProps, 'balance'> & { form: React.RefObject<HTMLFormElement | null> };

function MoreFilters({ form, filter, onFilter, onRow }: MoreProps) {
  const maySee = useMay('read_people');
  const read = (within: HTMLFormElement) => {
    const typed = new FormData(within);
    const text = (name: string) => String(typed.get(name) ?? '').trim();
    const since = text('since');
    const wanted: PeopleSearch = {
      ...filter,
      outcome: text('outcome'),
      name: text('name'),
      variable: text('variable'),
      since: since === '' ? '' : new Date(since).toISOString(),
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
  // These have no field here: someone who follows a link keeps them until the filter is cleared.
  const hidden = [
    filter.phone,
    filter.until && `until ${filter.until}`,
    filter.key && `key ${filter.key}`,
    filter.from && `from ${filter.from}`,
  ].filter(Boolean);
  return (
    <div className="mb-4 flex flex-wrap items-end gap-x-6 gap-y-3">
      <form
        ref={form}
        onSubmit={submit}
        aria-label="Filter"
        className="grid min-w-0 flex-1 basis-full grid-cols-2 items-end gap-2 sm:grid-cols-3 lg:grid-cols-5 xl:basis-0"
      >
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
        <SelectField
          label="Outcome"
          name="outcome"
          defaultValue={filter.outcome ?? ''}
          onChange={(event) => read(event.currentTarget.form!)}
          choices={choicesOf(outcomes, filter.outcome)}
        />
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
  return [{ value: '', label: 'any' }, ...all.map((name) => ({ value: name, label: stateText(name) }))];
}
