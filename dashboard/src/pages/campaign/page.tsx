import { lazy, type ReactNode, Suspense } from 'react';
import type { Campaign } from '../../api/description.ts';
import { hasEnded, StateBadge } from '../../campaigns/state.tsx';
import { useLive } from '../../data/use-live.ts';
import { stateText } from '../../kit/badge.tsx';
import { Commands } from '../../kit/commands.tsx';
import { Loading } from '../../kit/empty.tsx';
import { Notice } from '../../kit/notice.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { useParams, useSearch } from '../../kit/router.tsx';
import { type TabItem, Tabs } from '../../kit/tabs.tsx';
import { Time } from '../../kit/time.tsx';
import { endsByTime } from '../../kit/waits.ts';
import { useMay } from '../../shell/me.ts';
import { byStop } from '../../shell/needs.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { CampaignActs } from './acts/acts.tsx';
import type { CampaignSearch, CampaignTab } from './search.ts';

/** One campaign, watched and steered. Each part is loaded when it is first opened. */
const parts = {
  overview: lazy(() => import('./overview/tab.tsx').then((it) => ({ default: it.OverviewTab }))),
  people: lazy(() => import('./people/tab.tsx').then((it) => ({ default: it.PeopleTab }))),
  order: lazy(() => import('./order/tab.tsx').then((it) => ({ default: it.OrderTab }))),
  results: lazy(() => import('./results/tab.tsx').then((it) => ({ default: it.ResultsTab }))),
  activity: lazy(() => import('./activity.tsx').then((it) => ({ default: it.ActivityTab }))),
};

const tabsOf = ({ balance, kind }: Campaign): readonly (TabItem & { id: CampaignTab })[] => [
  { id: 'overview', label: 'Overview' },
  { id: 'people', label: kind === 'calls' ? 'Calls' : 'People', count: balance.rows },
  { id: 'order', label: 'Settings' },
  { id: 'results', label: 'Results' },
  { id: 'activity', label: 'Activity' },
];

const above = { to: '/campaigns', label: 'Campaigns' };

export function CampaignPage() {
  const { id } = useParams('/campaigns/$id');
  const search: CampaignSearch = useSearch('/campaigns/$id');
  const { tab = 'overview' } = search;
  const Part = parts[tab];
  const mayAct = useMay('operate');
  const answer = useLive(
    'GET /api/campaigns/{id}',
    { params: { id } },
    { everyMs: 2_000, on: ['campaign.'] },
  );
  const campaign = answer.data;
  if (!campaign) return <Opening title="Campaign" up={above} of={answer} />;
  const isOver = hasEnded(campaign);
  const halted = haltedWords(campaign);
  return (
    <>
      <PageHead
        title={campaign.name}
        up={above}
        state={
          <>
            <StateBadge of={campaign} soft />
            <span className="truncate text-xs text-quiet max-xl:hidden">
              {isOver ? 'ended' : 'made'} <Time at={isOver ? campaign.since : campaign.created_at} />
            </span>
          </>
        }
        acts={mayAct && <CampaignActs campaign={campaign} />}
      />
      {halted && <Notice title={halted[0]}>{halted[1]}</Notice>}
      <Tabs label="Parts of the campaign" tabs={tabsOf(campaign)} current={tab} />
      <Suspense key={id} fallback={<Loading lines={8} />}>
        <Part campaign={campaign} search={search} />
      </Suspense>
    </>
  );
}

/** Why nobody is called now, and what to do: it stands above the parts, where one looks first. */
function haltedWords(campaign: Campaign): [what: string, then: ReactNode] | null {
  const { id, state, reason, first_outcomes: first, standstill } = campaign;
  if (state === 'draft')
    return [
      'This is a draft: nobody is called until it is started.',
      'Look at the settings and at the people, then start it.',
    ];
  if (!standstill || endsByTime.test(standstill.cause)) return null;
  if (reason === 'first') {
    const calls = Object.entries(first).map(([outcome, n]) => `${n} ${stateText(outcome)}`);
    return [
      'Paused after the first people, as its settings say.',
      <>
        <PageLink to={`/listen?campaign=${id}`}>Listen back</PageLink>
        {calls.length > 0 && ` to their calls (${calls.join(', ')})`}, then resume to call everyone, or change
        the settings first.
      </>,
    ];
  }
  const resume = 'Resume it to continue. Activity says who paused it, and when.';
  if (reason === byStop) return ['It was stopped with everything else.', resume];
  if (standstill.cause === 'paused') return ['A person paused it.', resume];
  return [`It calls nobody: ${standstill.message}.`, <Commands key="act" text={standstill.act} />];
}
