import { Link } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import { Mark } from '../../kit/badge.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { weekWords } from '../../order/week.ts';
import type { Draft } from './draft.ts';
import { orderedOf } from './order.ts';
import { type Step, steps } from './step-names.ts';
import { faultsIn, titles } from './steps.ts';

type StepListProps = { current: Step; draft: Draft; heading: Ref<HTMLHeadingElement>; children: ReactNode };

/** The steps in one column, each a link with what was chosen in it; where one is, it is open and has the fields. */
export function StepList({ current, draft, heading, children }: StepListProps) {
  return (
    <ol aria-label="Steps" className="min-w-0">
      {steps.map((step, at) => {
        const isNow = step === current;
        const state = stateOf(step, draft);
        return (
          <li key={step} className="border-b border-line last:border-0">
            <h2 ref={isNow ? heading : undefined} tabIndex={-1} className="outline-none">
              <Link
                to="/campaigns/new"
                search={{ step }}
                aria-current={isNow ? 'step' : undefined}
                className="group flex min-h-12 items-center gap-3 py-2"
              >
                <StepMark at={at} isNow={isNow} state={state} />
                <span className="font-semibold">{titles[step]}</span>
                <span className="sr-only">{words[state]}</span>
                {!isNow && (
                  <>
                    <span className="min-w-0 truncate text-sm text-quiet">{chosenIn(step, draft)}</span>
                    <span className="link ml-auto text-sm group-hover:text-text" aria-hidden="true">
                      {state === 'ahead' ? '' : 'Change'}
                    </span>
                  </>
                )}
              </Link>
            </h2>
            {isNow && <div className="pt-2 sm:pl-9">{children}</div>}
          </li>
        );
      })}
    </ol>
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
        'grid size-6 shrink-0 place-items-center rounded-full border-[1.5px] text-xs',
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

/** What was chosen in a step, in brief; what is only proposed is said to be. */
function chosenIn(step: Step, draft: Draft): string {
  if (step === 'people') return draft.found ? foundIn(draft.found) : (draft.file?.name ?? '');
  if (step === 'calls') return isDone(step, draft) ? draft.agent.map(({ id }) => id.trim()).join(', ') : '';
  if (step === 'check') return 'a test call, then the first people';
  const { window, max_attempts: tries, max_calls: most } = orderedOf(draft);
  const told =
    step === 'hours'
      ? weekWords(window) || 'any hour that the contact rules allow'
      : `${counted(tries, 'attempt')}${most ? `, ${counted(most, 'call')} at once` : ''}`;
  return isDone(step, draft) ? told : `proposed: ${told}`;
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
