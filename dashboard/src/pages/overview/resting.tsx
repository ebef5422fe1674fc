import type { CampaignItem } from '../../api/description.ts';
import { QuickAct } from '../../campaigns/quick.tsx';
import { StateBadge } from '../../campaigns/state.tsx';
import { BalanceBar } from '../../kit/balance-bar.tsx';
import { Time } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { pauseWords, toJudge } from '../../shell/needs.ts';
import { NameLink } from '../../shell/page-link.tsx';

/** Campaigns that do not dial now, a line each; one that paused says why. */
export const Resting = ({ campaigns }: { campaigns: readonly CampaignItem[] }) => (
  <ul className="border-t border-line">
    {campaigns.map((campaign) => (
      <Line key={campaign.id} campaign={campaign} />
    ))}
  </ul>
);

function Line({ campaign }: { campaign: CampaignItem }) {
  const { id, name, kind, state, balance, since } = campaign;
  const why = whyOf(campaign);
  return (
    <li className="grid min-h-[46px] grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 border-b border-line py-1.5 text-sm sm:grid-cols-[minmax(0,1.6fr)_4.5rem_minmax(0,1.8fr)]">
      <span className="flex min-w-0 items-center gap-2">
        <NameLink of="campaigns" id={id} name={name} className="line-clamp-2 font-medium hover:underline" />
        {/* One whose calls are to be judged needs a person, which is told above. */}
        {toJudge(campaign) === 0 && <QuickAct campaign={campaign} />}
      </span>
      <StateBadge of={campaign} />
      <span className="flex items-center gap-3 text-quiet max-sm:col-span-2">
        <span className="min-w-0 flex-1">
          {why ?? counted(balance.rows, kind === 'calls' ? 'single call' : 'person', people(kind))}
        </span>
        {state === 'done' ? (
          <span className="text-xs">
            ended <Time at={since} />
          </span>
        ) : (
          <span className="w-16 shrink-0 sm:max-lg:hidden">
            <BalanceBar balance={balance} thickness="thin" />
          </span>
        )}
      </span>
    </li>
  );
}

const people = (kind: CampaignItem['kind']) => (kind === 'calls' ? 'single calls' : 'people');

function whyOf({ state, reason, first, balance }: CampaignItem): string | null {
  if (state !== 'paused' || !reason) return null;
  if (reason !== 'first') return pauseWords(reason);
  return `first ${first ?? ''} of ${count(balance.rows)} called`;
}
