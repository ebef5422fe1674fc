import type { ReactNode } from 'react';
import type { Campaign } from '../api/description.ts';
import { useDialogAct } from '../data/queries.ts';
import { Confirm } from '../kit/dialog.tsx';
import { counted } from '../kit/words.ts';
import { waitingOf } from './pace.ts';

type StartProps = {
  campaign: Pick<Campaign, 'id' | 'name' | 'state' | 'balance'>;
  onClose(): void;
  children?: ReactNode;
};

export function StartCampaign({ campaign, onClose, children }: StartProps) {
  const { id, name, state, balance } = campaign;
  const people = counted(waitingOf(balance), 'person', 'people');
  const verb = state === 'paused' ? 'Resume' : 'Start';
  const start = useDialogAct('POST /api/campaigns/{id}/start', onClose, (now) => `${name} is ${now.state}.`);
  return (
    <Confirm
      onClose={onClose}
      title={`${verb} ${name}?`}
      act={`${verb}: call ${people}`}
      onAct={() => start.run({ params: { id } })}
      of={start}
    >
      <p>
        {people} will be called, as its settings and the contact rules allow
        {balance.calling > 0 && `; ${counted(balance.calling, 'call is', 'calls are')} in progress already`}.
      </p>
      {children}
    </Confirm>
  );
}
