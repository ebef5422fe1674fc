import { useState } from 'react';
import type { CampaignItem } from '../api/description.ts';
import { Button, buttonClasses } from '../kit/button.tsx';
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
  // What was asked stays what it was, whatever becomes of the campaign.
  const [asked, setAsked] = useState<'pause' | 'start' | null>(null);
  const may = useMay('operate');
  const { id, state, name } = campaign;
  const verb = verbs[state];
  if (toJudge(campaign) > 0)
    return (
      <PageLink
        to={`/listen?campaign=${id}`}
        className={classes(buttonClasses('plain', true), 'shrink-0 max-sm:min-h-10')}
      >
        Listen back
      </PageLink>
    );
  if (!may || !verb) return null;
  const close = () => setAsked(null);
  return (
    <>
      <Button
        acts
        small
        className="shrink-0 max-sm:min-h-10"
        aria-label={`${verb} ${name}`}
        onClick={() => setAsked(state === 'running' ? 'pause' : 'start')}
      >
        {verb}
      </Button>
      {asked === 'pause' && <StopCampaign campaign={campaign} act="pause" onClose={close} />}
      {asked === 'start' && <StartCampaign campaign={campaign} onClose={close} />}
    </>
  );
}
