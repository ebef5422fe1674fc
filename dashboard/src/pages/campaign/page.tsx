import { useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { Campaign } from '../../api/description.ts';
import { driverText, hasEnded, StateBadge } from '../../campaigns/state.tsx';
import { useLive } from '../../data/use-live.ts';
import { Loading } from '../../kit/empty.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { type TabItem, Tabs } from '../../kit/tabs.tsx';
import { Time } from '../../kit/time.tsx';
import { useMay } from '../../shell/me.ts';
import { CampaignActs } from './acts/acts.tsx';
import type { CampaignSearch, CampaignTab } from './search.ts';
import { WhyPaused } from './why-paused.tsx';

/** One campaign, watched and steered. Each part is loaded when it is first opened. */
const Overview = lazy(() => import('./overview/tab.tsx').then((it) => ({ default: it.OverviewTab })));
const People = lazy(() => import('./people/tab.tsx').then((it) => ({ default: it.PeopleTab })));
const Order = lazy(() => import('./order/tab.tsx').then((it) => ({ default: it.OrderTab })));
const Results = lazy(() => import('./results/tab.tsx').then((it) => ({ default: it.ResultsTab })));
const Activity = lazy(() => import('./activity.tsx').then((it) => ({ default: it.ActivityTab })));

const tabsOf = ({ balance, kind }: Campaign): readonly (TabItem & { id: CampaignTab })[] => [
  { id: 'overview', label: 'Overview' },
  { id: 'people', label: kind === 'calls' ? 'Calls' : 'People', count: balance.rows },
  { id: 'order', label: 'Settings' },
  { id: 'results', label: 'Results' },
  { id: 'activity', label: 'Activity' },
];

const above = { to: '/campaigns', label: 'Campaigns' };

export function CampaignPage() {
  const { id } = useParams({ from: '/campaigns/$id' });
  const search: CampaignSearch = useSearch({ from: '/campaigns/$id' });
  const { tab = 'overview' } = search;
  const mayAct = useMay('operate');
  const answer = useLive(
    'GET /api/campaigns/{id}',
    { params: { id } },
    { everyMs: 2_000, on: ['campaign.'] },
  );
  const campaign = answer.data;
  if (!campaign) return <Opening title="Campaign" up={above} of={answer} />;
  return (
    <>
      <PageHead
        title={campaign.name}
        up={above}
        state={
          <>
            <StateBadge of={campaign} soft />
            <span className="truncate text-xs text-quiet max-xl:hidden">
              {hasEnded(campaign) ? (
                <>
                  ended <Time at={campaign.since} />
                </>
              ) : (
                <>
                  made <Time at={campaign.created_at} />, dialled by {driverText(campaign)}
                </>
              )}
            </span>
          </>
        }
        acts={mayAct && <CampaignActs campaign={campaign} />}
      />
      <WhyPaused campaign={campaign} />
      <Tabs label="Parts of the campaign" tabs={tabsOf(campaign)} current={tab} />
      <Suspense key={id} fallback={<Loading lines={8} />}>
        {tab === 'overview' && <Overview campaign={campaign} updatedAt={answer.dataUpdatedAt} />}
        {tab === 'people' && <People campaign={campaign} search={search} />}
        {tab === 'order' && <Order campaign={campaign} />}
        {tab === 'results' && <Results campaign={campaign} search={search} />}
        {tab === 'activity' && <Activity campaign={campaign} />}
      </Suspense>
    </>
  );
}
