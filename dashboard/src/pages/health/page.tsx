import type { AnswerOf, Problem } from '../../api/ask.ts';
import { useAsk } from '../../data/queries.ts';
import { Section } from '../../kit/card.tsx';
import { Loading, Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { PageHead } from '../../kit/page.tsx';
import { Ago } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { useNeeds } from '../../shell/needs.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Processes } from '../../shell/processes.tsx';
import { Examination, Finding } from './examination.tsx';

/** Whether everything that calls depend on works: each check, and what to do where it does not. */
export function HealthPage() {
  const ready = useAsk('GET /readyz', {}, { everyMs: 10_000 });
  return (
    <>
      <PageHead title="Health" />
      {ready.isPending ? (
        <Loading lines={6} />
      ) : (
        <>
          <Whole problem={ready.error} />
          <div className="grid items-start gap-x-10 xl:grid-cols-2">
            <Checks
              of={ready.data}
              problem={ready.error}
              at={ready.error ? ready.errorUpdatedAt : ready.dataUpdatedAt}
            />
            <Examination />
          </div>
        </>
      )}
      <All />
    </>
  );
}

/** What needs a person elsewhere is told too, as one looks here for it. */
function Whole({ problem }: { problem: Problem | null }) {
  const { items, counts } = useNeeds();
  return (
    <Glance
      level={problem ? 'act' : counts.ill > 0 ? 'watch' : 'fine'}
      title={
        problem
          ? problem.message
          : counts.ill > 0
            ? 'This server works, with a warning.'
            : 'This server is well.'
      }
    >
      {problem
        ? problem.remedy
        : 'Ledger and queue answer, the contact rules are in force, the clock is right, and nothing is stuck.'}
      {items.length > 0 && (
        <>
          {' '}
          {counted(items.length, 'thing needs', 'things need')} you:{' '}
          <PageLink to="/" className="link">
            Overview
          </PageLink>{' '}
          tells what.
        </>
      )}
    </Glance>
  );
}

/** The checks that the process that answers makes of itself, each with its faults and what it says when it is well. */
type Ready = AnswerOf<'GET /readyz'>;
const checks: readonly (readonly [name: string, codes: readonly string[], well: (ready: Ready) => string])[] =
  [
    ['Ledger', ['ledger-unreachable', 'ledger-layout'], () => 'It answers.'],
    ['Queue', ['queue-unreachable'], () => 'It answers.'],
    [
      'Clock',
      ['clock-off'],
      ({ clock }) => `It is ${count(Math.abs(Math.round(clock.ahead_ms)))} ms off the ledger’s.`,
    ],
    ['Contact rules', ['policy-differs'], () => 'They are those in force.'],
    ['Loops', ['loop-stuck'], ({ loops }) => `${count(Object.keys(loops).length)}, all in time.`],
  ];

type ChecksProps = { of: Ready | undefined; problem: Problem | null; at: number };

function Checks({ of: ready, problem, at }: ChecksProps) {
  return (
    <Section
      id="checks"
      title="This server"
      note={
        <>
          checked <Ago at={at} />
        </>
      }
    >
      <ul className="divide-y divide-line">
        {checks.map(([what, codes, well]) => {
          if (!problem)
            return <Finding key={what} what={what} state="ok" detail={ready ? well(ready) : ''} />;
          // The first fault is told: with the ledger away, nothing else is known.
          return codes.includes(problem.code) ? (
            <Finding key={what} what={what} state="fail" detail={problem.message} remedy={problem.remedy} />
          ) : (
            <Finding key={what} what={what} state={null} detail="until the fault is gone" />
          );
        })}
      </ul>
    </Section>
  );
}

function All() {
  const processes = useAsk('GET /api/processes', {}, { everyMs: 10_000 });
  return <Read of={processes}>{({ items }) => <Processes items={items} />}</Read>;
}
