import { Link } from '@tanstack/react-router';
import type { Problem } from '../../api/ask.ts';
import type { ImportPreview } from '../../api/description.ts';
import { Card } from '../../kit/card.tsx';
import { Trouble } from '../../kit/empty.tsx';
import { Meter } from '../../kit/meter.tsx';
import { Stat } from '../../kit/stat.tsx';
import { count, counted, percent } from '../../kit/words.ts';
import type { ListCheck } from './list-check.ts';
import { stepOf, titles } from './steps.ts';

/** How far the check of the file is, or why it was refused. */
export function CheckProgress({ check: { isRunning, sent, answer, problem } }: { check: ListCheck }) {
  const words = isRunning
    ? sent < 1
      ? `Sent for a check: ${percent(Math.round(sent * 100) / 100)}`
      : 'Each row is being checked…'
    : problem
      ? 'It could not be taken.'
      : !answer
        ? ''
        : answer.problem
          ? 'Read. Its rows can be checked when the column with the phones is known.'
          : 'Every row is checked.';
  return (
    <div aria-live={isRunning ? 'off' : 'polite'}>
      {isRunning ? (
        <Meter label="Sent of the file" value={sent} words={words} />
      ) : (
        <p className="text-xs text-quiet">{words}</p>
      )}
    </div>
  );
}

export function CheckProblem({ problem, again }: { problem: Problem; again(): void }) {
  const step = stepOf(problem.issues.map(({ path }) => path));
  return (
    <div className="mb-6">
      <Trouble problem={problem} retry={problem.status === 0 || problem.status >= 500 ? again : undefined} />
      {step && (
        <p className="mt-1">
          <Link to="/campaigns/new" search={{ step }} className="link">
            Change it under {titles[step]}
          </Link>
        </p>
      )}
    </div>
  );
}

/** The fate of the rows: how many people can be called, and why the others cannot. */
export function CheckedList({ answer }: { answer: ImportPreview }) {
  const { accepted, rejected, duplicates, never, suppressed } = answer;
  const unreadable = rejected - duplicates - never;
  return (
    <section aria-label="What would become of the rows" className="mb-6">
      <Card>
        <p className="mb-3 text-lg">
          <strong className="font-semibold">{counted(callable(answer), 'person', 'people')}</strong> can be
          called{rejected + suppressed > 0 && `, of ${counted(accepted + rejected, 'row')}`}.
        </p>
        <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4">
          <Stat name="Rejected" note="phone or row that cannot be read">
            {warned(unreadable)}
          </Stat>
          <Stat name="Duplicates" note="the phone stands in an earlier row">
            {warned(duplicates)}
          </Stat>
          <Stat name="Suppressed" note="must not be called, and are skipped">
            {warned(suppressed)}
          </Stat>
          <Stat name="Never" note="by the hours and the contact rules">
            {warned(never)}
          </Stat>
        </dl>
      </Card>
    </section>
  );
}

export const callable = ({ balance }: Pick<ImportPreview, 'balance'>) => balance.waiting;

const warned = (n: number) => <span className={n > 0 ? 'text-warn' : 'text-quiet'}>{count(n)}</span>;
