import { type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Campaign } from '../../../api/description.ts';
import { OutcomeMark, stateText } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Chip, Chips } from '../../../kit/chips.tsx';
import { Filters, pill, SelectFilter, TextFilter } from '../../../kit/filter.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { usePageKeys } from '../../../kit/keys.ts';
import { localTimeOf } from '../../../kit/local-time.ts';
import { classes } from '../../../kit/words.ts';
import { isComplete } from '../../../shell/find.ts';
import { useMay } from '../../../shell/me.ts';
import { outcomes } from '../outcomes.ts';
import type { PeopleSearch } from '../search.ts';

/** Which people are shown: by state at one press, by all else below. It stands in the address, so that it can be sent. */
type FilterBarProps = {
  filter: PeopleSearch;
  balance: Campaign['balance'];
  onFilter(filter: PeopleSearch): void;
  onRow(row: number | undefined): void;
  row: number | undefined;
  /** What may be done with those who are shown. */
  children: ReactNode;
};

const states = ['calling', 'waiting', 'queued', 'parked', 'unknown', 'done', 'skipped', 'rejected'] as const;

export function FilterBar({ filter, balance, onFilter, onRow, row, children }: FilterBarProps) {
  const { state, ...others } = filter;
  const [isWanted, setOpen] = useState(false);
  const isOpen = isWanted || Object.keys(others).length > 0 || row !== undefined;
  const bar = useRef<HTMLDivElement>(null);
  usePageKeys({
    f() {
      flushSync(() => setOpen(true));
      bar.current?.querySelector<HTMLElement>('search input')?.focus();
    },
  });
  const known = states.some((each) => each === state);
  return (
    <div ref={bar}>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2 [&>fieldset]:my-0">
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
        <div className="ml-auto flex flex-wrap items-center gap-1.5">{children}</div>
      </div>
      {isOpen && <MoreFilters filter={filter} onFilter={onFilter} onRow={onRow} row={row} />}
    </div>
  );
}

function MoreFilters({ filter, onFilter, onRow, row }: Omit<FilterBarProps, 'balance' | 'children'>) {
  const maySee = useMay('read_people');
  const of = (field: keyof PeopleSearch, label: string) => ({
    label,
    value: filter[field],
    onChange(value: string | undefined) {
      // While it is typed it may not find anyone yet.
      if (value && field === 'name' && !isComplete(value)) return;
      if (value && field === 'variable' && !/^[^:\s]+:./.test(value)) return;
      const { [field]: _, ...others } = filter;
      onFilter(!value ? others : { ...others, [field]: value });
    },
  });
  const since = of('since', 'Moved since');
  // These have no field here: someone who follows a link keeps them until the filter is cleared.
  const hidden = [
    filter.phone,
    filter.until && `until ${filter.until}`,
    filter.key && `key ${filter.key}`,
    filter.from && `from ${filter.from}`,
  ].filter(Boolean);
  // One that an address names and that is a list of several is kept as it is.
  const known = [...new Set([...outcomes, ...(filter.outcome ? [filter.outcome] : [])])];
  return (
    <Filters>
      {maySee && <TextFilter {...of('name', 'Name or phone')} />}
      <SelectFilter
        {...of('outcome', 'Outcome')}
        all="Any outcome"
        choices={known.map((name) => ({ value: name, label: stateText(name) }))}
      />
      {maySee && <TextFilter {...of('variable', 'Variable')} placeholder="Variable: city:Boston" />}
      <label className={classes(pill(filter.since !== undefined), 'flex items-center gap-2')}>
        Moved since
        <input
          type="datetime-local"
          key={filter.since}
          defaultValue={localTimeOf(filter.since)}
          onBlur={({ target: { value } }) =>
            value !== localTimeOf(filter.since) && since.onChange(value && new Date(value).toISOString())
          }
          className="min-w-0 bg-transparent text-text"
        />
      </label>
      <TextFilter
        label="From row"
        value={row?.toString()}
        onChange={(typed) => onRow(Number(typed) || undefined)}
      />
      {Object.keys(filter).length > 0 && (
        <Button small kind="quiet" onClick={() => onFilter({})}>
          Clear
        </Button>
      )}
      {hidden.length > 0 && <span className="text-sm text-quiet">Also: {hidden.join(', ')}.</span>}
    </Filters>
  );
}
