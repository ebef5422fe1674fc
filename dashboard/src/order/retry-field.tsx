import { TextField } from '../kit/field.tsx';

/** How long to wait before the next attempt, a field for each outcome. */
export const outcomeWords: Readonly<Record<string, string>> = {
  'no-answer': 'No answer',
  busy: 'Busy',
  voicemail: 'Voicemail',
  failed: 'Failed',
  canceled: 'Canceled',
  dropped: 'Broken off',
  answered: 'Answered',
};

type Retry = Readonly<Record<string, string>>;
type RetryProps = {
  retry: Retry;
  error?: string | undefined;
  onChange(retry: Record<string, string>): void;
};

export const RetryField = ({ retry, error, onChange }: RetryProps) => (
  <fieldset>
    <legend className="mb-1 font-medium">Wait before the next attempt, after</legend>
    <div className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] items-end gap-3">
      {Object.entries(outcomeWords).map(([outcome, label]) => (
        <TextField
          key={outcome}
          label={label}
          value={retry[outcome] ?? ''}
          placeholder="not again"
          onChange={(event) => onChange({ ...retry, [outcome]: event.target.value })}
        />
      ))}
    </div>
    {error && (
      <p role="alert" className="mt-1 text-sm text-bad">
        {error}
      </p>
    )}
    <p className="mt-1 text-sm text-quiet">
      A time such as <code>30m</code>, or several for the first, second and third such end:{' '}
      <code>30m/2h/1d</code>.
    </p>
  </fieldset>
);

/** The rules as one text of an order, and back: `no-answer=30m/2h, busy=10m`. */
export function retryOf(text: string): Record<string, string> {
  const parts = text.split(',').map((each) => each.trim().split('='));
  return Object.fromEntries(parts.flatMap(([outcome, wait]) => (outcome && wait ? [[outcome, wait]] : [])));
}

export function retryText(retry: Retry): string {
  return Object.entries(retry)
    .filter(([, wait]) => wait.trim() !== '')
    .map(([outcome, wait]) => `${outcome}=${wait.trim()}`)
    .join(', ');
}
