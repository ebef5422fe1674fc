import type { ReactNode } from 'react';
import type { AnswerOf, Problem } from '../../api/ask.ts';
import type { Alert } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance, type Level } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { Ago } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { type Counts, ofHealth, useNeeds } from '../../shell/needs.ts';
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

type Seen = { problem: Problem | null; noticed: readonly Alert[]; silent: number };

/** What needs a person elsewhere is told too, as one looks here for it. */
function Whole(seen: Seen) {
  const { items, counts } = useNeeds();
  const [level, title, text] = judge(seen, counts);
  const others = items.length - seen.noticed.length;
  return (
    <Glance level={level} title={title}>
      <Commands text={text ?? ''} />{' '}
      {others > 0 && (
        <>
          {counted(others, 'thing needs', 'things need')} you:{' '}
          <PageLink to="/" className="link">
            Overview
          </PageLink>{' '}
          tells what.
        </>
      )}
    </Glance>
  );
}

type Verdict = readonly [level: Level, title: string, text?: string | null];

/** The worst comes first; several alerts stand in a list of their own. */
function judge({ problem, noticed: [alert, ...more], silent }: Seen, counts: Counts): Verdict {
  if (problem) return ['act', problem.message, problem.remedy];
  if (alert) {
    const level = [alert, ...more].some(({ severity }) => severity === 'critical') ? 'act' : 'watch';
    return more.length > 0
      ? [level, `${count(1 + more.length)} things are wrong.`]
      : [level, `${alert.title}.`, `${alert.message}. ${alert.remedy}`];
  }
  if (silent > 0) return ['watch', `${counted(silent, 'process is', 'processes are')} silent.`];
  const ill = around.filter(([, of]) => counts[of] > 0).map(([name]) => name.toLowerCase());
  return ill.length > 0
    ? ['watch', `Carillon works. Trouble with: ${ill.join(', ')}.`]
    : ['fine', 'Everything that calls depend on works.'];
}

/** What the process that answers checks of itself: each with its faults, and what it says when it is well. */
type Ready = AnswerOf<'GET /readyz'>;
const checks: readonly (readonly [name: string, codes: readonly string[], well: (ready: Ready) => string])[] =
  [
    ['Database', ['ledger-unreachable', 'ledger-layout'], () => 'answers'],
    ['Queue', ['queue-unreachable'], () => 'answers'],
    ['Clock', ['clock-off'], ({ clock }) => `${count(Math.abs(Math.round(clock.ahead_ms)))} ms off`],
    ['Contact rules', ['policy-differs'], () => 'up to date'],
    ['Background work', ['loop-stuck'], () => 'on time'],
  ];

/** What pages of their own tell more of. */
const around = [
  ['Keys', 'closedKeys', 'closed', 'open'],
  ['Webhooks', 'downWebhooks', 'down', 'none is down'],
  ['Alerts', 'unsentAlerts', 'not reached', 'arrive'],
] as const;

type PartsProps = { of: Ready | undefined; problem: Problem | null; at: number };

function Parts({ of: ready, problem, at }: PartsProps) {
  const { counts } = useNeeds();
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
            {problem || !ready ? (
              // The first fault is told: with the ledger away, nothing else is known.
              <Badge {...(codes.includes(problem?.code ?? '') ? fault : notKnown)} />
            ) : (
              <Badge state="open" label={well(ready)} />
            )}
          </Part>
        ))}
        {around.map(([name, of, ill, well]) => (
          <Part
            key={name}
            name={
              <PageLink to={`/${name.toLowerCase()}`} className="link">
                {name}
              </PageLink>
            }
          >
            <Badge
              {...(counts[of] > 0
                ? { state: 'warning', label: `${count(counts[of])} ${ill}` }
                : { state: 'open', label: well })}
            />
          </Part>
        ))}
      </ul>
    </Section>
  );
}

const fault = { state: 'critical', label: 'fault' };
const notKnown = { state: 'draft', label: 'not known' };

function Part({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <li>
      <span className="block text-xs text-quiet">{name}</span>
      {children}
    </li>
  );
}
