import { useEffect, useState } from 'react';
import { openOf } from '../../campaigns/pace.ts';
import { useLive } from '../../data/use-live.ts';
import { Section } from '../../kit/card.tsx';
import { Loading, Read } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { dayText, timeText, useNow } from '../../kit/time.tsx';
import { classes, cost, counted } from '../../kit/words.ts';
import { useActiveCampaigns, useBudgets } from '../../shell/campaigns.ts';
import { useLiveCalls } from '../../shell/live-calls.ts';
import { useNeeds } from '../../shell/needs.ts';
import { NeedsList } from '../../shell/needs-list.tsx';
import { MoreLink } from '../../shell/page-link.tsx';
import { part } from '../../shell/part.tsx';
import { NewCampaign } from '../campaigns/new-button.tsx';
import { Keys, LastDay, OnTheLine } from './brief.tsx';
import { Resting } from './resting.tsx';
import { Running } from './running.tsx';

/** Only where nothing was called yet. */
const NoCampaigns = part(() => import('../campaigns/none.tsx'), 'NoCampaigns');
const ServiceBrief = part(() => import('../../shell/service.tsx'), 'ServiceBrief');

/** Only where VOICE_MAX_COST is set. */
const Budgets = part(() => import('./budgets.tsx'), 'Budgets');

/** The page that an operator leaves open all day: what needs a person, what runs, and how the keys are. */
export function OverviewPage() {
  const needs = useNeeds();
  const campaigns = useActiveCampaigns();
  const others = useLive(
    'GET /api/campaigns',
    { query: { state: 'draft,done,canceled', limit: 4 } },
    { everyMs: 30_000, on: ['campaign.'] },
  );
  const line = useLiveCalls();
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
  if (!isLate && (!needs.isKnown || campaigns.isPending || others.isPending || line.isPending)) {
    return (
      <>
        <PageHead title="Overview" />
        <Loading lines={12} />
      </>
    );
  }

  return (
    <>
      <PageHead
        title="Overview"
        state={<Clock />}
        acts={!isEmpty && <NewCampaign isMain={needs.items.length === 0} />}
      />
      {needs.isKnown && needs.items.length === 0 && !isEmpty && (
        <p className="mb-5 text-quiet">Nothing needs you.</p>
      )}
      <NeedsList items={needs.items} />
      <Read of={campaigns} lines={6} />
      {isEmpty && <NoCampaigns />}
      {!isEmpty && <OnTheLine />}
      {running.length > 0 && <Running campaigns={running} />}
      {single.length > 0 && (
        <Section id="single" title="Single calls" note={counted(single.length, 'kind')}>
          <Resting campaigns={single} />
        </Section>
      )}
      <div className={classes('grid gap-x-8 xl:grid-cols-2', isEmpty && 'mt-6')}>
        <div className="min-w-0">
          <Keys />
          {budgets.length > 0 && <Budgets />}
          <LastDay currency={items.find(({ currency }) => currency)?.currency ?? null} />
        </div>
        {isEmpty && (
          <Section id="service" title="The service that calls" ruled>
            <ServiceBrief />
          </Section>
        )}
        {resting.length > 0 && (
          <Section
            id="resting"
            title="Paused and lately done"
            acts={<MoreLink to="/campaigns">All campaigns</MoreLink>}
          >
            <Resting campaigns={resting} />
          </Section>
        )}
      </div>
    </>
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
