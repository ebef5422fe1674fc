import { type ReactNode, useEffect, useRef, useState } from 'react';
import { SelectField, TextField } from './field.tsx';
import { usePageKeys } from './keys.ts';
import { localTimeOf } from './local-time.ts';

/**
 * Filters above a table: typed and chosen values are handed on, and the page writes them into its address.
 */
type FilterProps = {
  label: string;
  value: string | undefined;
  onChange(value: string | undefined): void;
};

export function Filters({ children }: { children: ReactNode }) {
  const home = useRef<HTMLElement>(null);
  usePageKeys({ f: () => home.current?.querySelector<HTMLElement>('input, select')?.focus() });
  return (
    <search
      ref={home}
      className="mb-3 grid grid-cols-2 items-start gap-3 [&_label]:text-xs [&_label]:font-normal [&_label]:text-quiet sm:grid-cols-[repeat(auto-fill,minmax(11rem,1fr))]"
    >
      {children}
    </search>
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

export function TextFilter({ value, onChange, ...field }: TextProps) {
  const { typed, type, tell } = useTyped(value ?? '', (text) => onChange(text.trim() || undefined));
  return (
    <TextField
      {...field}
      type="search"
      value={typed}
      onChange={(event) => type(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') tell();
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}

/** `all` is the option that means no filter. */
type SelectProps = FilterProps & { all: string; choices: readonly { value: string; label: string }[] };

export function SelectFilter({ label, value, all, choices, onChange }: SelectProps) {
  return (
    <SelectField
      label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
      choices={[{ value: '', label: all }, ...choices]}
    />
  );
}

/** A time of the viewer's clock; the value handed on is exact. */
export function TimeFilter({ label, value, onChange }: FilterProps) {
  const { typed, type, tell } = useTyped(localTimeOf(value), (text) =>
    onChange(text === '' ? undefined : new Date(text).toISOString()),
  );
  return (
    <TextField
      label={label}
      type="datetime-local"
      value={typed}
      onChange={({ target }) => type(target.value)}
      onBlur={() => tell()}
    />
  );
}
