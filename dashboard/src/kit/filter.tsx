import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { usePageKeys } from './keys.ts';
import { localTimeOf } from './local-time.ts';
import { classes } from './words.ts';

/**
 * Filters above a table: typed and chosen values are handed on, and the page writes them into its address.
 */
const box = 'min-h-9 w-full rounded-md border border-line-strong bg-card px-2.5 py-1';

type FilterProps = {
  label: string;
  value: string | undefined;
  onChange(value: string | undefined): void;
  className?: string;
};

export function Filters({ children }: { children: ReactNode }) {
  const home = useRef<HTMLElement>(null);
  usePageKeys({ f: () => home.current?.querySelector<HTMLElement>('input, select')?.focus() });
  return (
    <search
      ref={home}
      className="mb-3 grid grid-cols-2 items-end gap-3 sm:grid-cols-[repeat(auto-fill,minmax(11rem,1fr))]"
    >
      {children}
    </search>
  );
}

/** A field with its name above it. */
type LabeledProps = Pick<FilterProps, 'label' | 'className'> & { id: string; children: ReactNode };

function Labeled({ label, className, id, children }: LabeledProps) {
  return (
    <div className={classes('min-w-0', className)}>
      <label htmlFor={id} className="mb-1 block text-xs text-quiet">
        {label}
      </label>
      {children}
    </div>
  );
}

const waitMs = 350;

/** Typed text counts after a short rest, or at once where `tell` is called. */
function useTyped(value: string, onTell: (text: string) => void) {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  const latest = useRef(onTell);
  latest.current = onTell;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address changed by other means, such as the back button.
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const tell = (text = typed) => {
    clearTimeout(timer.current);
    if (text.trim() === told.current) return;
    told.current = text.trim();
    latest.current(text);
  };
  const type = (text: string) => {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => tell(text), waitMs);
  };
  return { typed, type, tell };
}

type TextProps = FilterProps & { placeholder?: string; error?: string | undefined };

export function TextFilter({ label, value, onChange, placeholder, error, className = '' }: TextProps) {
  const id = useId();
  const { typed, type, tell } = useTyped(value ?? '', (text) => onChange(text.trim() || undefined));
  return (
    <Labeled id={id} label={label} className={className}>
      <input
        id={id}
        type="search"
        value={typed}
        placeholder={placeholder}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') tell();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
        className={classes(box, error && 'border-bad')}
      />
      {error && (
        <p id={`${id}-error`} className="mt-1 text-xs text-bad">
          {error}
        </p>
      )}
    </Labeled>
  );
}

/** `all` is the option that means no filter. */
type SelectProps = FilterProps & { all: string; choices: readonly { value: string; label: string }[] };

export function SelectFilter({ label, value, all, choices, onChange }: SelectProps) {
  const id = useId();
  return (
    <Labeled id={id} label={label}>
      <select
        id={id}
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value || undefined)}
        className={box}
      >
        {[{ value: '', label: all }, ...choices].map((each) => (
          <option key={each.value} value={each.value}>
            {each.label}
          </option>
        ))}
      </select>
    </Labeled>
  );
}

/** A time of the viewer's clock; the value handed on is exact. */
export function TimeFilter({ label, value, onChange }: FilterProps) {
  const id = useId();
  const { typed, type, tell } = useTyped(localTimeOf(value), (text) =>
    onChange(text === '' ? undefined : new Date(text).toISOString()),
  );
  return (
    <Labeled id={id} label={label}>
      <input
        id={id}
        type="datetime-local"
        value={typed}
        onChange={({ target }) => type(target.value)}
        onBlur={() => tell()}
        className={box}
      />
    </Labeled>
  );
}
