import { useState } from 'react';
import { ask } from '../../api/ask.ts';
import type { Unknown } from '../../api/description.ts';
import { createSoon } from '../../data/soon.ts';
import { Mark } from '../../kit/badge.tsx';
import { Button } from '../../kit/button.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { timeText, useNow } from '../../kit/time.tsx';
import { useService } from '../../shell/service.tsx';
import { doubtOf, type Finding, SettleDialog } from './settle.tsx';

/** Attempts that a person said were called: they leave the list at once. */
const settling = createSoon<true>();
export const useSettling = settling.use;

/** `callId` is the call that was found at the service, whose record then settles it. */
function settleAsCalled({ attempt, name, phone }: Unknown, callId: string | null): void {
  settling.tell(attempt, true, `${name ?? phone ?? 'This person'} is settled as called.`, async () => {
    const body = { as: 'called' as const, ...(callId === null ? {} : { call_id: callId }) };
    const told = await ask('POST /api/unknown/{attempt}/resolve', { params: { attempt }, body });
    return `Settled: the person is ${told.recipient_state}.`;
  });
}

/** Was the person called? Two equal buttons that never move: the safe one takes one key, the other asks once more. */
type VerdictProps = { unknown: Unknown; foundCall: string | null };

export function Verdict({ unknown, foundCall }: VerdictProps) {
  const [asking, setAsking] = useState<Finding | 'any' | null>(null);
  const now = useNow();
  const proves = useService().data?.absence_proves;
  const who = unknown.name?.split(' ')[0] ?? 'this person';
  const from = unknown.not_called_from;
  const mayFree = from !== null && Date.parse(from) <= now;
  // What is known proposes the answer; where nothing is, the look-up comes first.
  const isMade = from === null || foundCall !== null;
  const isNone = !isMade && mayFree && proves && unknown.asked?.calls.length === 0;
  const called = () => settleAsCalled(unknown, unknown.call_id === null ? foundCall : null);
  const notCalled = () => mayFree && setAsking('not-called');
  usePageKeys({ c: called, n: notCalled });
  return (
    <div className="mt-3 rounded-lg bg-odd-soft px-4 py-3">
      <p className="flex flex-wrap items-center gap-x-2 text-lg font-semibold">
        <span className="text-odd">
          <Mark shape="query" size={16} />
        </span>
        Was {who} called?
        <Button small kind="quiet" className="ml-auto" onClick={() => setAsking('any')}>
          Settle with a note
        </Button>
      </p>
      <p className="text-sm">
        {from === null
          ? 'The service took this call, so it was made: yes.'
          : isMade
            ? 'The service knows a call that may be this one: look at it, and if it is, yes.'
            : isNone
              ? 'The service’s list has every call, and this one is not in it: no.'
              : `Nothing here shows a call. If the service’s page shows one, yes. If it shows none${mayFree ? '' : ` at ${timeText(from)} or later`}, no.`}
      </p>
      <div className="mt-2.5 grid gap-x-3 gap-y-2 sm:grid-cols-2">
        <div>
          <Button
            kind={isMade ? 'main' : 'plain'}
            onClick={called}
            className="w-full justify-between! min-h-10"
          >
            Yes, the call was made
            <kbd className="key-in-button max-md:hidden">C</kbd>
          </Button>
          <p className="mt-1 text-xs text-quiet">
            {foundCall
              ? `Its record at the service settles it: ${foundCall}.`
              : 'Done, and not called again by this campaign.'}{' '}
            Five seconds to undo.
          </p>
        </div>
        <div>
          <Button
            kind={isNone ? 'main' : 'plain'}
            onClick={notCalled}
            disabled={!mayFree}
            className="w-full justify-between! min-h-10"
          >
            No, nobody was called
            <kbd className="key-in-button max-md:hidden">N</kbd>
          </Button>
          <p className="mt-1 text-xs text-quiet">
            {mayFree
              ? 'This person is called again. You are asked once more before.'
              : from === null
                ? 'The service took this call.'
                : `From ${timeText(from)}: until then the request may still arrive.`}
          </p>
        </div>
      </div>
      {asking && (
        <SettleDialog
          of={{ attempts: [doubtOf(unknown)] }}
          {...(asking === 'any' ? {} : { finding: asking })}
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  );
}
