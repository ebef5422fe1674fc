import type { ReactNode } from 'react';
import type { Problem } from '../../api/ask.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Loading, Read, Trouble } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { count, counted } from '../../kit/words.ts';
import { useNeeds } from '../../shell/needs.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Processes } from '../../shell/processes.tsx';
import { Examination } from './examination.tsx';

/** Whether everything that calls depend on works: each check, and what to do where it does not. */
export function HealthPage() {
  return (
    <>
      <PageHead title="Health" />
      <Checks />
      <Raised />
      <Examination />
      <All />
    </>
  );
}

/** The checks that the process that answers makes of itself. */
function Checks() {
  const ready = useAsk('GET /readyz', {}, { everyMs: 10_000 });
  const { data, error, isPending } = ready;
  if (isPending) return <Loading lines={4} />;
  if (!error) return <Well {...data} />;
  return (
    <Section id="checks" title="This server">
      <ul className="divide-y divide-line">
        {checks.map(([name, codes]) => (
          <Check key={name} name={name} problem={isFault(error, codes) ? error : null} />
        ))}
      </ul>
      {!checks.some(([, codes]) => isFault(error, codes)) && <Trouble problem={error} />}
    </Section>
  );
}

/** Well is one line. */
function Well({ clock, loops }: { clock: { ahead_ms: number }; loops: object }) {
  const ahead = Math.round(clock.ahead_ms);
  const exact = `The clock is ${count(Math.abs(ahead))} ms ${ahead < 0 ? 'behind' : 'ahead of'} the ledger’s; ${count(Object.keys(loops).length)} loops run.`;
  return (
    <>
      <p className="text-xl font-semibold">This server is well.</p>
      <p className="mb-6 text-quiet" title={exact}>
        Ledger and queue answer, the contact rules are in force, the clock is right, and nothing is stuck.
      </p>
    </>
  );
}

const checks: readonly (readonly [name: string, codes: readonly string[]])[] = [
  ['Ledger', ['ledger-unreachable', 'ledger-layout']],
  ['Queue', ['queue-unreachable']],
  ['Clock', ['clock-off']],
  ['Contact rules', ['policy-differs']],
  ['Loops', ['loop-stuck']],
];
const isFault = ({ code }: Problem, codes: readonly string[]) => codes.includes(code);

/** The first fault is told: with the ledger away, nothing else is known. */
function Check({ name, problem }: { name: string; problem: Problem | null }) {
  if (problem === null) {
    return (
      <Line name={name} badge={<Badge state="draft" label="not known" />}>
        <span className="text-quiet">until the fault is gone</span>
      </Line>
    );
  }
  return (
    <Line name={name} badge={<Badge state="critical" label="fault" />}>
      <span className="font-medium">{problem.message}</span> {problem.remedy}
    </Line>
  );
}

function Line({ name, badge, children }: { name: string; badge: ReactNode; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[8rem_minmax(0,1fr)] items-baseline gap-x-4 py-1.5 first:pt-0 last:pb-0 sm:grid-cols-[10rem_6rem_minmax(0,1fr)]">
      <span className="text-quiet">{name}</span>
      <span>{badge}</span>
      <span className="max-sm:col-span-2">{children}</span>
    </li>
  );
}

function Raised() {
  const { items, isKnown } = useNeeds();
  if (!isKnown || items.length === 0) return null;
  return (
    <p className="mb-6">
      {counted(items.length, 'thing needs', 'things need')} you:{' '}
      <PageLink to="/" className="link">
        Overview
      </PageLink>{' '}
      tells what.
    </p>
  );
}

function All() {
  const processes = useAsk('GET /api/processes', {}, { everyMs: 10_000 });
  return <Read of={processes}>{({ items }) => <Processes items={items} />}</Read>;
}
