import { useState } from 'react';
import type { Campaign, StoppedCampaign } from '../api/description.ts';
import { useDialogAct } from '../data/queries.ts';
import { Confirm } from '../kit/dialog.tsx';
import { CheckField } from '../kit/field.tsx';
import { count, counted } from '../kit/words.ts';
import { leftOf } from './pace.ts';

/** Pauses, or cancels for good; calls in progress are followed to their end, or hung up. */
type StopProps = {
  campaign: Pick<Campaign, 'id' | 'name' | 'balance'>;
  act: 'pause' | 'cancel';
  onClose(): void;
};

export function StopCampaign({ campaign: { id, name, balance }, act, onClose }: StopProps) {
  const [hangUp, setHangUp] = useState(false);
  const isPause = act === 'pause';
  const stop = useDialogAct(`POST /api/campaigns/{id}/${act}`, onClose, doneText);
  const left = leftOf(balance);
  const people = counted(left, 'person', 'people');
  return (
    <Confirm
      onClose={onClose}
      title={isPause ? `Pause ${name}?` : `Cancel ${name} for good?`}
      act={isPause ? 'Pause' : `Cancel: skip ${people}`}
      danger={!isPause}
      onAct={() => stop.run({ params: { id }, query: hangUp ? { hang_up: '1' } : {} })}
      of={stop}
    >
      <p>
        {isPause
          ? `No call begins any more. ${people} ${left === 1 ? 'waits' : 'wait'} until it is resumed.`
          : `${people} who ${left === 1 ? 'waits is' : 'wait are'} skipped. This cannot be undone.`}
      </p>
      {balance.calling > 0 && (
        <div className="mt-3">
          <CheckField
            label={`Hang up the ${counted(balance.calling, 'call')} in progress too`}
            help="Otherwise they are followed to their end. People are cut off in the middle of a sentence."
            checked={hangUp}
            onChange={(event) => setHangUp(event.currentTarget.checked)}
          />
        </div>
      )}
    </Confirm>
  );
}

function doneText({ name, state, hang_ups: ended }: StoppedCampaign): string {
  if (!ended) return `${name} is ${state}.`;
  const others = [
    ended.waiting > 0 && `, ${count(ended.waiting)} are hung up as soon as the service answers`,
    ended.refused > 0 && `, ${count(ended.refused)} were refused by the service`,
  ];
  return `${name} is ${state}. ${count(ended.hung_up)} of ${counted(ended.calls, 'call')} were hung up${others.filter(Boolean).join('')}.`;
}
