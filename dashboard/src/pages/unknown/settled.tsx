import type { AnswerOf } from '../../api/ask.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { count, counted } from '../../kit/words.ts';

/** The outcome for many that were settled at once: how many were, and why others were not. */
export type Settlement = AnswerOf<'POST /api/unknown/resolve'>;

const mostReasons = 5;

export function SettleResult({ told, onClose }: { told: Settlement; onClose(): void }) {
  const { matched, resolved, failed, as } = told;
  const reasons = new Map<string, number>();
  for (const { detail } of failed) reasons.set(detail, (reasons.get(detail) ?? 0) + 1);
  const shown = [...reasons].sort((a, b) => b[1] - a[1]).slice(0, mostReasons);
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${counted(resolved, 'attempt')} settled as ${as === 'called' ? 'called' : 'not called'}`}
    >
      <p role="status">
        {count(resolved)} of {count(matched)} were settled.
        {failed.length > 0 && ` ${count(failed.length)} stay unknown:`}
      </p>
      {shown.length > 0 && (
        <ul className="mt-2 space-y-1">
          {shown.map(([detail, n]) => (
            <li key={detail}>
              <span className="font-medium">{count(n)}</span> {detail}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
