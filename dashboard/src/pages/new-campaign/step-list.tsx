import { Link } from '@tanstack/react-router';
import { Mark } from '../../kit/badge.tsx';
import { classes, count } from '../../kit/words.ts';
import type { Draft } from './draft.ts';
import { type Step, steps } from './step-names.ts';
import { faultsIn, titles } from './steps.ts';

/** The steps with where one is, what is still needed and what was refused; each is a link. */
export function StepList({ current, draft }: { current: Step; draft: Draft }) {
  return (
    <nav aria-label="Steps" className="mb-5">
      <ol className="flex gap-1 border-b border-line max-sm:justify-between">
        {steps.map((step, at) => (
          <li key={step}>
            <Link
              to="/campaigns/new"
              search={{ step }}
              aria-current={step === current ? 'step' : undefined}
              className={classes(
                '-mb-px flex items-center gap-1.5 border-b-2 py-2 whitespace-nowrap max-sm:flex-col max-sm:gap-0.5 max-sm:text-xs sm:px-3',
                step === current
                  ? 'border-accent font-medium'
                  : 'border-transparent text-quiet hover:text-text',
              )}
            >
              <StepMark at={at} isNow={step === current} state={stateOf(step, draft)} />
              <span>
                {titles[step].split(' ')[0]}
                <span className="max-sm:sr-only">{titles[step].replace(/^\w+/, '')}</span>
              </span>
              <span className="sr-only">{words[stateOf(step, draft)]}</span>
              <span className="max-w-36 truncate text-sm font-normal text-quiet empty:hidden max-lg:hidden">
                {chosenIn(step, draft)}
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

type StepState = 'ahead' | 'done' | 'open' | 'refused';
const words: Record<StepState, string> = { ahead: '', done: 'done', open: 'open', refused: 'refused' };
const looks: Record<StepState, string> = {
  ahead: 'border-line-strong',
  done: 'border-ink bg-ink text-inverse',
  open: 'border-warn-fill text-warn',
  refused: 'border-bad-fill text-bad',
};

/** The number in a ring, or the mark of what came of the step. */
function StepMark({ at, isNow, state }: { at: number; isNow: boolean; state: StepState }) {
  const isFault = state === 'refused' || state === 'open';
  return (
    <span
      title={words[state] || undefined}
      className={classes(
        'grid size-5 place-items-center rounded-full border-[1.5px] text-xs',
        looks[state],
        isNow && state === 'ahead' && 'border-accent text-accent',
      )}
    >
      {isFault && <Mark shape="up" size={10} />}
      {state === 'done' && <Mark shape="check" size={10} />}
      <span className={classes(state !== 'ahead' && 'sr-only')}>{at + 1}</span>
    </span>
  );
}

function stateOf(step: Step, draft: Draft): StepState {
  if (faultsIn(step, draft.faults).length > 0) return isOnlyOpen(step, draft) ? 'open' : 'refused';
  return isDone(step, draft) ? 'done' : 'ahead';
}

/** What was chosen in a step that is done, in a word. */
function chosenIn(step: Step, draft: Draft): string {
  if (step === 'people') return draft.found ? foundIn(draft.found) : (draft.file?.name ?? '');
  return step === 'calls' && isDone(step, draft) ? draft.agent.map(({ id }) => id.trim()).join(', ') : '';
}

const foundIn = ({ people, rejected }: NonNullable<Draft['found']>) =>
  `${count(people)} to call${rejected > 0 ? `, ${count(rejected)} rejected` : ''}`;

/** Nothing was refused: the column with the phones is still to be chosen. */
const isOnlyOpen = (step: Step, { faults }: Draft) =>
  faultsIn(step, faults).every((fault) => fault === 'map');

/** Fields that only the operator can choose must be filled; others have a default, which counts when it was seen. */
function isDone(step: Step, { file, agent, name, saved, passed }: Draft): boolean {
  if (step === 'people') return file !== null;
  if (step === 'calls') return name.trim() !== '' && agent.every(({ id }) => id.trim() !== '');
  if (step === 'check') return saved?.importId !== undefined && saved?.importId !== null;
  return passed > steps.indexOf(step);
}
