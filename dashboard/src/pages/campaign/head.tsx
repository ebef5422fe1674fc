import type { Campaign } from '../../api/description.ts';
import { PageHead } from '../../kit/page.tsx';
import { useMay } from '../../shell/me.ts';
import { PageLink } from '../../shell/page-link.tsx';
import { StateBadge } from '../campaigns/state.tsx';
import { CampaignActs } from './acts/acts.tsx';

/** Which campaign this is, how it stands, and what may be done with it. */
export function CampaignHead({ campaign }: { campaign: Campaign }) {
  const { name } = campaign;
  const may = useMay('operate');
  return (
    <PageHead
      title={name}
      up={
        <PageLink to="/campaigns" className="hover:underline">
          Campaigns
        </PageLink>
      }
      state={<StateBadge of={campaign} soft />}
      acts={may && <CampaignActs campaign={campaign} />}
    />
  );
}
