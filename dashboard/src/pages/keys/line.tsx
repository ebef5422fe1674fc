import type { Key } from '../../api/ask.ts';
import { Meter, PartBar } from '../../kit/bars.tsx';
import { Badge, stateText } from '../../kit/basics.tsx';
import { Empty } from '../../kit/page.tsx';
import { NameLink } from '../../kit/router.tsx';
import { about, classes, count, counted, sumOf, timeText } from '../../kit/words.ts';
import { mostCalls, useCallsOf } from '../../shell/reads.ts';

/** One key in a line: its state, its pace against what is believed of its limit, its calls. */
export const KeyLine = ({ of: key }: { of: Key }) => (
  <li className="grid min-h-[46px] grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 border-b border-line py-2 text-sm sm:grid-cols-[5rem_6.25rem_minmax(0,1fr)_6.5rem]">
    <KeyLink of={key} />
    <Badge state={key.state} />
    <div className="min-w-0 max-sm:col-span-2">
      <Pace of={key} />
    </div>
    <p className="text-right max-sm:col-span-2 max-sm:text-left">
      <Calls of={key} />
      {key.parked > 0 && <span className="block text-xs text-quiet">{count(key.parked)} parked</span>}
    </p>
  </li>
);

export const KeyLink = ({ of: { name } }: { of: Key }) => (
  <NameLink of="keys" name={name} className="truncate font-medium hover:underline" />
);

export function Calls({ of: key }: { of: Key }) {
  const calling = useCallsOf()(key);
  // A closed one has no place, whatever its limit.
  const most = key.state === 'open' ? mostCalls(key) : null;
  return (
    <>
      <b className="font-semibold">{count(calling)}</b>{' '}
      {most === null ? (calling === 1 ? 'call' : 'calls') : `of ${counted(most, 'call')}`}
    </>
  );
}

/** The requests a second of the last minute, against what is believed of the limit; of a closed key, since and until when, unless that stands beside it. */
export function Pace({ of: key, isBrief, scale }: { of: Key; isBrief?: boolean; scale?: number }) {
  const { state, present, since, belief } = key;
  if (!present)
    return <p className="text-xs text-warn">not in VOICE_API_KEYS: its calls cannot be followed</p>;
  const limit = limitOf(key);
  const isClosed = state !== 'open';
  const sent = isClosed ? 0 : paceOf(key);
  const share = `${paceText(sent)}${limit !== null ? ` of about ${paceText(limit)}` : ''}`;
  const words = isBrief
    ? isClosed
      ? 'closed'
      : `${share} a second${limit === null ? ', no limit yet' : ''}`
    : isClosed
      ? `${stateText(state)} since ${timeText(since)}`
      : `${share} requests a second${belief?.probing ? ', being tried' : ''}`;
  // Without a limit there is nothing of which it is a part, but for the limit of another key in the same list.
  if (limit === null && !isClosed)
    return (
      <>
        {scale !== undefined && <PartBar part={scale > 0 ? sent / scale : 0} />}
        <p className={classes(scale !== undefined && 'mt-1.5', 'text-xs text-quiet')}>{words}</p>
      </>
    );
  const most = limit ?? 1;
  return (
    <Meter label="Limit used" value={Math.min(sent, most)} most={most} words={words} closed={isClosed} />
  );
}

/** Requests a second: the limit that was set or learned, and what was sent in the last minute. */
export const limitOf = ({ belief, rate, rate_from: from }: Key) =>
  from === 'fixed' ? rate : (belief?.limit ?? null);
export const paceOf = ({ last_minute: { requests } }: Key) => sumOf(Object.values(requests)) / 60;

/** Requests a second: more places would say nothing. */
export const paceText = (n: number) => about(+n.toFixed(2));

/** An order of keys: those that need a person come first. */
export const closedFirst = (a: Key, b: Key) => Number(a.state === 'open') - Number(b.state === 'open');

export const NoKeys = () => (
  <Empty title="No key is known yet">
    VOICE_API_KEYS names the keys of the voice service, such as <code>main=sk_...</code>. Carillon learns the
    limit of each by itself.
  </Empty>
);
