import type { Key } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Meter } from '../../kit/meter.tsx';
import { timeText } from '../../kit/time.tsx';
import { about, count, counted, percent } from '../../kit/words.ts';
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

/** The calls at once, and who else has or waits for a place. */
export function Calls({ of: key }: { of: Key }) {
  const { name, belief, planned, parked, call_limit: own } = key;
  const calling = useCallsOf()(key);
  const most = mostCalls({ call_limit: own, belief });
  const shared = belief?.account?.filter((each) => each !== name).join(', ');
  const rest = [
    ...(planned > 0 ? [`${count(planned)} planned`] : []),
    ...(parked > 0 ? [`${count(parked)} parked`] : []),
    ...(own?.kept ? [`${count(own.kept)} kept for incoming`] : []),
    ...(shared ? [`one account with ${shared}`] : []),
  ].join(', ');
  return (
    <>
      <b className="font-semibold">{count(calling)}</b>{' '}
      {most === null ? (calling === 1 ? 'call' : 'calls') : `of ${counted(most, 'call')}`}
      {rest && <span className="block text-xs whitespace-normal text-quiet">{rest}</span>}
    </>
  );
}

const use = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** The requests that left in the last minute, against what is believed of the limit; of a closed key, since and until when. */
export function Pace({ of: key }: { of: Key }) {
  const { state, present, rate, rate_from: from, since, probe_at: probe, belief, rests_ms: rests } = key;
  if (!present)
    return <p className="text-xs text-warn">no longer in VOICE_API_KEYS: its calls cannot be followed</p>;
  if (rate === null) return <p className="text-xs text-quiet">no pace known</p>;
  const sent = sentLastMinute(key) / 60;
  const limit = belief?.limit ?? null;
  const most = limit ?? rate;
  if (state !== 'open') {
    const asks = probe ? `; asked again at ${timeText(probe)}` : '';
    const words = `closed since ${timeText(since)}${asks}`;
    return <Meter label="Use of the limit" value={0} most={most} words={words} closed />;
  }
  const told =
    limit === null && from !== 'fixed'
      ? `${use.format(sent)} requests a second, no limit met yet`
      : `${use.format(sent)} of ${limit === null ? '' : 'about '}${about(most)} requests a second`;
  const trying = belief?.probing ? ', being tried' : '';
  const resting = rests > 0 ? `; rests ${about(rests / 1_000)} s` : '';
  return (
    <div title={whyMore(key)}>
      <Meter
        label="Use of the limit"
        value={Math.min(sent, most)}
        most={most}
        words={`${told}${trying}${resting}`}
      />
    </div>
  );
}

/** How the limit is known, and why more than it may leave. */
export function whyMore({ rate, belief }: Key): string {
  if (belief?.limit == null) return 'No limit of the service was met yet.';
  const known = `The limit was learned, ${percent(belief.sure)} sure.`;
  if (rate === null || rate <= belief.limit) return known;
  return `${known} Carillon tries a little more, to find a limit that has risen.`;
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
