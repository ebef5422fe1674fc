import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Campaign } from '../../../api/description.ts';
import { StartCampaign } from '../../../campaigns/start.tsx';
import { StopCampaign } from '../../../campaigns/stop.tsx';
import { Mark } from '../../../kit/badge.tsx';
import { Button } from '../../../kit/button.tsx';
import { Icon } from '../../../kit/icon.tsx';
import { usePageKeys } from '../../../kit/keys.ts';
import { ActsMenu } from '../../../kit/menu.tsx';
import { RetryPeople } from '../bulk/retry.tsx';
import type { CampaignTab } from '../search.ts';
import { CloneCampaign, DeleteCampaign, RefreshRecords, RenameCampaign } from './dialogs.tsx';

/** The acts on the campaign: the next act as a button, the others in a menu; each asks once. */
type ActName = 'start' | 'pause' | 'cancel' | 'retry' | 'refresh' | 'rename' | 'clone' | 'delete';

export function CampaignActs({ campaign }: { campaign: Campaign }) {
  const [act, setAct] = useState<ActName | null>(null);
  const close = () => setAct(null);
  const { state } = campaign;
  const main = mainActOf(campaign);
  const others = othersOf(campaign);
  const navigate = useNavigate();
  const goTo = (tab: CampaignTab) =>
    void navigate({ to: '/campaigns/$id', params: { id: campaign.id }, search: { tab } });
  usePageKeys({
    p: () => state === 'running' && setAct('pause'),
    r: () => main && setAct('start'),
    t: () => others.some(([name]) => name === 'retry') && setAct('retry'),
    e: () => goTo('order'),
    s: () => goTo('results'),
  });
  return (
    <>
      {main && (
        <Button kind="main" onClick={() => setAct(main[0])}>
          {main[1]}
          <KeyIn>R</KeyIn>
        </Button>
      )}
      {state === 'running' && (
        <Button onClick={() => setAct('pause')}>
          <Mark shape="pause" />
          <span data-words>Pause</span>
          <KeyIn>P</KeyIn>
        </Button>
      )}
      <ActsMenu acts={others} onChoose={(name) => setAct(name)}>
        <Icon name="more" />
        <span data-words>More</span>
      </ActsMenu>
      {act === 'start' && <StartCampaign campaign={campaign} onClose={close} />}
      {act === 'pause' && <StopCampaign campaign={campaign} act="pause" onClose={close} />}
      {act === 'cancel' && <StopCampaign campaign={campaign} act="cancel" onClose={close} />}
      {act === 'retry' && <RetryPeople campaign={campaign} onClose={close} />}
      {act === 'refresh' && <RefreshRecords campaign={campaign} onClose={close} />}
      {act === 'rename' && <RenameCampaign campaign={campaign} onClose={close} />}
      {act === 'clone' && <CloneCampaign campaign={campaign} onClose={close} />}
      {act === 'delete' && <DeleteCampaign campaign={campaign} onClose={close} />}
    </>
  );
}

function KeyIn({ children }: { children: string }) {
  return (
    <span className="key-in-button max-md:hidden" aria-hidden="true">
      {children}
    </span>
  );
}

function mainActOf({ state, driver, run_active: driven }: Campaign): [ActName, string] | null {
  if (state === 'draft') return ['start', 'Start'];
  if (state === 'paused') return ['start', 'Resume'];
  return state === 'running' && driver === 'run' && !driven ? ['start', 'Start'] : null;
}

/** Single calls have no order to copy, no name to change, and are not made again. */
function othersOf({ state, kind, balance }: Campaign): [ActName, string][] {
  const isList = kind === 'list';
  const acts: [ActName, string, boolean][] = [
    ['retry', 'Try people again', isList && state !== 'canceled' && balance.done > 0],
    ['refresh', 'Ask for missing results', balance.done > 0],
    ['clone', 'Clone', isList],
    ['rename', 'Rename', isList && state !== 'canceled'],
    ['cancel', 'Cancel for good', state !== 'canceled' && state !== 'done'],
    ['delete', 'Delete', true],
  ];
  return acts.filter(([, , isShown]) => isShown).map(([name, words]) => [name, words]);
}
