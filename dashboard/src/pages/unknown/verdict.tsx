import { useState } from 'react';
import type { Unknown } from '../../api/description.ts';
import { Button } from '../../kit/button.tsx';
import { usePageKeys } from '../../kit/keys.ts';
import { Phone } from '../../kit/phone.tsx';
import { SideFoot } from '../../kit/side-panel.tsx';
import { Time, timeText, useNow } from '../../kit/time.tsx';
import { doubtOf } from './doubt.ts';
import type { Finding } from './findings.tsx';
import { SettleDialog } from './settle.tsx';
import { settleAsCalled } from './settling.ts';

/** Was the person called? Two equal buttons that never move: the safe one takes one key, the other asks once more. */
type VerdictProps = { unknown: Unknown; foundCall: string | null };

export function Verdict({ unknown, foundCall }: VerdictProps) {
  const [asking, setAsking] = useState<Finding | 'any' | null>(null);
  const now = useNow();
  const who = unknown.name?.split(' ')[0] ?? 'this person';
  const from = unknown.not_called_from;
  const mayFree = from !== null && Date.parse(from) <= now;
  const called = () => settleAsCalled(unknown, unknown.call_id === null ? foundCall : null);
  const notCalled = () => mayFree && setAsking('not-called');
  usePageKeys({ c: called, n: notCalled });
  return (
    <SideFoot>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <p className="text-lg font-semibold">Was {who} called?</p>
        <Button small kind="quiet" onClick={() => setAsking('any')}>
          Settle with a note of how you know
        </Button>
      </div>
      <p className="text-sm">
        <Leaning unknown={unknown} foundCall={foundCall} mayFree={mayFree} />
      </p>
      <div className="mt-2 grid gap-x-3 gap-y-2 sm:grid-cols-2">
        <div>
          <Button onClick={called} className="w-full justify-between! min-h-10">
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
          <Button onClick={notCalled} disabled={!mayFree} className="w-full justify-between! min-h-10">
            No, nobody was called
            <kbd className="key-in-button max-md:hidden">N</kbd>
          </Button>
          <p className="mt-1 text-xs text-quiet">
            {mayFree
              ? 'This person is called again. You are asked once more before.'
              : from === null
                ? 'The service took this call.'
                : `Possible from ${timeText(from)}: the request may still arrive until then.`}
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
    </SideFoot>
  );
}

/** What decides it, as far as that can be truly said. */
function Leaning({ unknown, foundCall, mayFree }: VerdictProps & { mayFree: boolean }) {
  const { not_called_from: from, phone, dialing_at: at } = unknown;
  if (from === null) return 'The service took this call, so it was made: yes.';
  if (foundCall) return 'The service knows a call that may be this one: look at it, and if it is, yes.';
  return (
    <>
      Nothing here shows a call. Look at the service’s own page for one to{' '}
      {phone ? <Phone phone={phone} /> : 'this phone'} at <Time at={at} />. If it shows one, say yes. If it
      shows none{mayFree ? '' : ` at ${timeText(from)} or later`}, say no.
    </>
  );
}
