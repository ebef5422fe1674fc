import { useState } from 'react';
import type { Campaign } from '../../../api/description.ts';
import { StartCampaign, StopCampaign } from '../../../campaigns/start-stop.tsx';
import { isUndriven } from '../../../campaigns/state.tsx';
import { Mark } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { usePageKeys } from '../../../kit/keys.ts';
import { ActsMenu } from '../../../kit/menu.tsx';
import { navigate } from '../../../kit/router.tsx';
import { useAskedAct } from '../../../shell/opens.tsx';
import { RetryPeople } from '../bulk/retry.tsx';
import type { CampaignTab } from '../search.ts';
import { CloneCampaign, DeleteCampaign, RenameCampaign } from './dialogs.tsx';

/** The acts on the campaign: the next act as a button, the others in a menu; each asks once. */
const dialogs = {
  start: StartCampaign,
  retry: RetryPeople,
  clone: CloneCampaign,
  rename: RenameCampaign,
  delete: DeleteCampaign,
};
type ActName = keyof typeof dialogs | 'pause' | 'cancel';

export function CampaignActs({ campaign }: { campaign: Campaign }) {
  const [act, setAct] = useState<ActName | null>(null);
  const { id, state } = campaign;
  const main = state === 'paused' ? 'Resume' : state === 'draft' || isUndriven(campaign) ? 'Start' : null;
  const others = othersOf(campaign);
  const goTo = (tab: CampaignTab) => void navigate({ to: '/campaigns/$id', params: { id }, search: { tab } });
  usePageKeys({
    p: () => state === 'running' && setAct('pause'),
    r: () => main && setAct('start'),
    t: () => others.some(([name]) => name === 'retry') && setAct('retry'),
    e: () => goTo('order'),
    s: () => goTo('results'),
  });
  useAskedAct((asked) => setAct(asked as ActName));
  const asked = { campaign, onClose: () => setAct(null) };
  const Asked = act && act !== 'pause' && act !== 'cancel' && dialogs[act];
  return (
    <>
      {main && (
        <Button kind="main" onClick={() => setAct('start')}>
          {main}
          <kbd className="key-in-button max-md:hidden">R</kbd>
        </Button>
      )}
      {state === 'running' && (
        <Button onClick={() => setAct('pause')}>
          <Mark shape="pause" />
          <span data-words>Pause</span>
          <kbd className="key-in-button max-md:hidden">P</kbd>
        </Button>
      )}
      <ActsMenu acts={others} onChoose={(name) => setAct(name)}>
        <Icon name="more" />
        <span data-words>More</span>
      </ActsMenu>
      {Asked && <Asked {...asked} />}
      {(act === 'pause' || act === 'cancel') && <StopCampaign {...asked} act={act} />}
    </>
  );
}

/** Single calls have no order to copy, no name to change, and are not made again. */
function othersOf({ state, kind, balance }: Campaign): [ActName, string][] {
  const isList = kind === 'list';
  const acts: [ActName, string, boolean][] = [
    ['retry', 'Try people again', isList && state !== 'canceled' && balance.done > 0],
    ['clone', 'Clone', isList],
    ['rename', 'Rename', isList && state !== 'canceled'],
    ['cancel', 'Cancel for good', state !== 'canceled' && state !== 'done'],
    ['delete', 'Delete', true],
  ];
  return acts.filter(([, , isShown]) => isShown).map(([name, words]) => [name, words]);
}
