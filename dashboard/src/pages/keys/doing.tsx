import type { Key } from '../../api/description.ts';
import type { Level } from '../../kit/glance.tsx';
import { durationText } from '../../kit/time.tsx';
import { about, classes, count, percent } from '../../kit/words.ts';
import { mostCalls } from '../../shell/live-calls.ts';
import { AskKey, LiveCalls } from './acts.tsx';
import { keyColumns, refusedLastMinute, sentLastMinute } from './line.tsx';

/** The parts of a key's line on the page of keys: what it does now, what holds it back, and its last hour. */
export function KeyHeads() {
  return (
    <div
      aria-hidden="true"
      className={classes(
        'grid gap-x-4 border-b border-line pb-2 text-xs text-quiet max-lg:hidden',
        keyColumns.wide,
      )}
    >
      <span>Key</span>
      <span>State</span>
      <span>Requests against the limit, last minute</span>
      <span className="text-right">Calls at once</span>
      <span>Now</span>
      <span>Open in the last hour</span>
      <span className="text-right">Acts</span>
    </div>
  );
}

export function KeyNow({ of: key }: { of: Key }) {
  const refused = refusedLastMinute(key);
  return (
    <>
      <p className="max-lg:col-span-full">
        {doingOf(key)} {creditOf(key)}
        {refused > 0 && ` ${count(refused)} refused in the last minute.`}
      </p>
      <Hour closed={key.closed_s} />
      <p className="flex flex-wrap gap-1.5 max-lg:col-span-full lg:justify-end">
        <LiveCalls of={key} />
        {key.state === 'open' && <AskKey of={key} />}
      </p>
    </>
  );
}

/** How much of the last hour the key was open. */
function Hour({ closed }: { closed: number }) {
  const open = Math.max(0, 1 - closed / 3_600);
  return (
    <p className={classes('max-lg:col-span-full', closed === 0 ? 'text-quiet' : 'font-medium text-warn')}>
      {percent(open)}
      <span className="lg:hidden"> open in the last hour</span>
    </p>
  );
}

/** How far the credit reaches, where it is known and calls are paid from it. */
export function creditOf({ credit }: Key): string {
  if (credit?.minutes == null) return '';
  if (credit.minutes === 0)
    return 'Its credit may end any time: its calls have cost as much as was added last.';
  return `Credit for about ${durationText(credit.minutes * 60_000)}, if as much was added as the time before.`;
}

const shortMinutes = 60;

/** Whether the credit may end within the hour. */
export const isCreditShort = ({ credit }: Key) => credit?.minutes != null && credit.minutes < shortMinutes;

export function doingOf(key: Key): string {
  const { state, present, planned, calling, rests_ms: rests, belief, rate } = key;
  if (!present) return 'Follows nothing: this process does not have it.';
  if (state === 'denied') return 'The service refuses it, until a person opens it again.';
  // What it means and when it is asked again stands in its notice.
  if (state === 'out_of_credit') return 'Waits for credit.';
  if (state === 'failing') return 'Waits for the service to work again.';
  if (rests > 1_000) return `Rests ${about(rests / 1_000)} s, as the service asked.`;
  if (calling >= (mostCalls(key) ?? Number.POSITIVE_INFINITY))
    return 'All calls at once are taken: the next begins when one ends.';
  if (planned + calling === 0) return 'Nobody is to be called on it now.';
  const most = belief?.limit ?? rate ?? 0;
  if (most > 0 && sentLastMinute(key) / 60 >= most * 0.85) return 'Goes as fast as the service lets it.';
  return 'Has room: calls begin as campaigns have people due.';
}

/** A key that lacks credit or is not accepted wants a person; one that rests or meets a failing service goes on by itself. */
export function levelOf(keys: readonly Key[]): Level {
  const closed = keys.filter(({ state, present }) => state !== 'open' && present);
  if (closed.some(({ state }) => state !== 'failing')) return 'act';
  const slow = keys.some(
    (key) => !key.present || key.rests_ms > 1_000 || key.differs.length > 0 || isCreditShort(key),
  );
  return closed.length > 0 || slow ? 'watch' : 'fine';
}
