import type { CampaignItem } from '../api/description.ts';
import { NameLink } from '../shell/page-link.tsx';
import { stillWords } from './pace.ts';

/** The running campaigns that call nobody now, each with its cause. */
export function StillLines({ campaigns }: { campaigns: readonly CampaignItem[] }) {
  const still = campaigns.filter(
    ({ kind, state, standstill }) => kind === 'list' && state === 'running' && standstill,
  );
  if (still.length === 0) return null;
  return (
    <ul aria-label="Campaigns that call nobody" className="mb-4 space-y-1 text-sm text-quiet">
      {still.map((campaign) => (
        <li key={campaign.id}>
          <NameLink of="campaigns" id={campaign.id} name={campaign.name} /> calls nobody:{' '}
          {stillWords(campaign)}.
        </li>
      ))}
    </ul>
  );
}
