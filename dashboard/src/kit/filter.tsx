import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon, OutcomeMark } from './basics.tsx';
import { Notes, Options, useTies } from './form.tsx';
import { usePageKeys } from './keys.ts';
import { classes, count } from './words.ts';

/** Filters of one press each, with how many each finds. */
export const Chips = ({ label, children }: { label: string; children: ReactNode }) => (
  <fieldset className="my-4 flex max-w-full min-w-0 flex-wrap items-center gap-2 max-sm:flex-nowrap max-sm:overflow-x-auto">
    <legend className="sr-only">{label}</legend>
    {children}
  </fieldset>
);

/** `mark` is the state whose sign stands before the words. */
type ChipProps = {
  on: boolean;
  onClick(): void;
  mark?: string | undefined;
  label: ReactNode;
  n?: number | undefined;
};

export const Chip = ({ on, onClick, mark, label, n }: ChipProps) => (
  <button
    type="button"
    aria-pressed={on}
    onClick={onClick}
    className={classes(
      'inline-flex h-7 items-center gap-1.5 rounded-full border px-2.5 text-sm whitespace-nowrap max-sm:h-10',
      on ? 'border-accent/55 bg-accent-soft text-text' : 'border-line text-quiet hover:bg-quiet-soft',
    )}
  >
    {mark && <OutcomeMark state={mark} />}
    {label}
    {n !== undefined && <span className="font-medium text-text">{count(n)}</span>}
  </button>
);

/** Chips of which one is pressed: each with its value, its words, how many it finds and the sign before it. */
type ChooseProps<Value> = {
  label: string;
  of: readonly (readonly [
    value: Value,
    label: ReactNode,
    n?: number | undefined,
    mark?: string | undefined,
  ])[];
  value: Value;
  onChange(value: Value): void;
};

/** One alone is no choice. */
export const Choose = <Value,>({ label, of, value, onChange }: ChooseProps<Value>) =>
  of.length > 1 && (
    <Chips label={label}>
      {of.map(([each, words, n, mark]) => (
        <Chip
          key={String(each)}
          on={each === value}
          onClick={() => onChange(each)}
          mark={mark}
          label={words}
          n={n}
        />
      ))}
    </Chips>
  );

/** Filters above a table, in one row: typed and chosen values are handed on, and the page writes them into its address. */
type FilterProps = { label: string; value: string | undefined; onChange(value: string | undefined): void };

/** `before` stands in the same row, such as chips. */
export function Filters({ before, children }: { before?: ReactNode; children: ReactNode }) {
  const home = useRef<HTMLElement>(null);
  usePageKeys({ f: () => home.current?.querySelector<HTMLElement>('input, select')?.focus() });
  return (
    <div className="my-4 flex flex-wrap items-center gap-x-4 gap-y-2 [&>fieldset]:my-0 [main>&:first-child]:mt-0">
      {before}
      <search ref={home} className="flex flex-wrap items-center gap-2 max-sm:w-full">
        {children}
      </search>
    </div>
  );
}

export const pill = (isSet: boolean) =>
  classes(
    'min-h-7 min-w-0 rounded-full border px-2.5 text-sm max-sm:min-h-10',
    isSet ? 'border-accent/55 bg-accent-soft' : 'border-line bg-card text-quiet',
  );

const waitMs = 350;

/** `wide` is the page's own question, such as whom one looks for. */
type TextProps = FilterProps & { placeholder?: string; error?: string | undefined; wide?: boolean };

export function TextFilter({ label, value, onChange, placeholder = label, error, wide }: TextProps) {
  const ties = useTies({ error });
  const [typed, setTyped] = useState(value ?? '');
  const told = useRef(value ?? '');
  const latest = useRef(onChange);
  latest.current = onChange;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address changed by other means, such as the back button.
  useEffect(() => {
    if ((value ?? '') === told.current) return;
    told.current = value ?? '';
    setTyped(told.current);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const tell = (text = typed) => {
    clearTimeout(timer.current);
    if (text.trim() === told.current) return;
    told.current = text.trim();
    latest.current(told.current || undefined);
  };
  // It counts after a short rest, or at once by Enter.
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => tell(text), waitMs);
  };
  return (
    <div
      className={classes('relative max-sm:w-full', wide ? 'w-96 [&_input]:min-h-10 [&_input]:pl-9' : 'w-44')}
    >
      {wide && <Icon name="search" className="absolute top-3 left-3.5 text-quiet" />}
      <input
        type="search"
        aria-label={label}
        {...ties}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') tell();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
        className={classes(
          pill(typed !== ''),
          'w-full placeholder:text-quiet [&::-webkit-search-cancel-button]:opacity-100',
        )}
      />
      <Notes error={error} id={ties.id} />
    </div>
  );
}

type SelectProps = FilterProps & { all: string; choices: readonly { value: string; label: string }[] };

export const SelectFilter = ({ label, value, all, choices, onChange }: SelectProps) => (
  <select
    aria-label={label}
    value={value ?? ''}
    onChange={(event) => onChange(event.target.value || undefined)}
    className={classes(pill(value !== undefined), 'max-w-44 truncate')}
  >
    <option value="">{all}</option>
    <Options of={choices} />
  </select>
);
