import { useRef } from 'react';
import { ConfirmAct } from '../../shell/opens.tsx';
import { useLiveCalls } from '../../shell/reads.ts';

/** Hangs up a call, or withdraws one that stands in the queue, by its row or its attempt; asks once, while it lasts. */
type EndCallProps = { id: string; who?: string | null; isQueued?: boolean; onClose(): void };

export function EndCall({ id, who, isQueued = false, onClose }: EndCallProps) {
  const act = isQueued ? 'Withdraw' : 'Hang up';
  const live = useLiveCalls({}, 2_000, !isQueued).data?.items;
  const isOn = live?.some(({ attempt, recipient }) => attempt === id || recipient === id) ?? false;
  const wasOn = useRef(false);
  wasOn.current ||= isOn;
  return (
    <ConfirmAct
      onClose={onClose}
      title={`${act} ${who ?? 'this call'}?`}
      act={`${act} 1 call`}
      danger
      over={wasOn.current && !isOn && `The call${who ? ` with ${who}` : ''} has ended.`}
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
