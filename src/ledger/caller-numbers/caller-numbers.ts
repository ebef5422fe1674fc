import type { KnownNumber } from '../../rules/caller-numbers.ts';
import type { NumberDays } from '../../rules/forecast/simulate.ts';
import type { NumberTally, NumberWatch } from '../../rules/number-watch.ts';
import type { Order } from '../../rules/order.ts';
import { column, run } from '../answers.ts';
import type { Database } from '../database.ts';

/** The numbers that campaigns call from: what the service's list says of them, their calls, and which of them rest. */
export const numberRests = ['hand', 'answers', 'short'] as const;
type NumberRest = (typeof numberRests)[number];

type NumberLine = {
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
  /** The share of its last calls that people answered, a few thousand at most; null without any. */
  lately: number | null;
  /** The share of the answered ones among them that were short. */
  short: number | null;
};

/** Of one campaign and number, as the watch takes it; `watch` is what it knew of the number. */
type TakenTally = Omit<NumberTally, 'recent'> & {
  recent: NumberTally['recent'] | null;
  watch: Partial<NumberWatch> | null;
};
export type KeptNumber = {
  name: string;
  calls: number;
  answered: number;
  /** Null leaves it as it is. */
  watch: NumberWatch | null;
  rest: NumberRest | null;
  sure: number | null;
};
/** `noneAwake`: a running campaign has no other number, and calls from it all the same. */
type RestingNumber = {
  name: string;
  rest: NumberRest;
  sure: number | null;
  returnsAt: Date | null;
  noneAwake: boolean;
};

export function createCallerNumbers(db: Database, baseUrl: string) {
  return {
    /** With a lane, these are all numbers of its key's account. */
    async learn(numbers: readonly KnownNumber[], lane: number | null): Promise<void> {
      if (numbers.length > 0 || lane !== null)
        await db.query('caller-numbers/learn', { numbers: JSON.stringify(numbers), lane });
    },

    list: (named: readonly string[]): Promise<NumberLine[]> =>
      db.query('caller-numbers/list', { named }) as Promise<NumberLine[]>,

    /** How an order's numbers stand to a limit of calls in 24 hours; null where none is known. */
    async days(
      callers: Order['callers'],
      lanes: readonly number[],
      most: number,
    ): Promise<NumberDays | null> {
      const [row] = await db.query('caller-numbers/days', { callers: JSON.stringify(callers), lanes, most });
      const { numbers, used } = row as Pick<NumberDays, 'numbers' | 'used'>;
      return numbers > 0 ? { most, numbers, used } : null;
    },

    /** Null for a number that neither a list nor a campaign has told. */
    async rest(named: string, rest: 'hand' | null): Promise<{ name: string; was: NumberRest | null } | null> {
      const [known] = await db.query('caller-numbers/is_known', { named });
      if (!known?.known) return null;
      const [row] = await db.query('caller-numbers/rest', { named, rest });
      return row as { name: string; was: NumberRest | null };
    },

    /** In a transaction: what ended since the last look; empty while another process looks. */
    async take(): Promise<TakenTally[]> {
      const [lock] = await db.query('caller-numbers/lock_watch');
      if (!lock?.mine) return [];
      return (await db.query('caller-numbers/take')) as TakenTally[];
    },

    keep: (
      tallies: readonly Pick<NumberTally, 'campaign' | 'name' | 'recent'>[],
      numbers: readonly KeptNumber[],
      restSeconds: number,
    ): Promise<void> =>
      run(db, 'caller-numbers/keep', {
        tallies: JSON.stringify(tallies),
        numbers: JSON.stringify(numbers),
        restSeconds,
      }),

    /** Returns those whose rest is over. */
    returnDue: (): Promise<string[]> => column(db, 'caller-numbers/return_due'),

    resting: (): Promise<RestingNumber[]> =>
      db.query('caller-numbers/resting', { baseUrl }) as Promise<RestingNumber[]>,
  };
}
