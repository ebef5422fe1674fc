import { Link } from '@tanstack/react-router';
import { Mark } from '../../kit/badge.tsx';
import { classes } from '../../kit/words.ts';
import type { Draft } from './draft.ts';
import { faultsIn, type Step, steps, titles } from './steps.ts';

/** The steps with where one is, what is still needed and what was refused; each is a link. */
export function StepList({ current, draft }: { current: Step; draft: Draft }) {
  return (
    <nav aria-label="Steps" className="mb-5">
      <ol className="flex flex-wrap gap-1 border-b border-line">
        {steps.map((step, at) => (
          <li key={step}>
            <Link
              to="/campaigns/new"
              search={{ step }}
              aria-current={step === current ? 'step' : undefined}
              className={classes(
                '-mb-px flex items-center gap-1.5 border-b-2 px-2 py-2 whitespace-nowrap sm:px-3',
                step === current
                  ? 'border-accent font-medium'
                  : 'border-transparent text-quiet hover:text-text',
              )}
            >
              <span>{at + 1}</span>
              <span className={classes(step !== current && 'max-sm:sr-only')}>{titles[step]}</span>
              <StepState step={step} draft={draft} />
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function StepState({ step, draft }: { step: Step; draft: Draft }) {
  if (faultsIn(step, draft.faults).length > 0) {
    return (
      <span className="flex items-center gap-1 text-xs text-bad">
        <Mark shape="up" />
        <span className="max-sm:sr-only">{isOnlyOpen(step, draft) ? 'open' : 'refused'}</span>
      </span>
    );
  }
  if (!isFilled(step, draft)) return null;
  return (
    <span className="text-good">
      <Mark shape="check" />
      <span className="sr-only">filled in</span>
    </span>
  );
}

/** Nothing was refused: the column with the phones is still to be chosen. */
const isOnlyOpen = (step: Step, { faults }: Draft) =>
  faultsIn(step, faults).every((fault) => fault === 'map');

/** Whether the fields are filled that only the operator can choose. */
function isFilled(step: Step, { file, agent, name, saved }: Draft): boolean {
  if (step === 'people') return file !== null;
  if (step === 'calls') return name.trim() !== '' && agent.every(({ id }) => id.trim() !== '');
  return step === 'check' && saved?.importId !== undefined && saved?.importId !== null;
}
