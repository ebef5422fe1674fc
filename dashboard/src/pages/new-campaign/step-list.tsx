import type { ReactNode, Ref } from 'react';
import { Mark } from '../../kit/badge.tsx';
import { Link } from '../../kit/router.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { weekWords } from '../../order/week.ts';
import type { Draft } from './draft.ts';
import { type Step, steps } from './step-names.ts';
import { faultsIn, titles } from './steps.ts';

type StepListProps = { current: Step; draft: Draft; heading: Ref<HTMLHeadingElement>; children: ReactNode };

/** The steps in one column, each a link with what was chosen in it; where one is, it is open and has the fields. */
export const StepList = ({ current, draft, heading, children }: StepListProps) => (
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
              <span className="sr-only">{state === 'ahead' ? '' : state}</span>
              {!isNow && (
                <>
                  <span className={classes('min-w-0 truncate text-sm', state !== 'done' && 'text-quiet')}>
                    {chosenIn(step, draft)}
                  </span>
                  <span className="link ml-auto text-sm group-hover:text-text" aria-hidden="true">
                    {state !== 'ahead' ? 'Change' : at < steps.indexOf(current) && 'Choose'}
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

type StepState = 'ahead' | 'done' | 'open';
const looks: Record<StepState, string> = {
  ahead: 'border-line-strong',
  done: 'border-ink bg-ink text-inverse',
  open: 'border-warn-fill text-warn',
};

const StepMark = ({ at, isNow, state }: { at: number; isNow: boolean; state: StepState }) => (
  <span
    className={classes(
      'grid size-6 shrink-0 place-items-center rounded-full border-[1.5px] text-xs',
      isNow && state !== 'open' ? 'border-accent text-accent' : looks[state],
    )}
  >
    {state === 'open' && <Mark shape="up" size={10} />}
    {state === 'done' && !isNow && <Mark shape="check" size={10} />}
    <span className={classes((state === 'open' || (state === 'done' && !isNow)) && 'sr-only')}>{at + 1}</span>
  </span>
);

const stateOf = (step: Step, draft: Draft): StepState =>
  faultsIn(step, draft.faults).length > 0 ? 'open' : isDone(step, draft) ? 'done' : 'ahead';

/** What was chosen in a step, in brief; what is only proposed is said to be. */
function chosenIn(step: Step, draft: Draft): string {
  const { found, file, name, agent, window, max_attempts: tries, max_calls: most } = draft;
  const told = {
    people: found
      ? `${count(found.people)} to call${found.rejected > 0 ? `, ${count(found.rejected)} left out` : ''}`
      : (file?.name ?? ''),
    calls: [name.trim(), agent.trim()].filter(Boolean).join(', '),
    hours: weekWords(window),
    limits: `${counted(Number(tries || 1), 'attempt')}${most ? `, ${counted(Number(most), 'call')} at once` : ''}`,
    check: 'a test call, then the first people',
  }[step];
  return isProposed(step, draft) ? `proposed: ${told}` : told;
}

/** Hours and limits have proposals, which count when they were seen. */
export const isProposed = (step: Step, draft: Draft) =>
  (step === 'hours' || step === 'limits') && !isDone(step, draft);

function isDone(step: Step, { file, agent, name, saved, passed }: Draft): boolean {
  if (step === 'people') return file !== null;
  if (step === 'calls') return name.trim() !== '' && agent.trim() !== '';
  return step === 'check' ? Boolean(saved?.importId) : passed > steps.indexOf(step);
}
