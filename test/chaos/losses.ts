import type { JournalEntry } from '../../simulator/journal.ts';
import type { AttemptRow, Evidence } from './evidence.ts';

/** A ledger that lost history: what it cannot know, and must not do before a person confirmed it. */
export type Forgiveness = {
  /** Whether the ledger that allowed this create is gone. */
  hides(entry: JournalEntry): boolean;
  /** Those of a phone's calls that the ledger that is gone allowed. */
  early(entries: readonly JournalEntry[]): JournalEntry[];
  /**
   * How many of a phone's calls no attempt stands for: of those in the part that is gone the confirmation marks one
   * attempt. Where it marked none, the person should not have been called again.
   */
  beyond(entries: readonly JournalEntry[], attempts: readonly AttemptRow[]): number;
  /** Whether the confirmation made it unknown. */
  wasMarked(attempt: AttemptRow): boolean;
  /** Whether it was being dialled in what came back, so that what became of it is in the part that is gone. */
  wasPutBack(attempt: AttemptRow): boolean;
  findBreaches(): string[];
};

/** A request whose attempt was opened before the server was killed may leave for so long. */
const wakeMs = 2_000;
const words = 'the ledger lost its history';

export function createForgiveness({ losses, bans, troubles, moves, creates }: Evidence): Forgiveness {
  const hides = ({ at }: JournalEntry) =>
    losses.some((loss) => at >= loss.beganAt && at < loss.from + wakeMs);
  const marked = new Set(
    moves
      .filter((move) => move.kind === 'unknown' && move.detail?.startsWith(words))
      .map((move) => move.attempt),
  );

  return {
    hides,
    early: (entries) => entries.filter(({ at }) => losses.some((loss) => at < loss.from + wakeMs)),
    beyond(entries, attempts) {
      const mine = attempts.filter((attempt) => marked.has(attempt.id));
      if (mine.length === 0) return 0;
      const known = new Set(attempts.flatMap((attempt) => attempt.callId ?? []));
      const strays = entries.filter((entry) => hides(entry) && !known.has(entry.call!)).length;
      return Math.max(0, strays - mine.filter((attempt) => attempt.callId === null).length);
    },
    wasMarked: (attempt) => marked.has(attempt.id),
    wasPutBack({ id, dialingAt }) {
      const given = moves.find((move) => move.attempt === id && move.kind === 'unknown');
      return losses.some(
        ({ beganAt, madeAt, backAt }) =>
          dialingAt !== null &&
          dialingAt >= beganAt - wakeMs &&
          dialingAt <= madeAt &&
          (given?.at ?? 0) >= backAt,
      );
    },
    findBreaches() {
      const found = losses.flatMap((loss) => loss.faults);
      for (const { why, from, to } of bans) {
        if (why !== 'lost') continue;
        // A frozen wire keeps a request and delivers it later.
        const held = troubles.some((each) => each.what === 'service' && each.to > from - wakeMs);
        for (const move of moves)
          if (move.kind === 'dialing' && !marked.has(move.attempt) && move.at > from && move.at < to)
            found.push(`attempt ${move.attempt} was opened ${Math.round(move.at - from)} ms after`);
        for (const { at, phone, seq } of creates)
          if (!held && at > from + wakeMs && at < to)
            found.push(`${phone}: create ${seq} arrived ${Math.round(at - from)} ms after`);
      }
      return found;
    },
  };
}
