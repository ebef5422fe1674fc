import { useEffect, useState } from 'react';
import type { CampaignItem } from '../../api/ask.ts';
import { QuickAct } from '../../campaigns/line.tsx';
import { openOf, StateBadge } from '../../campaigns/state.tsx';
import { useLive } from '../../data/queries.ts';
import { BalanceBar } from '../../kit/bars.tsx';
import { Loading, Page, Read, Section } from '../../kit/page.tsx';
import { MoreLink, NameLink } from '../../kit/router.tsx';
import { Time, useNow } from '../../kit/values.tsx';
import { classes, cost, count, counted, dayText, rateText, sumOf, timeText } from '../../kit/words.ts';
import { toJudge } from '../../shell/need.ts';
import { useNeeds } from '../../shell/needs.ts';
import { NeedsList } from '../../shell/needs-list.tsx';
import { part } from '../../shell/part.tsx';
import {
  inProgress,
  useActiveCampaigns,
  useBudgets,
  useLastDays,
  useLiveCalls,
  useMostCalls,
} from '../../shell/reads.ts';
import { NewCampaign } from '../campaigns/new-button.tsx';
import { KeyLines } from '../keys/line.tsx';
import { CallStrip } from '../live/strip.tsx';
import { Running } from './running.tsx';

/** The page that an operator leaves open all day: what needs a person, what runs, and how the keys are. */
const callsOf = ({ calls }: { calls: number }) => calls;

/** The calls of all campaigns in the last 24 hours, beside those of the 24 before. */
function LastDay({ currency }: { currency: string | null }) {
  const { before, last } = useLastDays();
  const [ended, answered] = [sumOf(last.map(callsOf)), sumOf(last.map(({ connects }) => connects))];
  const earlier = sumOf(before.map(callsOf));
  if (ended + earlier === 0) return null;
  const isCostKnown = last.some((point) => point.cost !== null);
  return (
    <p className="mb-6 text-sm text-quiet">
      <b className="font-semibold text-text">{counted(ended, 'call')}</b> in the last 24 hours
      {ended > 0 && `, ${rateText(answered / ended)} answered`}
      {isCostKnown && `, ${cost(sumOf(last.map((point) => point.cost)), currency)}`};{' '}
      {counted(earlier, 'call')} the day before.
    </p>
  );
}

/** Campaigns that do not dial now, a line each; one that paused says why. */
const Resting = ({ campaigns }: { campaigns: readonly CampaignItem[] }) => (
  <ul className="border-t border-line">
    {campaigns.map((campaign) => (
      <li
        key={campaign.id}
        className="grid min-h-[46px] grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 border-b border-line py-1.5 text-sm sm:grid-cols-[minmax(0,1.6fr)_4.5rem_minmax(0,1.8fr)]"
      >
        <span className="flex min-w-0 items-center gap-2">
          <NameLink
            of="campaigns"
            id={campaign.id}
            name={campaign.name}
            className="line-clamp-2 font-medium hover:underline"
          />
          {/* One whose calls are to be judged needs a person, which is told above. */}
          {toJudge(campaign) === 0 && <QuickAct campaign={campaign} />}
        </span>
        <StateBadge of={campaign} />
        <span className="flex items-center gap-3 text-quiet max-sm:col-span-2">
          <span className="min-w-0 flex-1">{restsWords(campaign)}</span>
          {campaign.state === 'done' ? (
            <span className="text-xs">
              ended <Time at={campaign.since} />
            </span>
          ) : (
            <span className="w-16 shrink-0 sm:max-lg:hidden">
              <BalanceBar balance={campaign.balance} thickness="thin" />
            </span>
          )}
        </span>
      </li>
    ))}
  </ul>
);

function restsWords({ kind, state, reason, first, standstill, balance: { rows } }: CampaignItem): string {
  if (state === 'paused' && reason)
    return reason === 'first'
      ? `first ${first ?? ''} of ${count(rows)} called`
      : (standstill?.message ?? reason).replace('paused by hand: ', '');
  return kind === 'calls' ? counted(rows, 'single call') : counted(rows, 'person', 'people');
}

