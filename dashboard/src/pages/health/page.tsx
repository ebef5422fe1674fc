import type { AnswerOf, Problem } from '../../api/ask.ts';
import { useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { Badge } from '../../kit/badge.tsx';
import { Section } from '../../kit/card.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Read } from '../../kit/empty.tsx';
import { Glance, type Level } from '../../kit/glance.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { count, counted } from '../../kit/words.ts';
import { numberOf, rulesOf } from '../../order/rules.ts';
import { useMay } from '../../shell/me.ts';
import { type Need, openHealth, useNeeds } from '../../shell/needs.ts';
import { NeedsList } from '../../shell/needs-list.tsx';
import { PageLink } from '../../shell/page-link.tsx';
import { Lately } from '../activity/entry.tsx';
import { Examination } from './examination.tsx';
import { History } from './history.tsx';
import { Processes } from './processes.tsx';

/** Whether everything that calls depend on works: in one sentence, part by part, and what to do where it does not. */
export function HealthPage() {
  const ready = useAsk('GET /readyz', {}, { everyMs: 10_000 });
  const processes = useAsk('GET /api/processes', {}, { everyMs: 10_000 });
  const needs = useNeeds();
  // Not fine for a moment, and then not.
  if (ready.isPending || !(needs.isKnown || ready.error))
    return <Opening title="Health" of={{ ...ready, data: undefined }} lines={6} />;
  const silent = processes.data?.items.filter(({ alive }) => !alive).length ?? 0;
  const [level, title] = judge(ready.error, needs.items, silent);
  return (
    <>
      <PageHead title="Health" />
      <Glance level={level} title={title}>
        <Commands text={ready.error?.remedy ?? ''} />
      </Glance>
      {!ready.error && <NeedsList items={needs.items.map(elsewhere)} />}
      <Parts of={ready.data} problem={ready.error} />
      <History />
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[1.55fr_1fr]">
        <div>
          <Read of={processes}>{({ items }) => <Processes items={items} />}</Read>
          <Examination />
        </div>
        <Lately title="What happened" verb="alert,campaign,key,number,ledger,policy" />
      </div>
    </>
  );
}

/** An act that leads here is none. */
function elsewhere({ act, ...need }: Need): Need {
  return act && !('to' in act && act.to === openHealth.to) ? { ...need, act } : need;
}

function judge(problem: Problem | null, needs: readonly Need[], silent: number): [Level, string] {
  if (problem) return ['act', problem.message];
  const n = counted(needs.length, 'thing needs', 'things need');
  if (needs.some(({ tone }) => tone === 'bad')) return ['act', `${n} you.`];
  if (silent > 0) return ['watch', `${counted(silent, 'process is', 'processes are')} silent.`];
  return needs.length > 0
    ? ['watch', `Carillon works; ${n} you.`]
    : ['fine', 'Everything that calls depend on works.'];
}

type PartsProps = { of: AnswerOf<'GET /readyz'> | undefined; problem: Problem | null };
type Looks = { state: string; label: string };
/** What settles it stands below it while it is ill. */
type Part = readonly [name: string, looks: Looks, to?: string, words?: string];

/** What the process that answers checks of itself, and what has a page that tells more; what nobody set up is neither well nor ill. */
function Parts({ of: ready, problem }: PartsProps) {
  const enabled = useMay('operate');
  const { counts, isKnown, items } = useNeeds();
  const keys = useLive('GET /api/keys', {}, { everyMs: 15_000, on: ['key.'] }).data?.items;
  const policy = useAsk('GET /api/policy', {}).data;
  const webhooks = useAsk('GET /api/webhooks', {}, { enabled }).data?.items;
  const addresses = useAsk('GET /api/alerts/addresses', {}, { enabled }).data?.items;
  // The first fault is told: with the ledger away, nothing else is known.
  const own = (codes: readonly string[], well: string | Looks): Looks => {
    if (problem) return codes.includes(problem.code) ? { state: 'critical', label: 'fault' } : notKnown;
    return typeof well === 'string' ? good(well) : well;
  };
  const told = (n: number, ill: string, well: Looks, state = 'warning'): Looks =>
    n > 0 ? { state, label: `${count(n)} ${ill}` } : well;
  const used = (uses: readonly number[] | undefined, words: string): Looks => {
    if (!uses) return notKnown;
    if (uses.length === 0) return quiet('none set up');
    return uses.some((n) => n > 0) ? good(words) : quiet('not tried yet');
  };
  const noRules = { state: counts.noRules > 0 ? 'warning' : 'draft', label: 'none in force' };
  const rules = policy ? (numberOf(rulesOf(policy)) === 0 ? noRules : good('in force')) : notKnown;
  const doubts = isKnown ? good('none') : notKnown;
  const present = keys?.map((key) => Number(key.present));
  const took = webhooks?.map(({ delivered }) => delivered);
  const sent = addresses?.map((address) => address.sent);
  const isUntold = sent?.length === 0 && items.length > 0;
  const alerts = isUntold ? { state: 'warning', label: 'nobody is told' } : used(sent, 'arrive');
  const parts: readonly Part[] = [
    ['Database', own(['ledger-unreachable', 'ledger-layout'], 'answers')],
    ['Queue', own(['queue-unreachable'], 'answers')],
    ['Clock', own(['clock-off'], `${count(Math.abs(Math.round(ready?.clock.ahead_ms ?? 0)))} ms off`)],
    ['Background work', own(['loop-stuck'], 'on time')],
    ['Contact rules', own(['policy-differs'], rules), '/policy', 'Choose the rules'],
    ['Keys', told(counts.closedKeys, 'closed', used(present, 'open')), '/keys', 'Open the keys'],
    ['Unknown calls', told(counts.unknown, 'to settle', doubts, 'unknown'), '/unknown', 'Settle them'],
    ['Webhooks', told(counts.downWebhooks, 'down', used(took, 'none is down')), '/webhooks', 'See why'],
    ['Alerts', told(counts.unsentAlerts, 'not reached', alerts), '/alerts', 'Say who is told'],
  ];
  return (
    <Section id="parts" title="What calls depend on">
      <ul className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 xl:grid-cols-9">
        {parts.map(([name, looks, to, words]) => (
          <li key={name}>
            <span className="block text-xs text-quiet">{name}</span>
            <Badge {...looks} />
            {to && /^(?:warning|critical|unknown)$/.test(looks.state) && (
              <PageLink to={to} className="link mt-0.5 block w-max text-xs text-quiet">
                {words}
              </PageLink>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const good = (label: string): Looks => ({ state: 'open', label });
const quiet = (label: string): Looks => ({ state: 'draft', label });
const notKnown = quiet('not known');
