import type { Job, NextPerson } from '../../api/ask.ts';
import { stateText } from '../../kit/basics.tsx';
import { groupsOf, type WaitReason, waitWords } from '../../kit/words.ts';

/** The rows of the queues: who is on the way to a call, and what they wait for. */
export const held = /^(?:paused|no-run|no-credit|budget|refused|draft|canceled|never)$/;

/** A line and the pace of a key hold back by turns, many times a minute: they are one reason here. */
export const mergedOf = (reason: WaitReason) => (reason === 'rate' ? 'calls' : reason);

export type Row = Pick<Job, 'campaign' | 'phone' | 'name' | 'number' | 'until'> & {
  id: string;
  /** Null of one who is called now. */
  why: WaitReason | null;
  waits: string;
  place: number;
};

export function rowOfPerson({ reason, attempts, ...of }: NextPerson): Row {
  const why = mergedOf(reason ?? 'calls');
  return { ...of, why, waits: waitWords[why], number: attempts + 1, place: 0 };
}

/** Of a call that was placed, only its next check is work; before it, its turn at the key comes by itself. */
export function rowOfJob(job: Job): Row {
  const { kind, recipient: id, dialed_at: dialled, reason } = job;
  const row = { ...job, id, until: null, why: null, place: 0 };
  if (kind === 'track') return { ...row, waits: 'on the line' };
  if (dialled) return { ...row, waits: 'being dialled' };
  if (reason === null || reason === 'token' || reason === 'poll')
    return { ...row, waits: 'about to be dialled' };
  if (reason in waitWords) {
    const why = mergedOf(reason as WaitReason);
    return { ...row, why, until: why === 'calls' ? null : job.until, waits: waitWords[why] };
  }
  const why = reason === 'out_of_credit' ? 'no-credit' : 'refused';
  return { ...row, why, waits: `the key: ${stateText(reason)}` };
}

/** Who is dialled, who is next, who waits for a time, and who is held up, in no order. */
export const rankOf = (why: WaitReason | null) =>
  why === null ? 0 : why === 'calls' ? 1 : held.test(why) ? 3 : 2;

/** The rows by what they wait for, in the order of their turns, each with its place among those. */
export function grouped(rows: readonly Row[]): Row[] {
  const soonest = (a: Row, b: Row) =>
    rankOf(a.why) - rankOf(b.why) || (a.until ?? '').localeCompare(b.until ?? '');
  return [...groupsOf(rows, ({ waits }) => waits).values()]
    .map((group) => group.sort(soonest).map((row, nth) => ({ ...row, place: nth + 1 })))
    .sort(([a], [b]) => soonest(a!, b!))
    .flat();
}
