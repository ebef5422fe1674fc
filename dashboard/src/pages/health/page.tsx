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
import { useMay } from '../../shell/me.ts';
import { ofHealth, useNeeds } from '../../shell/needs.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { isWithoutRules } from '../policy/rules.tsx';
import { rulesOf } from '../policy/written.ts';
import { Examination, Findings } from './examination.tsx';
import { Processes } from './processes.tsx';

/** Whether everything that calls depend on works: in one sentence, part by part, and what to do where it does not. */
export function HealthPage() {
  const ready = useAsk('GET /readyz', {}, { everyMs: 10_000 });
  const processes = useAsk('GET /api/processes', {}, { everyMs: 10_000 });
  const alerts = useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'] });
  if (ready.isPending) return <Opening title="Health" of={ready} lines={6} />;
  const raised = alerts.data?.items ?? [];
  const noticed = raised.filter(({ code }) => ofHealth.has(code));
  const rising = raised.find(({ code }) => code === 'unknown-rising');
  const silent = processes.data?.items.filter(({ alive }) => !alive).length ?? 0;
  return (
    <>
      <PageHead title="Health" />
      <Whole problem={ready.error} noticed={noticed} silent={silent} rising={rising?.message} />
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

type Seen = {
  problem: Problem | null;
  noticed: readonly Alert[];
  silent: number;
  rising: string | undefined;
};

/** What needs a person elsewhere is told too, as one looks here for it. */
function Whole(seen: Seen) {
  const others = useNeeds().items.length - seen.noticed.length;
  const [level, title, text] = judge(seen, others);
  return (
    <Glance level={level} title={title}>
      <Commands text={text ?? ''} /> {seen.rising && `${seen.rising}. `}
      {others > 0 && (
        <PageLink to="/" className="link">
          Overview says what to do.
        </PageLink>
      )}
    </Glance>
  );
}

type Verdict = readonly [level: Level, title: string, text?: string | null];

/** The worst comes first; several alerts stand in a list of their own. All is well only where nothing needs a person. */
function judge({ problem, noticed: [alert, ...more], silent }: Seen, others: number): Verdict {
  if (problem) return ['act', problem.message, problem.remedy];
  if (alert) {
    const level = [alert, ...more].some(({ severity }) => severity === 'critical') ? 'act' : 'watch';
    return more.length > 0
      ? [level, `${count(1 + more.length)} things are wrong.`]
      : [level, `${alert.title}.`, `${alert.message}. ${alert.remedy}`];
  }
  if (silent > 0) return ['watch', `${counted(silent, 'process is', 'processes are')} silent.`];
  return others > 0
    ? ['watch', `Carillon works; ${counted(others, 'thing needs', 'things need')} you.`]
    : ['fine', 'Everything that calls depend on works.'];
}

/** What the process that answers checks of itself: each with its faults, and what it says when it is well. */
type Ready = AnswerOf<'GET /readyz'>;
const checks: readonly (readonly [name: string, codes: readonly string[], well: (ready: Ready) => string])[] =
  [
    ['Database', ['ledger-unreachable', 'ledger-layout'], () => 'answers'],
    ['Queue', ['queue-unreachable'], () => 'answers'],
    ['Clock', ['clock-off'], ({ clock }) => `${count(Math.abs(Math.round(clock.ahead_ms)))} ms off`],
    ['Contact rules', ['policy-differs'], () => 'in force'],
    ['Background work', ['loop-stuck'], () => 'on time'],
  ];

/** What the ledger and the pages of each tell more of. */
const around = [
  ['Keys', 'closedKeys', 'closed', 'open'],
  ['Unknown calls', 'unknown', 'to settle', 'none'],
  ['Webhooks', 'downWebhooks', 'down', 'none is down'],
  ['Alerts', 'unsentAlerts', 'not reached', 'arrive'],
] as const;

const pages: Readonly<Record<string, string>> = {
  Queue: '/jobs',
  'Contact rules': '/policy',
  Keys: '/keys',
  'Unknown calls': '/unknown',
  Webhooks: '/webhooks',
  Alerts: '/alerts',
};

/** What nobody set up, or nothing proved yet, is neither well nor ill: its words, null where it is proved. */
function useUnproved(): Readonly<Record<string, string | null | undefined>> {
  const enabled = useMay('operate');
  const policy = useAsk('GET /api/policy', {}).data;
  const webhooks = useAsk('GET /api/webhooks', {}, { enabled }).data?.items;
  const addresses = useAsk('GET /api/alerts/addresses', {}, { enabled }).data?.items;
  const of = (uses: readonly number[] | undefined) =>
    uses && (uses.length === 0 ? 'none set up' : uses.some((n) => n > 0) ? null : 'not tried yet');
  return {
    Keys: null,
    'Unknown calls': null,
    'Contact rules': policy && (isWithoutRules(rulesOf(policy)) ? 'none in force' : null),
    Webhooks: of(webhooks?.map(({ delivered }) => delivered)),
    Alerts: of(addresses?.map(({ sent }) => sent)),
  };
}

type PartsProps = { of: Ready | undefined; problem: Problem | null; at: number };

function Parts({ of: ready, problem, at }: PartsProps) {
  const { counts } = useNeeds();
  const unproved = useUnproved();
  const quiet = (name: string, well: string): Looks =>
    unproved[name] === null
      ? { state: 'open', label: well }
      : { state: 'draft', label: unproved[name] ?? 'not known' };
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
      <ul className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 xl:grid-cols-9">
        {checks.map(([name, codes, well]) => (
          // The first fault is told: with the ledger away, nothing else is known.
          <Part
            key={name}
            name={name}
            {...(codes.includes(problem?.code ?? '')
              ? { state: 'critical', label: 'fault' }
              : problem || !ready
                ? { state: 'draft', label: 'not known' }
                : name in unproved
                  ? quiet(name, well(ready))
                  : { state: 'open', label: well(ready) })}
          />
        ))}
        {around.map(([name, of, ill, well]) => (
          <Part
            key={name}
            name={name}
            {...(counts[of] > 0
              ? { state: of === 'unknown' ? of : 'warning', label: `${count(counts[of])} ${ill}` }
              : quiet(name, well))}
          />
        ))}
      </ul>
    </Section>
  );
}

type Looks = { state: string; label: string };

function Part({ name, ...looks }: Looks & { name: string }) {
  const to = pages[name];
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
      <Badge {...looks} />
    </li>
  );
}
