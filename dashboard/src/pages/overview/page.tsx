import { lazy, Suspense } from 'react';
import type { CampaignItem } from '../../api/description.ts';
import { buttonClasses } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Command } from '../../kit/copy.tsx';
import { Empty, Loading, Trouble } from '../../kit/empty.tsx';
import { PageHead } from '../../kit/page.tsx';
import { counted } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { useMay } from '../../shell/me.ts';
import { PageLink, useHasPage } from '../../shell/page-link.tsx';
import { Alerts } from './alerts.tsx';
import { Keys } from './keys.tsx';
import { CampaignLines } from './lines.tsx';
import { RunningCampaign } from './running.tsx';
import { UnknownNotice } from './unknown.tsx';

/** Only where nothing was called yet. */
const ServiceBrief = lazy(() =>
  import('../../shell/service.tsx').then((it) => ({ default: it.ServiceBrief })),
);

/** The page that an operator leaves open all day: what runs, what needs a person, and how the keys are. */
export function OverviewPage() {
  const campaigns = useActiveCampaigns();
  const others = useLive(
    'GET /api/campaigns',
    { query: { state: 'draft,done,canceled', limit: 6 } },
    { everyMs: 30_000, on: ['campaign.'] },
  );
  const items = campaigns.data?.items ?? [];
  const running = items.filter(({ kind, state }) => kind === 'list' && state === 'running');
  const single = items.filter(
    (each) => each.kind === 'calls' && each.state === 'running' && isUnderWay(each),
  );
  const paused = items.filter(({ state }) => state === 'paused');
  const rest = others.data?.items ?? [];
  const calling = items.reduce((sum, { balance }) => sum + balance.calling, 0);

  return (
    <>
      <PageHead title="Overview" acts={<NewCampaign />}>
        {campaigns.data &&
          `${counted(running.length, 'campaign runs', 'campaigns run')}, ${counted(calling, 'call is', 'calls are')} in progress.`}
      </PageHead>
      <Alerts />
      <UnknownNotice />
      {campaigns.error && !campaigns.data && (
        <Trouble problem={campaigns.error} retry={() => void campaigns.refetch()} />
      )}
      {campaigns.isPending && !campaigns.error && <Loading lines={6} />}
      {campaigns.data && others.data && running.length + paused.length + rest.length === 0 && <NoCampaigns />}
      {running.length > 0 && (
        <Section id="running" title="Running" bare>
          <div className="space-y-3">
            {running.map((campaign) => (
              <RunningCampaign key={campaign.id} campaign={campaign} updatedAt={campaigns.dataUpdatedAt} />
            ))}
          </div>
        </Section>
      )}
      {single.length > 0 && (
        <Section id="single" title="Single calls">
          <CampaignLines campaigns={single} />
        </Section>
      )}
      {paused.length > 0 && (
        <Section id="paused" title="Paused">
          <CampaignLines campaigns={paused} />
        </Section>
      )}
      <Keys />
      {rest.length > 0 && (
        <Section id="recent" title="Latest others">
          <CampaignLines campaigns={rest} />
        </Section>
      )}
    </>
  );
}

/** Single calls stand here while one waits, lasts or is unknown; `people` finds those that are over. */
function isUnderWay({ balance }: CampaignItem): boolean {
  const { waiting, queued, calling, parked, unknown } = balance;
  return waiting + queued + calling + parked + unknown > 0;
}

function NewCampaign() {
  const may = useMay('operate');
  const hasPage = useHasPage();
  if (!may || !hasPage('/campaigns/new')) return null;
  return (
    <PageLink to="/campaigns/new" className={buttonClasses('main')}>
      New campaign
    </PageLink>
  );
}

function NoCampaigns() {
  return (
    <Empty title="There are no campaigns yet">
      <p>
        A campaign calls a list of people. Make one from a file with a header row and a column named{' '}
        <code>phone</code>:
      </p>
      <Command>carillon run people.csv --agent AGENT_ID</Command>
      <p>To see one without calling anyone, with a simulated service:</p>
      <Command>carillon demo</Command>
      <div className="mt-3 border-t border-line pt-3 text-text">
        <Suspense fallback={<Loading lines={2} />}>
          <ServiceBrief />
        </Suspense>
      </div>
    </Empty>
  );
}
