import type { KnownNumber } from '../../rules/caller-numbers.ts';
import type { Database } from '../database.ts';

/** The numbers that campaigns call from: what the service's list says of them, their calls, and which of them rest. */
export const numberRests = ['hand', 'answers', 'short'] as const;
export type NumberRest = (typeof numberRests)[number];

export type NumberLine = {
  /** As it was asked for. */
  named: string;
  rest: NumberRest | null;
  restedAt: Date | null;
  returnsAt: Date | null;
  sure: number | null;
  /** Calls in progress, those of the last 24 hours, and all that have ended. */
  live: number;
  today: number;
  calls: number;
  answered: number;
};

export type CallerNumbers = ReturnType<typeof createCallerNumbers>;

export function createCallerNumbers(db: Database) {
  return {
    /** With a lane, these are all numbers of its key's account. */
    async learn(numbers: readonly KnownNumber[], lane: number | null): Promise<void> {
      if (numbers.length > 0 || lane !== null)
        await db.query('caller-numbers/learn', [JSON.stringify(numbers), lane]);
    },

    async list(named: readonly string[]): Promise<NumberLine[]> {
      return (await db.query('caller-numbers/list', [named])) as NumberLine[];
    },

    /** Null for a number that neither a list nor a campaign has told. */
    async rest(
      named: string,
      rest: 'hand' | null,
      until: Date | null,
    ): Promise<{ name: string; was: NumberRest | null } | null> {
      const [known] = await db.query('caller-numbers/is_known', [named]);
      if (!known?.known) return null;
      const [row] = await db.query('caller-numbers/rest', [named, rest, until]);
      return row as { name: string; was: NumberRest | null };
    },
  };
}
