import { useState } from 'react';
import { SelectField, TextField } from '../kit/field.tsx';
import { waitsText } from '../kit/words.ts';
import type { OrderName } from './fields.ts';

/** A text of an order that is picked from what most people want, or typed. */
type Choice = { value: string; label: string };
type PickProps = {
  label: string;
  text: string;
  choices: readonly Choice[];
  error?: string | undefined;
  help?: string | null;
  /** What a typed text means, where it is not written as it must be. */
  meant?: string | null;
  onChange(text: string): void;
};

const other = 'other';

export function PickField({ label, text, choices, error, help, meant = null, onChange }: PickProps) {
  const [isTyped, setTyped] = useState(false);
  const shown = isTyped || !choices.some(({ value }) => value === text);
  return (
    <div className="grid gap-2">
      <SelectField
        label={label}
        error={shown ? undefined : error}
        value={shown ? other : text}
        choices={[...choices, { value: other, label: 'Something else' }]}
        onChange={({ target: { value } }) => {
          setTyped(value === other);
          if (value !== other) onChange(value);
        }}
      />
      {shown && (
        <TextField
          label={`${label}, typed`}
          help={help}
          error={corrected(text, error, meant, onChange)}
          value={text}
          spellCheck={false}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  );
}

/** The fault of a field, with what was probably meant: one press takes it. */
export const corrected = (
  text: string,
  error: string | undefined,
  meant: string | null,
  onChange: (text: string) => void,
) =>
  meant === null ? (
    error
  ) : (
    <>
      {error ?? `“${text.trim()}” is written ${meant}.`}{' '}
      <button type="button" className="link" onClick={() => onChange(meant)}>
        Write {meant}
      </button>
    </>
  );

const waits = ['10m', '30m', '1h', '2h', '4h', '1d', '30m/2h/1d'];

export const waitChoices: readonly Choice[] = [
  { value: '', label: 'Not again' },
  ...waits.map((value) => ({ value, label: waitsText(value) })),
];

const choicesOf = (texts: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(texts).map(([value, label]) => ({ value, label }));

export const picks: Partial<Record<OrderName, readonly Choice[]>> = {
  stop_at: choicesOf({
    '': 'Never',
    '50%/2m': 'When half of the calls of 2 min fail',
    '50%/10m': 'When half of the calls of 10 min fail',
    '20%/10m': 'When 20% of the calls of 10 min fail',
  }),
  opt_out: choicesOf({
    'structured_data.opt_out=true': 'Suppress who asks for no more calls',
    '': 'Do not look for it',
  }),
  callback_at: choicesOf({
    '': 'Do not look for it',
    'structured_data.callback_at': 'Call back at the time that a person names',
  }),
  result_delay: choicesOf({ '': '3 s', '10s': '10 s', '30s': '30 s', '2m': '2 min' }),
  next_number: choicesOf({
    '': 'At the next attempt',
    'no-answer=now, busy=now': 'At once, after no answer or busy',
    'no-answer=30m, busy=30m': '30 min after no answer or busy',
  }),
};
