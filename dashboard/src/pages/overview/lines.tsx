import type { CampaignItem } from '../../api/description.ts';
import { BalanceBar } from '../../kit/balance-bar.tsx';
import { counted } from '../../kit/words.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { StateBadge } from '../campaigns/state.tsx';

/** Campaigns that do not run, a line each; one that waits for a person says for what. */
export function CampaignLines({ campaigns }: { campaigns: readonly CampaignItem[] }) {
  return (
    <ul className="divide-y divide-line">
      {campaigns.map((campaign) => (
        <CampaignLine key={campaign.id} campaign={campaign} />
      ))}
    </ul>
  );
}

function CampaignLine({ campaign }: { campaign: CampaignItem }) {
  const { id, name, kind, balance } = campaign;
  const why = whyOf(campaign);
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-2 first:pt-0 last:pb-0 md:grid-cols-[minmax(0,1fr)_14rem_6rem]">
      <div className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2">
          <PageLink to={`/campaigns/${id}`}>
            <span className="font-medium">{name}</span>
          </PageLink>
          <StateBadge of={campaign} />
        </span>
        {why && <p className={why.needsPerson ? 'text-sm text-warn' : 'text-sm text-quiet'}>{why.words}</p>}
      </div>
      <div className="max-md:col-span-2 max-md:row-start-2">
        <BalanceBar balance={balance} />
      </div>
      <span className="number text-sm text-quiet">
        {counted(balance.rows, kind === 'calls' ? 'single call' : 'row')}
      </span>
    </li>
  );
}

const byHand = 'paused by hand';

function whyOf({ state, reason, first }: CampaignItem): { words: string; needsPerson: boolean } | null {
  if (!reason) return null;
  if (state === 'paused' && reason === 'first') {
    const people = first === null ? 'The first people' : `The first ${counted(first, 'person', 'people')}`;
    return { words: `${people} were called. Judge the calls, then resume it.`, needsPerson: true };
  }
  return { words: reason, needsPerson: state === 'paused' && reason !== byHand };
}