/** Only where nothing was called yet. */
const NoCampaigns = part(() => import('../campaigns/none.tsx'), 'NoCampaigns');
const ServiceBrief = part(() => import('../../shell/service.tsx'), 'ServiceBrief');

/** Only where VOICE_MAX_COST is set. */
const Budgets = part(() => import('../../campaigns/budget.tsx'), 'Budgets');

export function OverviewPage() {
  const needs = useNeeds();
  const campaigns = useActiveCampaigns();
  const others = useLive(
    'GET /api/campaigns',
    { state: 'draft,done,canceled', limit: 4 },
    { everyMs: 30_000, on: ['campaign.'] },
  );
  const live = useLiveCalls();
  const most = useMostCalls();
  const budgets = useBudgets().data?.items ?? [];
  const isLate = useLate();
  const items = campaigns.data?.items ?? [];
  const running = items.filter(({ kind, state }) => kind === 'list' && state === 'running');
  // Single calls stand here while one waits, lasts or is unknown; `people` finds those that are over.
  const single = items.filter(
    ({ kind, state, balance }) => kind === 'calls' && state === 'running' && openOf(balance) > 0,
  );
  const resting = [...items.filter(({ state }) => state === 'paused'), ...(others.data?.items ?? [])];
  const isEmpty = campaigns.data && others.data && running.length + resting.length === 0;

  // Its parts come one by one; drawn together, none moves another.
  if (!isLate && (!needs.isKnown || campaigns.isPending || others.isPending || live.isPending)) {
    return (
      <Page title="Overview">
        <Loading lines={12} />
      </Page>
    );
  }

  const calls = live.data ? inProgress(live.data) : 0;
  return (
    <Page
      title="Overview"
      state={<Clock />}
      acts={!isEmpty && <NewCampaign isMain={needs.items.length === 0} />}
    >
      {needs.isKnown && needs.items.length === 0 && !isEmpty && (
        <p className="mb-5 text-quiet">Nothing needs you.</p>
      )}
      <NeedsList items={needs.items} />
      <Read of={campaigns} lines={6} />
      {isEmpty && <NoCampaigns />}
      {!isEmpty && live.data && (
        <Section
          title={calls === 0 ? 'No call in progress' : `${counted(calls, 'call')} in progress`}
          note={most !== null && most > 0 && calls <= most && `of at most ${count(most)}`}
          acts={<MoreLink to="/live">Live calls</MoreLink>}
        >
          <CallStrip live={live.data} />
        </Section>
      )}
      {running.length > 0 && <Running campaigns={running} />}
      {single.length > 0 && (
        <Section title="Single calls" note={counted(single.length, 'kind')}>
          <Resting campaigns={single} />
        </Section>
      )}
      <div className={classes('grid gap-x-8 xl:grid-cols-2', isEmpty && 'mt-6')}>
        <div className="min-w-0">
          <KeyLines />
          {budgets.length > 0 && <Budgets />}
          <LastDay currency={items.find(({ currency }) => currency)?.currency ?? null} />
        </div>
        {isEmpty && (
          <Section title="The service that calls" ruled>
            <ServiceBrief />
          </Section>
        )}
        {resting.length > 0 && (
          <Section title="Paused and lately done" acts={<MoreLink to="/campaigns">All campaigns</MoreLink>}>
            <Resting campaigns={resting} />
          </Section>
        )}
      </div>
    </Page>
  );
}

const patienceMs = 1_500;

/** True after a moment: then a part that is known no longer waits for one that is not. */
function useLate(): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return isLate;
}

/** As of when it tells what it tells: a picture of it, or a wall, has no other clock. */
function Clock() {
  const now = useNow();
  const day = useBudgets().data?.items.find(({ kind }) => kind === 'day');
  return (
    <span className="min-w-0 shrink-[99999] truncate text-sm text-quiet max-sm:hidden">
      {dayText(now)}, {timeText(now)}
      {day && ` · ${cost(day.spent)} of ${cost(day.max, day.currency)} spent today`}
    </span>
  );
}
