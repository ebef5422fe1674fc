import type { Key } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Meter } from '../../kit/meter.tsx';
import { timeText } from '../../kit/time.tsx';
import { about, count, counted } from '../../kit/words.ts';
import { mostCalls, useCallsOf } from '../../shell/live-calls.ts';
import { PageLink } from '../../shell/page-link.tsx';

/** One key in a line: its state, its pace against what is believed of its limit, its calls. */
export function KeyLine({ of: key }: { of: Key }) {
  return (
    <li className="grid min-h-[46px] grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 border-b border-line py-2 text-sm sm:grid-cols-[5.75rem_6.5rem_minmax(0,1fr)_7.5rem]">
      <KeyLink of={key} />
      <Badge state={key.state} />
      <div className="min-w-0 max-sm:col-span-2">
        <Pace of={key} />
      </div>
      <p className="text-right max-sm:col-span-2 max-sm:text-left">
        <Calls of={key} />
      </p>
    </li>
  );
}

export function KeyLink({ of: { name } }: { of: Key }) {
  return (
    <PageLink to={`/keys/${encodeURIComponent(name)}`} className="truncate font-medium hover:underline">
      {name}
    </PageLink>
  );
}

export function Calls({ of: key }: { of: Key }) {
  const calling = useCallsOf()(key);
  const most = mostCalls(key);
  return (
    <>
      <b className="font-semibold">{count(calling)}</b>{' '}
      {most === null ? (calling === 1 ? 'call' : 'calls') : `of ${counted(most, 'call')}`}
      {key.parked > 0 && <span className="block text-xs text-quiet">{count(key.parked)} parked</span>}
    </>
  );
}

/** The requests that left in the last minute, against what is believed of the limit; of a closed key, since and until when. */
export function Pace({ of: key }: { of: Key }) {
  const { state, present, rate, rate_from: from, since, probe_at: probe, belief } = key;
  if (!present)
    return <p className="text-xs text-warn">no longer in VOICE_API_KEYS: its calls cannot be followed</p>;
  if (rate === null) return <p className="text-xs text-quiet">no pace known</p>;
  const limit = from === 'fixed' ? rate : (belief?.limit ?? null);
  const most = limit ?? rate;
  const isClosed = state !== 'open';
  const sent = isClosed ? 0 : sentLastMinute(key) / 60;
  const told =
    limit === null
      ? 'a second, no limit met yet'
      : `of ${from === 'fixed' ? '' : 'about '}${about(most)} a second`;
  const words = isClosed
    ? `closed since ${timeText(since)}${probe ? `; asked again at ${timeText(probe)}` : ''}`
    : `${about(sent)} ${told}${belief?.probing ? ', being tried' : ''}`;
  return (
    <Meter
      label="Use of the limit"
      value={Math.min(sent, most)}
      most={most}
      words={words}
      closed={isClosed}
    />
  );
}

/** An order of keys: those that need a person come first. */
export const closedFirst = (a: Key, b: Key) => Number(a.state === 'open') - Number(b.state === 'open');

export const sentLastMinute = ({ last_minute: { requests } }: Key) => sumOf(requests);
export const refusedLastMinute = ({ last_minute: { refused } }: Key) => sumOf(refused);

function sumOf(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

export function NoKeys() {
  return (
    <Empty title="No key is known yet">
      VOICE_API_KEYS names the keys of the voice service, such as <code>main=sk_...</code>. Carillon learns
      the limit of each by itself.
    </Empty>
  );
}
