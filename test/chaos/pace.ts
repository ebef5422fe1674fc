import type { JournalEntry } from '../../simulator/journal.ts';
import type { Comeback, Diary } from './diary.ts';

/** How soon dialling recovers after something came back: the first new create, and the first second at full pace. */
export type Recovery = { firstMs: number; fullMs: number | null };
export type Pace = {
  /** Creates a second before the first fault. */
  before: number;
  after: Partial<Record<Comeback['what'], Recovery[]>>;
};

const fullShare = 0.9;

export function measurePace(
  creates: readonly JournalEntry[],
  diary: Diary,
  { startedAt, calmMs }: { startedAt: number; calmMs: number },
): Pace {
  const times = creates.map((entry) => entry.at).sort((a, b) => a - b);
  const first = times[0] ?? startedAt;
  const calm = times.filter((at) => at >= first + 500 && at < first + calmMs).length;
  const before = calm / ((calmMs - 500) / 1_000);
  const pace: Pace = { before, after: {} };
  const strikes = [
    ...diary.comebacks.map((each) => each.at),
    ...diary.troubles.map((each) => each.from),
  ].sort((a, b) => a - b);
  for (const { what, at } of diary.comebacks) {
    const next = times.find((time) => time > at);
    if (next === undefined) continue;
    // Only until the next fault, which starts another recovery.
    const until = strikes.find((time) => time > at) ?? Number.POSITIVE_INFINITY;
    const full = before > 0 ? fullFrom(times, at, until, before * fullShare) : null;
    const list = pace.after[what] ?? [];
    pace.after[what] = [...list, { firstMs: next - at, fullMs: full === null ? null : full - at }];
  }
  return pace;
}

/** The start of the first second with enough creates. */
function fullFrom(times: readonly number[], at: number, until: number, wanted: number): number | null {
  let end = 0;
  for (let i = times.findIndex((time) => time > at); i >= 0 && i < times.length; i++) {
    const from = times[i]!;
    if (from + 1_000 > until) return null;
    while (end < times.length && times[end]! < from + 1_000) end += 1;
    if (end - i >= wanted) return from;
  }
  return null;
}
