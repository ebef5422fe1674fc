import { type ReactNode, useState } from 'react';
import type { Campaign, StoppedCampaign } from '../api/ask.ts';
import { useAsk } from '../data/queries.ts';
import { CheckField } from '../kit/form.tsx';
import { nextCallText } from '../kit/their-time.tsx';
import { count, counted } from '../kit/words.ts';
import { ConfirmAct } from '../shell/opens.tsx';
import { hasEnded, leftOf, stillWords, waitingOf } from './state.tsx';

type StartProps = {
  campaign: Pick<Campaign, 'id' | 'name' | 'state' | 'driver' | 'balance'>;
  onClose(): void;
  children?: ReactNode;
};

export function StartCampaign({ campaign, onClose, children }: StartProps) {
  const { id, name, state, balance } = campaign;
  const people = counted(waitingOf(balance), 'person', 'people');
  const verb = state === 'paused' ? 'Resume' : 'Start';
  const forecast = useAsk('GET /api/campaigns/{id}/forecast', { id }).data;
  const next = nextCallText(forecast, balance.attempts);
  return (
    <ConfirmAct
      onClose={onClose}
      title={`${verb} ${name}?`}
      act={`${verb}: call ${people}`}
      over={state === 'running' && campaign.driver !== 'run' && `${name} runs already.`}
      name="POST /api/campaigns/{id}/start"
      asked={{ id }}
      done={(now) => {
        const still = stillWords(now);
        return `${name} ${next ? `waits: ${next}` : still ? `calls nobody: ${still}` : `is ${now.state}`}.`;
      }}
    >
      <p>
        {people} will be called, as its settings and the contact rules allow
        {balance.calling > 0 && `; ${counted(balance.calling, 'call is', 'calls are')} in progress already`}.
        {next && ` It waits: ${next}.`}
      </p>
      {children}
    </ConfirmAct>
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
  const left = leftOf(balance);
  const people = counted(left, 'person', 'people');
  return (
    <ConfirmAct
      onClose={onClose}
      title={isPause ? `Pause ${name}?` : `Cancel ${name} for good?`}
      act={isPause ? 'Pause' : `Cancel: skip ${people}`}
      danger={!isPause}
      over={(isPause ? state !== 'running' : hasEnded({ state })) && `${name} is ${state} already.`}
      name={`POST /api/campaigns/{id}/${act}`}
      asked={{ id, ...(hangUp ? { hang_up: '1' } : {}) }}
      done={doneText}
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
            help="People are cut off in the middle of a sentence. Without it, these calls are followed to their end."
            checked={hangUp}
            onChange={(event) => setHangUp(event.currentTarget.checked)}
          />
        </div>
      )}
    </ConfirmAct>
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

/** Hangs up a call, or withdraws one that stands in the queue, by its row or its attempt; asks once, while it lasts. */
type EndCallProps = { id: string; who?: string | null; isOn?: boolean; isQueued?: boolean; onClose(): void };

export function EndCall({ id, who, isOn = false, isQueued = false, onClose }: EndCallProps) {
  const act = isQueued ? 'Withdraw' : 'Hang up';
  return (
    <ConfirmAct
      onClose={onClose}
      title={`${act} ${who ?? 'this call'}?`}
      act={`${act} 1 call`}
      danger
      over={!isOn && !isQueued && `The call${who ? ` with ${who}` : ''} has ended.`}
      name="POST /api/calls/{id}/cancel"
      asked={{ id }}
      done={() => (isQueued ? 'The call is withdrawn: nobody was called.' : 'The call is hung up.')}
    >
      {isQueued
        ? '1 person stands in the queue and is taken off the list: this row is not called.'
        : '1 person is in this call and is cut off, before any other request of its key.'}
    </ConfirmAct>
  );
}
