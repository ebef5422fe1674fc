import type { Key } from '../../api/ask.ts';
import { useLive } from '../../data/queries.ts';
import { Meter, PartBar } from '../../kit/bars.tsx';
import { Badge } from '../../kit/basics.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { Link, NameLink } from '../../kit/router.tsx';
import { about, classes, count, counted, sumOf, timeText } from '../../kit/words.ts';
import { mostCalls, useCallsOf, useNoWorker } from '../../shell/reads.ts';

const mostKeys = 8;

/** The keys, a line each: state, pace against what is believed of the limit, calls. Those that need a person come first. */
export function KeyLines() {
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] }).data?.items;
  const isIdle = useNoWorker();
  if (!keys) return null;
  const open = keys.filter(({ state, present }) => state === 'open' && present).length;
  return (
    <Section
      title="Keys"
      note={`${count(open)} of ${count(keys.length)} open${isIdle ? ', and none calls' : ''}`}
      acts={keys.length > mostKeys && <Link to="/keys">All keys</Link>}
    >
      {keys.length === 0 && <NoKeys />}
      <ul className="border-t border-line empty:hidden">
        {keys
          .toSorted((a, b) => closedFirst(a, b) || b.calling - a.calling)
          .slice(0, mostKeys)
          .map((key) => (
            <li
              key={key.name}
              className="grid min-h-[46px] grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 border-b border-line py-2 text-sm sm:grid-cols-[5rem_6.25rem_minmax(0,1fr)_6.5rem]"
            >
              <KeyLink of={key} />
              <Badge state={key.state} />
              <div className="min-w-0 max-sm:col-span-2">
                <Pace of={key} />
              </div>
              <p className="text-right max-sm:col-span-2 max-sm:text-left">
                <Calls of={key} />
                {key.parked > 0 && (
                  <span className="block text-xs text-quiet">{count(key.parked)} parked</span>
                )}
              </p>
            </li>
          ))}
      </ul>
    </Section>
  );
}

export const KeyLink = ({ of: { name } }: { of: Key }) => (
  <NameLink of="keys" name={name} className="truncate font-medium hover:underline" />
);

/** Its calls at once, which are seen one by one elsewhere. */
export function Calls({ of: key }: { of: Key }) {
  const calling = useCallsOf()(key);
  // A closed one has no place, whatever its limit.
  const most = key.state === 'open' ? mostCalls(key) : null;
  return (
    <Link to={`/live?key=${encodeURIComponent(key.name)}`} className="hover:underline">
      <b className="font-semibold">{count(calling)}</b>{' '}
      {most === null ? (calling === 1 ? 'call' : 'calls') : `of ${counted(most, 'call')}`}
    </Link>
  );
}

/** The requests a second of the last minute, against what is believed of the limit; of a closed key, since when. In a column with that head it has a `scale`. */
export function Pace({ of: key, scale }: { of: Key; scale?: number }) {
  const { state, present, since, belief } = key;
  if (!present)
    return <p className="text-xs text-warn">not in VOICE_API_KEYS: its calls cannot be followed</p>;
  const limit = limitOf(key);
  const isClosed = state !== 'open';
  const sent = isClosed ? 0 : paceOf(key);
  const more = limit === null ? ', no limit yet' : belief?.probing ? ', being tried' : '';
  const words = isClosed
    ? `closed since ${timeText(since)}`
    : `${paceText(sent)}${limit === null ? '' : ` of about ${paceText(limit)}`}${scale === undefined ? ' requests a second' : ''}${more}`;
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

/** More places would say nothing of what is learned. */
export const paceText = (n: number) => about(n < 10 ? +n.toPrecision(2) : Math.round(n));

/** An order of keys: those that need a person come first. */
export const closedFirst = (a: Key, b: Key) => Number(a.state === 'open') - Number(b.state === 'open');

export const NoKeys = () => (
  <Empty title="No key is known yet">
    VOICE_API_KEYS names the keys of the voice service, such as <code>main=sk_...</code>. Carillon learns the
    limit of each by itself.
  </Empty>
);
