import type { ReactNode } from 'react';
import type { Campaign } from '../../api/ask.ts';
import { hasEnded, StateBadge, waitsForTime } from '../../campaigns/state.tsx';
import { useLive } from '../../data/queries.ts';
import { stateText } from '../../kit/basics.tsx';
import { Commands, Notice, Opening, Page } from '../../kit/page.tsx';
import { Link, PageLink, useParams, useSearch } from '../../kit/router.tsx';
import { nextCallText } from '../../kit/their-time.tsx';
import { Time } from '../../kit/values.tsx';
import { classes, count } from '../../kit/words.ts';
import { byStop } from '../../shell/needs.ts';
import { part } from '../../shell/part.tsx';
import { useMay } from '../../shell/reads.ts';
import { CampaignActs } from './acts.tsx';
import type { CampaignSearch, CampaignTab } from './search.ts';

/** Parts of one page, each with an address of its own, so that Back and a shared link lead there. */
export type TabItem = { id: string; label: string; count?: number | undefined };

type TabsProps = { label: string; tabs: readonly TabItem[]; current: string };

export const Tabs = ({ label, tabs, current }: TabsProps) => (
  <nav
    aria-label={label}
    className="-mx-4 mb-5 flex gap-5 overflow-x-auto border-b border-line px-4 text-sm [scrollbar-width:none] lg:-mx-6 lg:px-6"
  >
    {tabs.map((tab) => (
      <Link
        key={tab.id}
        search={(before) => ({ ...before, tab: tab.id })}
        aria-current={tab.id === current ? 'page' : undefined}
        className={classes(
          'border-b-2 py-2.5 whitespace-nowrap outline-offset-[-2px]',
          tab.id === current ? 'border-text font-medium' : 'border-transparent text-quiet hover:text-text',
        )}
      >
        {tab.label}
        {tab.count !== undefined && (
          <span className="ml-1.5 font-normal text-quiet" aria-hidden="true">
            {count(tab.count)}
          </span>
        )}
      </Link>
    ))}
  </nav>
);

/** One campaign, watched and steered. Each part is loaded when it is first opened. */
const parts = {
  overview: part(() => import('./overview/tab.tsx'), 'OverviewTab'),
  people: part(() => import('./people/tab.tsx'), 'PeopleTab'),
  order: part(() => import('./order/tab.tsx'), 'OrderTab'),
  results: part(() => import('./results/tab.tsx'), 'ResultsTab'),
  activity: part(() => import('./activity.tsx'), 'ActivityTab'),
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
  const answer = useLive('GET /api/campaigns/{id}', { id }, { everyMs: 2_000, on: ['campaign.'] });
  const campaign = answer.data;
  const waits = waitsForTime(campaign?.standstill ?? null);
  const place = { id };
  const ahead = useLive('GET /api/campaigns/{id}/forecast', place, { everyMs: 30_000, enabled: waits }).data;
  if (!campaign) return <Opening title="Campaign" up={above} of={answer} />;
  const isOver = hasEnded(campaign);
  const halted = haltedWords(campaign);
  return (
    <Page
      title={campaign.name}
      up={above}
      state={
        <>
          <StateBadge of={campaign} soft />
          <span className={classes('truncate text-xs text-quiet', waits ? 'max-lg:hidden' : 'max-xl:hidden')}>
            {(waits && nextCallText(ahead, campaign.balance.attempts)) || (
              <>
                {isOver ? 'ended' : 'made'} <Time at={isOver ? campaign.since : campaign.created_at} />
              </>
            )}
          </span>
        </>
      }
      acts={mayAct && <CampaignActs campaign={campaign} />}
    >
      {halted && <Notice title={halted[0]}>{halted[1]}</Notice>}
      <Tabs label="Parts of the campaign" tabs={tabsOf(campaign)} current={tab} />
      <Part key={id} campaign={campaign} search={search} />
    </Page>
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
  if (!standstill || waitsForTime(standstill)) return null;
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
