import type { JournalEntry } from '../../simulator/journal.ts';
import type { AttemptRow, Evidence } from './evidence.ts';

/** What a ledger that lost history cannot know, and what it must not do before a person confirmed it. */
export type Forgiveness = {
  /** Whether the ledger that allowed this create is gone. */
  hides(entry: JournalEntry): boolean;
  /** Calls of one phone in the part that is gone: the ledger marks a person once. */
  moreCalls(entries: readonly JournalEntry[]): number;
  /** How many these are, where those in the part that is gone count as one. */
  asOne(entries: readonly JournalEntry[]): number;
  /** Whether the confirmation made it unknown. */
  wasMarked(attempt: AttemptRow): boolean;
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
  const moreCalls = (entries: readonly JournalEntry[]) => Math.max(0, entries.filter(hides).length - 1);

  return {
    hides,
    moreCalls,
    asOne: (entries) => entries.length - moreCalls(entries),
    wasMarked: (attempt) => marked.has(attempt.id),
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
