import { Link } from '@tanstack/react-router';
import type { CampaignItem } from '../../api/description.ts';
import { BalanceBar } from '../../kit/balance-bar.tsx';
import type { Column } from '../../kit/table/data-table.tsx';
import { Time } from '../../kit/time.tsx';
import { about, count } from '../../kit/words.ts';
import { usePace } from '../overview/pace.ts';
import { StateBadge } from './state.tsx';

/** The facts that the list tells of each campaign. */
export type CampaignRow = { campaign: CampaignItem; updatedAt: number };

export const campaignColumns: readonly Column<CampaignRow>[] = [
  {
    id: 'name',
    head: 'Name',
    cell: ({ campaign: { id, name, reason, state } }) => (
      <span className="block max-w-[44vw] min-w-28 truncate sm:max-w-64 xl:max-w-96">
        <Link to="/campaigns/$id" params={{ id }} className="font-medium hover:underline">
          {name}
        </Link>
        {reason && state === 'paused' && (
          <span className="ml-2 text-xs text-quiet">
            {reason === 'first' ? 'after its first people' : reason}
          </span>
        )}
      </span>
    ),
  },
  { id: 'state', head: 'State', cell: ({ campaign }) => <StateBadge of={campaign} /> },
  {
    id: 'balance',
    head: 'Rows by state',
    from: 'sm',
    cell: ({ campaign: { balance } }) => (
      <div className="min-w-24">
        <BalanceBar balance={balance} />
      </div>
    ),
  },
  {
    id: 'done',
    head: 'Done',
    number: true,
    from: 'sm',
    cell: ({ campaign: { balance } }) => count(balance.done),
  },
  { id: 'rows', head: 'Rows', number: true, cell: ({ campaign: { balance } }) => count(balance.rows) },
  {
    id: 'pace',
    head: 'Calls a minute',
    number: true,
    from: 'lg',
    cell: (row) => (row.campaign.state === 'running' ? <Pace {...row} /> : '–'),
  },
  { id: 'driver', head: 'Dialled by', from: 'xl', cell: ({ campaign }) => driverText(campaign) },
  {
    id: 'created',
    head: 'Created',
    from: 'lg',
    number: true,
    cell: ({ campaign: { created_at: at } }) => <Time at={at} />,
  },
];

/** Only a campaign that runs has one. */
function Pace({ campaign: { id, balance }, updatedAt }: CampaignRow) {
  const { perMinute } = usePace(id, balance.attempts, updatedAt);
  return <>{perMinute === null ? '–' : about(perMinute)}</>;
}

export function driverText({ driver, run_active }: Pick<CampaignItem, 'driver' | 'run_active'>): string {
  if (driver === 'background') return 'workers';
  return run_active ? 'an active run' : 'a run that has ended';
}
