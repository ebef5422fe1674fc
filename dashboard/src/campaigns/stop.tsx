import { useState } from 'react';
import type { Campaign, StoppedCampaign } from '../api/description.ts';
import { useAct } from '../data/queries.ts';
import { Confirm } from '../kit/dialog.tsx';
import { CheckField } from '../kit/field.tsx';
import { count, counted } from '../kit/words.ts';

/** Pauses, or cancels for good; calls in progress are followed to their end, or hung up. */
type StopProps = {
  campaign: Pick<Campaign, 'id' | 'name' | 'balance'>;
  act: 'pause' | 'cancel';
  onClose(): void;
};

export function StopCampaign({ campaign, act, onClose }: StopProps) {
  const { id, name, balance } = campaign;
  const [hangUp, setHangUp] = useState(false);
  const options = { done: doneText, onDone: onClose, quiet: true } as const;
  const pause = useAct('POST /api/campaigns/{id}/pause', options);
  const cancel = useAct('POST /api/campaigns/{id}/cancel', options);
  const { run, isPending, error } = act === 'pause' ? pause : cancel;
  const left = balance.waiting + balance.queued + balance.parked;
  const people = counted(left, 'person', 'people');
  return (
    <Confirm
      open
      onClose={onClose}
      title={act === 'pause' ? `Pause ${name}?` : `Cancel ${name} for good?`}
      act={act === 'pause' ? 'Pause' : `Cancel: skip ${people}`}
      danger={act === 'cancel'}
      onAct={() => run({ params: { id }, query: hangUp ? { hang_up: '1' } : {} })}
      busy={isPending}
      problem={error}
    >
      <p>
        {act === 'pause'
          ? `No call begins any more. ${people} ${left === 1 ? 'waits' : 'wait'} until it is resumed.`
          : `${people} who ${left === 1 ? 'was' : 'were'} not called ${left === 1 ? 'is' : 'are'} skipped. This cannot be undone.`}
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
  const rest =
    ended.waiting > 0 ? `, ${count(ended.waiting)} are hung up as soon as the service answers` : '';
  const refused = ended.refused > 0 ? `, ${count(ended.refused)} were refused by the service` : '';
  return `${name} is ${state}. ${count(ended.hung_up)} of ${counted(ended.calls, 'call')} were hung up${rest}${refused}.`;
}
