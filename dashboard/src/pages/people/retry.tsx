import { useEffect, useState } from 'react';
import type { BulkAct, FoundPerson } from '../../api/description.ts';
import { refreshEverything, useAct, useAsk } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { showToast } from '../../kit/toast.tsx';

/** Tries one person again who is done, or calls one sooner who waits for a retry: an act on the one row, whose result is told when the workers did it. */
export function Retry({ row }: { row: FoundPerson }) {
  const isLater = row.state === 'waiting' && row.reason === 'retry';
  const [open, setOpen] = useState(false);
  const [begun, setBegun] = useState<{ id: string; told: string } | null>(null);
  const close = () => setOpen(false);
  const retry = useAct('POST /api/bulk', {
    onDone: (answer) => {
      if ('id' in answer) setBegun({ id: answer.id, told: isLater ? sooner : again });
      close();
    },
  });
  // Asked for until it has ended; an event tells it sooner.
  const { data } = useAsk(
    'GET /api/bulk/{id}',
    { params: { id: begun?.id ?? '' } },
    { on: ['bulk.'], everyMs: 2_000, enabled: begun !== null },
  );
  useEffect(() => {
    if (begun === null || data?.id !== begun.id || data.state === 'running') return;
    tell(data, begun.told);
    setBegun(null);
    refreshEverything();
  }, [begun, data]);
  // The row may move before the act’s end is told.
  if (row.state !== 'done' && !isLater && begun === null) return null;
  return (
    <>
      <Button busy={begun !== null} onClick={() => setOpen(true)}>
        {isLater ? 'Call now' : 'Try again'}
      </Button>
      <Confirm
        open={open}
        onClose={close}
        title={isLater ? 'Call this person now?' : 'Call this person again?'}
        act={isLater ? 'Call 1 person now' : 'Try 1 person again'}
        busy={retry.isPending}
        onAct={() =>
          retry.run({ body: { act: 'retry', filter: { recipient: [row.id] }, now: isLater, confirm: 1 } })
        }
      >
        {isLater
          ? `The next attempt on ${row.campaign} is made now instead of at its time,`
          : `1 person waits again on ${row.campaign}, with one more attempt, and is called`}{' '}
        when the campaign runs and every rule allows it.
      </Confirm>
    </>
  );
}

const again = 'The person waits again, with one more attempt.';
const sooner = 'The next attempt is due now.';

const why: Record<string, string> = {
  suppressed: 'the person must not be called',
  removed: 'the person was taken off the list',
  canceled: 'the campaign is canceled',
  no_outcome: 'it is not known how the call ended',
  single_call: 'it is a single call',
  elsewhere: 'the campaign belongs to another service',
  changed: 'the row has changed since',
  held: 'a contact rule holds the next attempt',
  waiting: 'the call is due already',
};

function tell({ done, passed, state, reason }: BulkAct, told: string): void {
  if (done > 0) {
    showToast({ kind: 'done', text: told });
    return;
  }
  const [word] = Object.keys(passed);
  const cause = word === undefined ? (reason ?? state) : (why[word] ?? word);
  showToast({ kind: 'failed', text: `The person is not tried again: ${cause}.` });
}
