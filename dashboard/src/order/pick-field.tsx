import { useState } from 'react';
import { SelectField, TextField } from '../kit/field.tsx';
import type { Choice } from './usual.ts';

/** A text of an order that is picked from what most people want, or typed. */
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
