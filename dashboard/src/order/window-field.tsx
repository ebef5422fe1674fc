import { useState } from 'react';
import { useAsk } from '../data/queries.ts';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/field.tsx';
import { isNever, readWeek, type Week, weekText, weekWords } from './week.ts';
import { WeekGrid } from './week-grid.tsx';

/** The hours as a picture and as text: each follows the other, and the text is what is ordered. */
const usual = ['', '09:00-20:00', 'mon-fri=09:00-20:00', 'mon-fri=09:00-20:00,sat=10:00-16:00'];

type WindowProps = {
  window: string;
  error?: string | undefined;
  disabled?: boolean | undefined;
  onChange(window: string): void;
};

export function WindowField({ window, error, disabled, onChange }: WindowProps) {
  const [note, setNote] = useState<string>();
  const [isText, setText] = useState(false);
  const week = readWeek(window);
  const set = (text: string, said?: string) => {
    setNote(said);
    onChange(text);
  };
  const paint = (changed: Week) => {
    // The text has no way to say it, and nobody would be called.
    if (isNever(changed)) setNote('At least one hour must stay open.');
    else set(weekText(changed));
  };
  return (
    <>
      <div className="mb-3 flex flex-wrap gap-2">
        {usual.map((each) => (
          <Button
            key={each}
            small
            aria-pressed={each === window}
            disabled={disabled}
            className={each === window ? 'border-accent/55! bg-accent-soft!' : ''}
            onClick={() => set(each)}
          >
            <span className="inline-block first-letter:uppercase">
              {each === '' ? 'any hour' : weekWords(each)}
            </span>
          </Button>
        ))}
      </div>
      <p role="status" className="mb-2 min-h-5 text-sm text-warn">
        {note ?? (window.trim() === '' && <AnyHour />)}
      </p>
      {week ? (
        <WeekGrid week={week} onChange={disabled ? () => undefined : paint} />
      ) : (
        <p className="rounded-md bg-sunken px-3 py-6 text-center text-quiet">
          The text is not understood yet, so it cannot be drawn.
        </p>
      )}
      <details
        className="mt-2 max-w-2xl"
        // One that opened stays open while the text becomes right.
        open={isText || !week || error !== undefined}
        onToggle={({ currentTarget }) => setText(currentTarget.open)}
      >
        <summary className="w-max max-w-full text-sm text-quiet">
          {weekWords(window)}: write the hours as text
        </summary>
        <TextField
          label="The same as text"
          value={window}
          onChange={(event) => set(event.target.value)}
          placeholder="any hour"
          spellCheck={false}
          className="font-mono"
          error={error}
          disabled={disabled}
          help="Such as mon-fri=09:00-20:00,sat=10:00-12:00+14:00-16:00. It is each person’s own clock that counts."
        />
      </details>
    </>
  );
}

/** Without hours, only the contact rules keep people from being called at night. */
function AnyHour() {
  const policy = useAsk('GET /api/policy', {});
  const rules = policy.data?.body as { hours?: string[] } | null | undefined;
  if (!policy.data) return null;
  if (rules?.hours?.length) return 'Only the contact rules bound the hours.';
  return 'All day, every day: no contact rule bounds the hours, so people are called at night too.';
}
