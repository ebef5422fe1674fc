import { useState } from 'react';
import type { CampaignItem } from '../api/description.ts';
import { buttonClasses } from '../kit/button.tsx';
import { classes } from '../kit/words.ts';
import { verbs } from '../shell/campaigns.ts';
import { useMay } from '../shell/me.ts';
import { toJudge } from '../shell/needs.ts';
import { PageLink } from '../shell/page-link.tsx';
import { part } from '../shell/part.tsx';

/** The overview is the first screen: the dialogs come when they are asked for. */
const StartCampaign = part(() => import('./start-stop.tsx'), 'StartCampaign');
const StopCampaign = part(() => import('./start-stop.tsx'), 'StopCampaign');

/** The next act, in the line that tells of the campaign; it asks the same as on the campaign's own page. */
export function QuickAct({ campaign }: { campaign: CampaignItem }) {
  const [open, setOpen] = useState(false);
  const may = useMay('operate');
  const { id, state, name } = campaign;
  const verb = verbs[state];
  const looks = classes(buttonClasses('plain', true), 'shrink-0 max-sm:min-h-10');
  if (toJudge(campaign) > 0)
    return (
      <PageLink to={`/listen?campaign=${id}`} className={looks}>
        Listen back
      </PageLink>
    );
  if (!may || !verb) return null;
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)} aria-label={`${verb} ${name}`} className={looks}>
        {verb}
      </button>
      {open && state === 'running' && <StopCampaign campaign={campaign} act="pause" onClose={close} />}
      {open && state !== 'running' && <StartCampaign campaign={campaign} onClose={close} />}
    </>
  );
}
