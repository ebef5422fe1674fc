import { type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Campaign } from '../../../api/ask.ts';
import { Button, Icon, stateText } from '../../../kit/basics.tsx';
import { Chip, Chips, Filters, SelectFilter, TextFilter } from '../../../kit/filter.tsx';
import { usePageKeys } from '../../../kit/keys.ts';
import { isComplete } from '../../../shell/people.tsx';
import { useMay } from '../../../shell/reads.ts';
import { outcomes } from '../outcomes.ts';
import type { PeopleSearch } from '../search.ts';

/** Which people are shown: by state at one press, by all else below. It stands in the address, so that it can be sent. */
type FilterBarProps = {
  filter: PeopleSearch;
  balance: Campaign['balance'];
  onFilter(filter: PeopleSearch): void;
  children: ReactNode;
};

const states = ['calling', 'waiting', 'queued', 'parked', 'unknown', 'done', 'skipped', 'rejected'] as const;

export function FilterBar({ filter, balance, onFilter, children }: FilterBarProps) {
  const { state, outcome, ...others } = filter;
  const { name: _, ...rare } = others;
  const maySee = useMay('read_people');
  const [isWanted, setOpen] = useState(false);
  const isOpen = isWanted || Object.keys(rare).length > 0;
  const bar = useRef<HTMLDivElement>(null);
  usePageKeys({
    f() {
      flushSync(() => setOpen(true));
      bar.current?.querySelector<HTMLElement>('search input')?.focus();
    },
  });
  const of = (field: 'name' | 'outcome' | 'variable', label: string) => ({
    label,
    value: filter[field],
    onChange(value: string | undefined) {
      // While it is typed it may not find anyone yet.
      if (value && field === 'name' && !isComplete(value)) return;
      if (value && field === 'variable' && !/^[^:\s]+:./.test(value)) return;
      const { [field]: _, ...rest } = filter;
      onFilter(!value ? rest : { ...rest, [field]: value });
    },
  });
  // These have no field here: someone who follows a link keeps them until the filter is cleared.
  const hidden = (['phone', 'since', 'until', 'key', 'from'] as const)
    .filter((field) => filter[field])
    .map((field) => `${field} ${filter[field]}`);
  return (
    <div ref={bar} className="mb-3">
      <div className="max-sm:-mx-4 [&>fieldset]:my-0 max-sm:[&>fieldset]:px-4">
        <Chips label="State">
          <Chip on={!state && !outcome} onClick={() => onFilter(others)} label="Everyone" n={balance.rows} />
          {states
            .filter((name) => balance[name] > 0 || state === name)
            .map((name) => (
              <Chip
                key={name}
                on={state === name && !outcome}
                onClick={() => onFilter({ ...others, state: name })}
                mark={name}
                label={name}
                n={balance[name]}
              />
            ))}
          {(outcome || (state && !states.some((name) => name === state))) && (
            <Chip
              on
              onClick={() => onFilter(others)}
              label={[state, outcome].flatMap((each) => each?.replaceAll(',', ' or ') ?? []).join(', ')}
            />
          )}
        </Chips>
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        {maySee && (
          <search className="max-sm:flex-1">
            <TextFilter {...of('name', 'Name or phone')} />
          </search>
        )}
        <Button small kind="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" />
          Filters
          <span className="key-in-button max-md:hidden" aria-hidden="true">
            F
          </span>
        </Button>
        <div className="flex flex-wrap items-center gap-1 sm:ml-auto">{children}</div>
      </div>
      {isOpen && (
        <Filters>
          <SelectFilter
            {...of('outcome', 'Outcome')}
            all="Any outcome"
            choices={outcomes.map((name) => ({ value: name, label: stateText(name) }))}
          />
          {maySee && <TextFilter {...of('variable', 'Variable')} placeholder="Variable: city:Boston" />}
          {hidden.length > 0 && <span className="text-sm text-quiet">Also: {hidden.join(', ')}.</span>}
          <Button small kind="quiet" onClick={() => onFilter({})}>
            Clear
          </Button>
        </Filters>
      )}
    </div>
  );
}
