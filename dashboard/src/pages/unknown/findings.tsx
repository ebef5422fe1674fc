import type { ReactNode } from 'react';
import { classes, count } from '../../kit/words.ts';

/** The findings that a person may have about unknown attempts, each with what follows from it. */
export type Finding = 'not-called' | 'called';

type FindingsProps = {
  n: number;
  chosen: Finding | null;
  onChoose(finding: Finding): void;
  /** The service accepted the only one of them. */
  wasAccepted: boolean;
};

export function Findings({ n, chosen, onChoose, wasAccepted }: FindingsProps) {
  const one = n === 1;
  return (
    <fieldset className="space-y-2">
      <legend className="mb-2">
        {one ? 'Was this call made?' : `Were these ${count(n)} calls made?`} Look at the service first.
      </legend>
      <Choice
        value="not-called"
        title={one ? 'No: nobody was called' : 'No: nobody was called by any of them'}
        {...{ chosen, onChoose, disabled: wasAccepted }}
      >
        {wasAccepted && 'The service accepted this call, so it was made.'}
        {!wasAccepted && one && 'The person waits again and is called again; the attempt does not count.'}
        {!one &&
          'They wait again and are called again; these attempts do not count. Those that the service accepted, and those whose request may still be on its way, are passed over.'}
      </Choice>
      <Choice
        value="called"
        title={one ? 'Yes: the call was made' : 'Yes: each of them was made'}
        {...{ chosen, onChoose, disabled: false }}
      >
        {one ? 'The row is done. ' : 'The rows are done. '}
        Where the service has a record, it settles the call.
      </Choice>
    </fieldset>
  );
}

type ChoiceProps = Pick<FindingsProps, 'chosen' | 'onChoose'> & {
  value: Finding;
  title: string;
  disabled: boolean;
  children: ReactNode;
};

function Choice({ value, chosen, onChoose, title, disabled, children }: ChoiceProps) {
  return (
    <label
      className={classes(
        'flex items-start gap-3 rounded-md border px-3 py-2',
        value === chosen ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
    >
      <input
        type="radio"
        name="finding"
        value={value}
        checked={value === chosen}
        disabled={disabled}
        onChange={() => onChoose(value)}
        className="mt-1"
      />
      <span>
        <span className="block font-medium">{title}</span>
        <span className="block text-sm text-quiet">{children}</span>
      </span>
    </label>
  );
}
