import { Link } from '@tanstack/react-router';
import type { Problem } from '../../api/ask.ts';
import { Trouble } from '../../kit/empty.tsx';
import { percent } from '../../kit/words.ts';
import type { ListCheck } from './list-check.ts';
import { Progress } from './progress.tsx';
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
      <Progress label="Sent of the file" part={isRunning ? sent : 1} words={words} />
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
