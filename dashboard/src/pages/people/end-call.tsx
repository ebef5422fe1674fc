import { useAct } from '../../data/queries.ts';
import { Confirm } from '../../kit/dialog.tsx';

/** Hangs up a call, or withdraws one that stands in the queue, by its row or its attempt; asks once. */
type EndCallProps = { id: string; who?: string | null; isQueued?: boolean; onClose(): void };

export function EndCall({ id, who, isQueued = false, onClose }: EndCallProps) {
  const act = isQueued ? 'Withdraw' : 'Hang up';
  const cancel = useAct('POST /api/calls/{id}/cancel', {
    done: () => (isQueued ? 'The call is withdrawn: nobody was called.' : 'The call is hung up.'),
    onDone: onClose,
  });
  return (
    <Confirm
      onClose={onClose}
      title={`${act} ${who ?? 'this call'}?`}
      act={`${act} 1 call`}
      danger
      of={{ isPending: cancel.isPending }}
      onAct={() => cancel.run({ params: { id } })}
    >
      {isQueued
        ? '1 person stands in the queue and is taken off the list: this row is not called.'
        : '1 person is in this call and is cut off, before any other request of its key.'}
    </Confirm>
  );
}
