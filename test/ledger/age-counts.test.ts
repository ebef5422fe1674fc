import { describe, expect, it } from 'vitest';
import type { KeptCounts } from '../../src/rules/polls/ages.ts';
import { shareBooks } from './support.ts';

/** How long calls last, as processes keep it. */
const books = await shareBooks();
const lanes = (await books.ledger.lanes.join(['one', 'two'])).map(({ id }) => id);

const ended = (counts: number[], status = 'ringing'): KeptCounts => ({
  kind: 'ended',
  status,
  next: '',
  counts,
});
const moved = (counts: number[]): KeptCounts => ({
  kind: 'moved',
  status: 'queued',
  next: 'ringing',
  counts,
});

describe('the lengths of calls that were learned', () => {
  it('adds up over processes, by age, status and kind', async () => {
    const { ageCounts } = books.ledger;
    await Promise.all([
      ageCounts.learn(lanes[0]!, 'adds', [ended([1, 2]), moved([0, 1])]),
      ageCounts.learn(lanes[0]!, 'adds', [ended([0, 0.5, 4]), ended([7], 'queued')]),
    ]);
    const known = await ageCounts.ofAgent('adds');
    expect(known).toHaveLength(3);
    expect(known).toContainEqual(ended([1, 2.5, 4]));
    expect(known).toContainEqual(ended([7], 'queued'));
    expect(known).toContainEqual(moved([0, 1]));
  });

  it('is told of an agent on all keys, and of a key with all agents', async () => {
    const { ageCounts } = books.ledger;
    await ageCounts.learn(lanes[0]!, 'both', [ended([1])]);
    await ageCounts.learn(lanes[1]!, 'both', [ended([2])]);
    await ageCounts.learn(lanes[1]!, 'another', [ended([4])]);
    expect(await ageCounts.ofAgent('both')).toEqual([ended([3])]);
    expect(await ageCounts.ofLane(lanes[1]!)).toEqual([ended([6])]);
    expect(await ageCounts.ofAgent('nobody')).toEqual([]);
  });

  it('leaves out days before those that are enough, counts of other ages, and forgets after a month', async () => {
    const { ageCounts } = books.ledger;
    const put = (agent: string, daysAgo: number, endings: number, form = 1) =>
      books.sql(
        `insert into carillon.age_counts (lane_id, agent, day, form, kind, status, next, counts)
         values ($1, $2, current_date - $3::integer, $4, 'ended', 'ringing', '', array[$5::real])`,
        [lanes[0], agent, daysAgo, form, endings],
      );
    await put('days', 1, 1_500);
    await put('days', 2, 600);
    await put('days', 3, 9_000);
    await put('days', 0, 5, 99);
    await put('days', 31, 1);
    expect(await ageCounts.ofAgent('days')).toEqual([ended([2_100])]);
    await books.ledger.attempts.tidy();
    const left = await books.sql<{ n: number }>(
      `select count(*)::integer as n from carillon.age_counts where agent = 'days'`,
    );
    expect(left[0]!.n).toBe(4);
  });
});
