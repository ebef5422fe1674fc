import type { ReactNode } from 'react';
import type { AnswerOf, Problem } from '../../api/ask.ts';
import type { Alert } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { Ago } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { ofHealth, useNeeds } from '../../shell/needs.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Examination, Findings } from './examination.tsx';
import { Processes } from './processes.tsx';

/** Whether everything that calls depend on works: in one sentence, part by part, and what to do where it does not. */
export function HealthPage() {
  const ready = useAsk('GET /readyz', {}, { everyMs: 10_000 });
  const processes = useAsk('GET /api/processes', {}, { everyMs: 10_000 });
  const alerts = useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'] });
  if (ready.isPending) return <Opening title="Health" of={ready} lines={6} />;
  const noticed = (alerts.data?.items ?? []).filter(({ code }) => ofHealth.has(code));
  const silent = processes.data?.items.filter(({ alive }) => !alive).length ?? 0;
  return (
    <>
      <PageHead title="Health" />
      <Whole problem={ready.error} noticed={noticed} silent={silent} />
      {noticed.length > 1 && (
        <Section id="wrong" title="What is wrong">
          <Findings
            items={noticed.map(({ severity, title, message, remedy }) => ({
              what: title,
              state: severity === 'critical' ? 'fail' : 'warn',
              detail: message,
              remedy,
            }))}
          />
        </Section>
      )}
      <Parts
        of={ready.data}
        problem={ready.error}
        at={ready.error ? ready.errorUpdatedAt : ready.dataUpdatedAt}
      />
      <div className="grid items-start gap-x-10 xl:grid-cols-[1.55fr_1fr]">
        <Read of={processes}>{({ items }) => <Processes items={items} />}</Read>
        <Examination />
      </div>
    </>
  );
}

type WholeProps = { problem: Problem | null; noticed: readonly Alert[]; silent: number };

/** What needs a person elsewhere is told too, as one looks here for it. */
function Whole({ problem, noticed, silent }: WholeProps) {
  const { items, counts } = useNeeds();
  const others = items.length - noticed.length;
  const ill = [
    ...(counts.closedKeys > 0 ? ['keys'] : []),
    ...(counts.downWebhooks > 0 ? ['webhooks'] : []),
    ...(counts.unsentAlerts > 0 ? ['alerts'] : []),
  ];
  const elsewhere = others > 0 && (
    <>
      {counted(others, 'thing needs', 'things need')} you:{' '}
      <PageLink to="/" className="link">
        Overview
      </PageLink>{' '}
      tells what.
    </>
  );
  if (problem)
    return (
      <Glance level="act" title={problem.message}>
        {problem.remedy} {elsewhere}
      </Glance>
    );
  const [first] = noticed;
  if (first)
    return (
      <Glance
        level={noticed.some(({ severity }) => severity === 'critical') ? 'act' : 'watch'}
        title={noticed.length === 1 ? `${first.title}.` : `${count(noticed.length)} things are wrong.`}
      >
        {noticed.length === 1 && <Commands text={`${first.message}. ${first.remedy} `} />}
        {elsewhere}
      </Glance>
    );
  return (
    <Glance
      level={silent + ill.length > 0 ? 'watch' : 'fine'}
      title={
        silent > 0
          ? `${counted(silent, 'process is', 'processes are')} silent.`
          : ill.length > 0
            ? `Carillon works. Trouble with: ${ill.join(', ')}.`
            : 'Everything that calls depend on works.'
      }
    >
      {silent > 0 && 'The others take over its calls. '}
      {elsewhere}
    </Glance>
  );
}

/** What the process that answers checks of itself: each with its faults, and what it says when it is well. */
type Ready = AnswerOf<'GET /readyz'>;
const checks: readonly (readonly [name: string, codes: readonly string[], well: (ready: Ready) => string])[] =
  [
    ['Ledger', ['ledger-unreachable', 'ledger-layout'], () => 'answers'],
    ['Queue', ['queue-unreachable'], () => 'answers'],
    ['Clock', ['clock-off'], ({ clock }) => `${count(Math.abs(Math.round(clock.ahead_ms)))} ms off`],
    ['Contact rules', ['policy-differs'], () => 'those in force'],
    ['Loops', ['loop-stuck'], ({ loops }) => `${count(Object.keys(loops).length)} in time`],
  ];

type PartsProps = { of: Ready | undefined; problem: Problem | null; at: number };

function Parts({ of: ready, problem, at }: PartsProps) {
  const { closedKeys, downWebhooks, unsentAlerts } = useNeeds().counts;
  return (
    <Section
      id="parts"
      title="What calls depend on"
      note={
        <>
          checked <Ago at={at} />
        </>
      }
    >
      <ul className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4 xl:grid-cols-8">
        {checks.map(([name, codes, well]) => (
          <Part key={name} name={name}>
            {!problem && ready ? (
              <Badge state="open" label={well(ready)} />
            ) : problem && codes.includes(problem.code) ? (
              <Badge state="critical" label="fault" />
            ) : (
              // The first fault is told: with the ledger away, nothing else is known.
              <Badge state="draft" label="not known" />
            )}
          </Part>
        ))}
        <Part name="Keys" to="/keys">
          <Other n={closedKeys} ill="closed" well="open" />
        </Part>
        <Part name="Webhooks" to="/webhooks">
          <Other n={downWebhooks} ill="down" well="none is down" />
        </Part>
        <Part name="Alerts" to="/alerts">
          <Other n={unsentAlerts} ill="not reached" well="arrive" />
        </Part>
      </ul>
    </Section>
  );
}

function Part({ name, to, children }: { name: string; to?: string; children: ReactNode }) {
  return (
    <li>
      <span className="block text-xs text-quiet">
        {to ? (
          <PageLink to={to} className="link">
            {name}
          </PageLink>
        ) : (
          name
        )}
      </span>
      {children}
    </li>
  );
}

function Other({ n, ill, well }: { n: number; ill: string; well: string }) {
  return n > 0 ? <Badge state="warning" label={`${count(n)} ${ill}`} /> : <Badge state="open" label={well} />;
}
