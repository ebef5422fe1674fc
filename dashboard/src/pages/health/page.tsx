import type { AnswerOf, Problem } from '../../api/ask.ts';
import type { Alert } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Loading, Read } from '../../kit/empty.tsx';
import { Glance, type Level } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { Ago } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { ofHealth, useNeeds } from '../../shell/needs.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { Lately } from '../activity/entry.tsx';
import { OnNow } from '../alerts/watched.tsx';
import { isWithoutRules } from '../policy/rules.tsx';
import { rulesOf } from '../policy/written.ts';
import { Examination } from './examination.tsx';
import { History } from './history.tsx';
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
      {noticed.length > 1 && <OnNow raised={noticed} here="/health" />}
      <Parts
        of={ready.data}
        problem={ready.error}
        at={ready.error ? ready.errorUpdatedAt : ready.dataUpdatedAt}
      />
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[1.55fr_1fr]">
        <div>
          <History />
          <Read of={processes}>{({ items }) => <Processes items={items} />}</Read>
        </div>
        <div>
          <Lately title="What happened" verb="alert,campaign,key,number,ledger,policy" />
          <Examination />
        </div>
      </div>
    </>
  );
}

type Seen = {
  problem: Problem | null;
  noticed: readonly Alert[];
  silent: number;
};

/** What needs a person elsewhere is told too, as one looks here for it. */
function Whole(seen: Seen) {
  const needs = useNeeds();
  // Not fine for a moment, and then not.
  if (!needs.isKnown && !seen.problem) return <Loading lines={2} />;
  const others = needs.items.filter(({ id }) => !seen.noticed.some(({ code }) => id.startsWith(code)));
  const [level, title, text] = judge(seen, others.length);
  return (
    <Glance level={level} title={title}>
      <Commands text={text ?? ''} /> {others.map(({ what }) => `${what} `)}
      {others.length > 0 && (
        <PageLink to="/" className="link">
          What to do
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

type PartsProps = { of: AnswerOf<'GET /readyz'> | undefined; problem: Problem | null; at: number };
type Looks = { state: string; label: string };
type PartOf = readonly [name: string, to: string | null, looks: Looks];

/** What the process that answers checks of itself, and what has a page that tells more. */
function Parts({ of: ready, problem, at }: PartsProps) {
  const parts = useParts(ready, problem);
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
        {parts.map(([name, to, looks]) => (
          <li key={name}>
            <span className="block text-xs text-quiet">
              {to ? (
                <PageLink to={to} className="hover:underline">
                  {name}
                </PageLink>
              ) : (
                name
              )}
            </span>
            <Badge {...looks} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What nobody set up, or nothing proved yet, is neither well nor ill. */
function useParts(ready: PartsProps['of'], problem: Problem | null): readonly PartOf[] {
  const enabled = useMay('operate');
  const { counts, isKnown, items } = useNeeds();
  const keys = useLive('GET /api/keys', {}, { everyMs: 15_000, on: ['key.'] }).data?.items;
  const policy = useAsk('GET /api/policy', {}).data;
  const webhooks = useAsk('GET /api/webhooks', {}, { enabled }).data?.items;
  const addresses = useAsk('GET /api/alerts/addresses', {}, { enabled }).data?.items;
  // The first fault is told: with the ledger away, nothing else is known.
  const own = (codes: readonly string[], well: Looks): Looks =>
    codes.includes(problem?.code ?? '')
      ? { state: 'critical', label: 'fault' }
      : problem || !ready
        ? notKnown
        : well;
  const told = (n: number, ill: string, well: Looks, state = 'warning'): Looks =>
    n > 0 ? { state, label: `${count(n)} ${ill}` } : well;
  const used = (uses: readonly number[] | undefined, words: string): Looks => {
    if (!uses) return notKnown;
    if (uses.length === 0) return quiet('none set up');
    return uses.some((n) => n > 0) ? good(words) : quiet('not tried yet');
  };
  const noRules = { state: counts.noRules > 0 ? 'warning' : 'draft', label: 'none in force' };
  const rules = policy ? (isWithoutRules(rulesOf(policy)) ? noRules : good('in force')) : notKnown;
  const doubts = isKnown ? good('none') : notKnown;
  const present = keys?.map((key) => Number(key.present));
  const took = webhooks?.map(({ delivered }) => delivered);
  const sent = addresses?.map((address) => address.sent);
  const isUntold = sent?.length === 0 && items.length > 0;
  const alerts = isUntold ? { state: 'warning', label: 'nobody is told' } : used(sent, 'arrive');
  return [
    ['Database', null, own(['ledger-unreachable', 'ledger-layout'], good('answers'))],
    ['Queue', '/jobs', own(['queue-unreachable'], good('answers'))],
    [
      'Clock',
      null,
      own(['clock-off'], good(`${count(Math.abs(Math.round(ready?.clock.ahead_ms ?? 0)))} ms off`)),
    ],
    ['Background work', null, own(['loop-stuck'], good('on time'))],
    ['Contact rules', '/policy', own(['policy-differs'], rules)],
    ['Keys', '/keys', told(counts.closedKeys, 'closed', used(present, 'open'))],
    ['Unknown calls', '/unknown', told(counts.unknown, 'to settle', doubts, 'unknown')],
    ['Webhooks', '/webhooks', told(counts.downWebhooks, 'down', used(took, 'none is down'))],
    ['Alerts', '/alerts', told(counts.unsentAlerts, 'not reached', alerts)],
  ];
}

const good = (label: string): Looks => ({ state: 'open', label });
const quiet = (label: string): Looks => ({ state: 'draft', label });
const notKnown = quiet('not known');
