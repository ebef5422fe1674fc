import type { ReactNode, Ref } from 'react';
import { Mark } from '../../kit/basics.tsx';
import { Link } from '../../kit/router.tsx';
import { Facts } from '../../kit/values.tsx';
import { classes, cost, count, counted, durationText } from '../../kit/words.ts';
import type { OrderGroup } from '../../order/fields.ts';
import { weekWords } from '../../order/week.ts';
import { OrderWords } from '../../order/words.tsx';
import { fewPeople, hearsFirst } from './check-step.tsx';
import type { Draft } from './draft.ts';
import type { ListCheck } from './list-check.tsx';
import { type Lack, orderedOf, useCurrency } from './order.ts';
import { type Step, steps } from './step-names.ts';
import { faultsIn, titles } from './steps.ts';

type StepListProps = { current: Step; draft: Draft; heading: Ref<HTMLHeadingElement>; children: ReactNode };

/** The steps in one column, each a link with what was chosen in it; where one is, it is open and has the fields. */
export const StepList = ({ current, draft, heading, children }: StepListProps) => (
  <ol aria-label="Steps" className="min-w-0">
    {steps.map((step, at) => {
      const isNow = step === current;
      const hasFaults = faultsIn(step, draft.faults).length > 0;
      const state: StepState = hasFaults ? 'open' : isDone(step, draft) ? 'done' : 'ahead';
      const isPassed = state === 'done' && !isNow;
      return (
        <li key={step} className="border-b border-line last:border-0">
          <h2 ref={isNow ? heading : undefined} tabIndex={-1} className="outline-none">
            <Link
              to="/campaigns/new"
              search={{ step }}
              aria-current={isNow ? 'step' : undefined}
              className="group flex min-h-12 items-center gap-3 py-2"
            >
              <span
                className={classes(
                  'grid size-6 shrink-0 place-items-center rounded-full border-[1.5px] text-xs',
                  isNow && state !== 'open' ? 'border-accent text-accent' : looks[state],
                )}
              >
                {state === 'open' && <Mark shape="up" size={10} />}
                {isPassed && <Mark shape="check" size={10} />}
                <span className={classes((state === 'open' || isPassed) && 'sr-only')}>{at + 1}</span>
              </span>
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
const isProposed = (step: Step, draft: Draft) =>
  (step === 'hours' || step === 'limits') && !isDone(step, draft);

function isDone(step: Step, { file, agent, name, saved, passed }: Draft): boolean {
  if (step === 'people') return file !== null;
  if (step === 'calls') return name.trim() !== '' && agent.trim() !== '';
  return step === 'check' ? Boolean(saved?.importId) : passed > steps.indexOf(step);
}

const rows: readonly [name: string, step: Step, groups: readonly OrderGroup[]][] = [
  ['What', 'calls', ['who', 'pace']],
  ['When', 'hours', ['when']],
  ['Again', 'limits', ['tries']],
  ['Stops', 'limits', ['brakes']],
];

type SummaryProps = { draft: Draft; lacks: readonly Lack[]; check: ListCheck | null; isOpen: boolean };

const isWide = () => matchMedia('(min-width: 1280px)').matches;

/** Beside the steps; on a narrower page a line above them that opens. */
export function Summary({ draft, lacks, check, isOpen }: SummaryProps) {
  const order = orderedOf(draft);
  const foretold = useForetold(check);
  const { file, found, map } = draft;
  const missing = (step: Step) =>
    lacks
      .filter((each) => each.step === step)
      .map(({ words }) => words)
      .join(' ');
  const used = Object.entries(map).map(([role, column]) => `${role} from the column ${column}`);
  const people = found ? `${counted(found.people, 'person', 'people')} from ${file?.name}` : file?.name;
  return (
    <details
      open={isOpen || isWide()}
      className="max-h-[70dvh] overflow-y-auto rounded-lg bg-sunken px-4 py-3 text-sm xl:sticky xl:top-20 xl:max-h-none"
    >
      <summary className="[details[open]>&]:mb-3">
        <h2 className="inline font-semibold">What will happen</h2>
        <span className="ml-2 text-quiet [details[open]_&]:hidden">{people ?? 'nobody is called yet'}</span>
      </summary>
      <Facts
        look="brief"
        of={[
          ['Who', quietIf(!people, people ? `${[people, ...used].join(', ')}.` : missing('people'))],
          ...rows.map(([name, step, groups]) => {
            const words = groups.map((group) => <OrderWords key={group} group={group} order={order} />);
            return [
              name,
              quietIf(isProposed(step, draft) || missing(step) !== '', missing(step) || words),
            ] as const;
          }),
          ['First', hearsFirst(draft) && quietIf(true, firstWords)],
          ['Then', foretold && quietIf(true, foretold)],
        ]}
      />
      <p className="mt-3 border-t border-line pt-3 text-xs text-quiet">
        What is grey is a proposal until you take it. This browser keeps the draft; nobody is called before
        you start it.
      </p>
    </details>
  );
}

const quietIf = (isQuiet: boolean, words: ReactNode) => (
  <div className={classes(isQuiet && 'text-quiet')}>{words}</div>
);
const firstWords = `After the first ${fewPeople} people it pauses, so that you can listen.`;

/** How long all calls take, and what they cost; null where that is not known. */
function useForetold(check: ListCheck | null): string | null {
  const currency = useCurrency();
  const forecast = check?.answer?.forecast;
  if (!check || !forecast) return null;
  if (check.isRunning) return 'The end is being reckoned…';
  const { ends_at: end, cost: sum } = forecast;
  const [soonest, middle, latest] = [end.p10, end.p50, end.p90].map(
    (at) => at && durationText(Date.parse(at) - check.at),
  );
  if (!middle) return null;
  const range = soonest === latest ? '' : `, 8 times of 10 between ${soonest} and ${latest}`;
  return `All calls take about ${middle}${range}.${sum === null ? '' : ` About ${cost(sum, currency)}.`}`;
}
