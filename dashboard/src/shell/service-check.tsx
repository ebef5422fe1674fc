import type { AnswerOf } from '../api/ask.ts';
import { useAct } from '../data/queries.ts';
import { Badge } from '../kit/badge.tsx';
import { Button } from '../kit/button.tsx';
import { FormProblem } from '../kit/field.tsx';
import { count, counted } from '../kit/words.ts';
import { useMay } from './me.ts';

/** Whether the service answers as it is described. */
type Checked = AnswerOf<'POST /api/service/check'>;
const marks: Record<Checked['steps'][number]['state'], string> = {
  ok: 'open',
  warn: 'warning',
  fail: 'critical',
};

/** Asks the service for its lists and one record, by hand: it costs requests of the key. */
export function ServiceCheck() {
  const may = useMay('operate');
  const check = useAct('POST /api/service/check', { quiet: true });
  if (!may) return null;
  return (
    <div>
      <Button onClick={() => check.run({})} busy={check.isPending}>
        Check the service
      </Button>
      <div aria-live="polite" className="mt-2 empty:hidden">
        <FormProblem problem={check.error} fields={[]} />
        {check.data && <CheckedSteps of={check.data} />}
      </div>
    </div>
  );
}

function CheckedSteps({ of: { key, steps, fields } }: { of: Checked }) {
  const found = fields.filter(({ value }) => value !== null);
  return (
    <>
      <ul aria-label="What the service answered" className="divide-y divide-line">
        {steps.map(({ what, state, detail }) => (
          <li key={what} className="grid grid-cols-[6rem_4.5rem_minmax(0,1fr)] items-baseline gap-x-3 py-1.5">
            <span className="text-quiet">{what}</span>
            <span>
              <Badge state={marks[state]} label={state} />
            </span>
            <span className="[overflow-wrap:anywhere]">{detail}</span>
          </li>
        ))}
      </ul>
      {fields.length > 0 && (
        <details className="mt-1">
          <summary className="link">
            {count(found.length)} of {counted(fields.length, 'field')} of the record
          </summary>
          <ul className="mt-1 text-sm">
            {fields.map(({ field, at, value }) => (
              <li key={field} className="grid gap-x-3 border-b border-line py-1 last:border-0 sm:grid-cols-3">
                <span>{field}</span>
                <span className="min-w-0 truncate">
                  {value === null ? <span className="text-quiet">not there</span> : wordOf(value)}
                </span>
                <code className="min-w-0 font-mono text-xs text-quiet [overflow-wrap:anywhere]">
                  {at.join(', ')}
                </code>
              </li>
            ))}
          </ul>
        </details>
      )}
      <p className="mt-1 text-sm text-quiet">Asked with the key {key}.</p>
    </>
  );
}

const wordOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
