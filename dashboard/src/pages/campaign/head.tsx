import type { Campaign } from '../../api/description.ts';
import { PageHead } from '../../kit/page.tsx';
import { Time } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';
import { driverText } from '../campaigns/columns.tsx';
import { StateBadge } from '../campaigns/state.tsx';
import { CampaignActs } from './acts/acts.tsx';

/** Which campaign this is, how it stands, and what may be done with it. */
export function CampaignHead({ campaign }: { campaign: Campaign }) {
  const { name, balance, kind, created_at: at } = campaign;
  const may = useMay('operate');
  return (
    <PageHead title={name} acts={may && <CampaignActs campaign={campaign} />}>
      <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
        <StateBadge of={campaign} />
        <span>{counted(balance.rows, kind === 'calls' ? 'single call' : 'row')}</span>
        <span>dialled by {driverText(campaign)}</span>
        <span>
          made <Time at={at} />
        </span>
      </p>
    </PageHead>
  );
}
