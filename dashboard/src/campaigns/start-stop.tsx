import { type ReactNode, useState } from 'react';
import type { Campaign, StoppedCampaign } from '../api/description.ts';
import { useAsk, useDialogAct } from '../data/queries.ts';
import { Confirm } from '../kit/dialog.tsx';
import { CheckField } from '../kit/field.tsx';
import { nextCallText } from '../kit/their-time.tsx';
import { count, counted } from '../kit/words.ts';
import { leftOf, stillWords, waitingOf } from './pace.ts';
import { hasEnded } from './state.tsx';

type StartProps = {
  campaign: Pick<Campaign, 'id' | 'name' | 'state' | 'driver' | 'balance'>;
  onClose(): void;
  children?: ReactNode;
};

export function StartCampaign({ campaign, onClose, children }: StartProps) {
  const { id, name, state, balance } = campaign;
  const people = counted(waitingOf(balance), 'person', 'people');
  const verb = state === 'paused' ? 'Resume' : 'Start';
  const forecast = useAsk('GET /api/campaigns/{id}/forecast', { params: { id } }).data;
  const next = nextCallText(forecast, balance.attempts);
  const start = useDialogAct('POST /api/campaigns/{id}/start', onClose, (now) => {
    const still = stillWords(now);
    return `${name} ${next ? `waits: ${next}` : still ? `calls nobody: ${still}` : `is ${now.state}`}.`;
  });
  return (
    <Confirm
      onClose={onClose}
      title={`${verb} ${name}?`}
      act={`${verb}: call ${people}`}
      over={state === 'running' && campaign.driver !== 'run' && `${name} runs already.`}
      onAct={() => start.run({ params: { id } })}
      of={start}
    >
      <p>
        {people} will be called, as its settings and the contact rules allow
        {balance.calling > 0 && `; ${counted(balance.calling, 'call is', 'calls are')} in progress already`}.
        {next && ` It waits: ${next}.`}
      </p>
      {children}
    </Confirm>
  );
}

/** Pauses, or cancels for good; calls in progress are followed to their end, or hung up. */
type StopProps = {
  campaign: Pick<Campaign, 'id' | 'name' | 'state' | 'balance'>;
  act: 'pause' | 'cancel';
  onClose(): void;
};

export function StopCampaign({ campaign: { id, name, state, balance }, act, onClose }: StopProps) {
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
      over={(isPause ? state !== 'running' : hasEnded({ state })) && `${name} is ${state} already.`}
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
