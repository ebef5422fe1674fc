import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/base/log.ts';
import type { Lane } from '../../src/lane/lane.ts';
import { createPollPrice } from '../../src/lane/poll-price.ts';
import { createPollTimes, type LengthStore } from '../../src/lane/poll-times.ts';
import type { KeptCounts } from '../../src/rules/polls/ages.ts';

const pacer = { isScarce: () => false, waiting: () => 0 };
const lane = { pollPrice: createPollPrice(), pacer, backlog: 0 } as unknown as Lane;
const call = { campaignId: 'a', agentId: 'agent', laneId: 1 };
const at = (age: number) => ({ ...call, status: null, age, resultDelay: null });
const log = { debug: () => undefined } as unknown as Log;

/** The ledger's part, for several processes. */
function newStore() {
  const rows: { laneId: number; agentId: string; counts: readonly KeptCounts[] }[] = [];
  const those = (fits: (row: (typeof rows)[number]) => boolean) =>
    Promise.resolve(rows.filter(fits).flatMap(({ counts }) => counts));
  const store: LengthStore = {
    ofAgent: (agentId) => those((row) => row.agentId === agentId),
    ofLane: (laneId) => those((row) => row.laneId === laneId),
    learn: async (laneId, agentId, counts) => {
      rows.push({ laneId, agentId, counts });
    },
  };
  return { rows, store };
}

const create = (fixedSeconds: number | null, store = newStore().store) =>
  createPollTimes({ fixedSeconds, random: () => 1, store, log });

describe('a fixed beat', () => {
  /** How old the call is at its next poll. */
  const nextAt = (age: number) => age + create(5).nextInMs(lane, at(age)) / 1_000;

  test('polls at a fixed interval from the start of a call', () => {
    expect(nextAt(0)).toBe(5);
    expect(nextAt(5)).toBe(10);
  });

  test('is not moved by a late poll', () => {
    for (const late of [0.01, 0.4, 2, 2.5]) expect(nextAt(5 + late)).toBeCloseTo(10);
  });

  test('skips one of two polls that would be close together', () => {
    for (const late of [2.51, 4, 4.99, 5.4]) expect(nextAt(5 + late)).toBeCloseTo(15);
  });
});

test('learned lengths are ignored when the beat is fixed', () => {
  const pollTimes = create(5);
  for (let i = 0; i < 100; i++) pollTimes.saw(call, { from: 0, to: 1, status: '', next: null });
  expect(pollTimes.nextInMs(lane, at(0))).toBe(5_000);
});

describe('the learned lengths of calls', () => {
  /** Calls of this agent end after 80 s. */
  function teach(times: ReturnType<typeof create>, count: number, of = call) {
    for (let i = 0; i < count; i++) {
      times.saw(of, { from: 0, to: 79, status: '', next: '' });
      times.saw(of, { from: 79, to: 80, status: '', next: null });
    }
  }
  const firstPoll = async (store: LengthStore, of: typeof call) => {
    const times = create(null, store);
    times.nextInMs(lane, { ...at(0), ...of });
    // The kept counts are read in the background: the first call does not wait for it.
    await store.ofAgent('');
    await new Promise((resolve) => setImmediate(resolve));
    return times.nextInMs(lane, { ...at(0), ...of }) / 1_000;
  };

  test('is known to the next campaign of the agent, in another process', async () => {
    const { store } = newStore();
    const cold = await firstPoll(store, call);
    const times = create(null, store);
    teach(times, 300);
    await times.keep();
    expect(cold).toBeLessThan(30);
    expect(await firstPoll(store, { ...call, campaignId: 'b' })).toBeGreaterThan(60);
  });

  test('is used for an agent of the same key that has not called yet, and for no other key', async () => {
    const { store } = newStore();
    const times = create(null, store);
    teach(times, 300);
    await times.keep();
    expect(await firstPoll(store, { campaignId: 'b', agentId: 'other', laneId: 1 })).toBeGreaterThan(60);
    expect(await firstPoll(store, { campaignId: 'b', agentId: 'other', laneId: 2 })).toBeLessThan(30);
  });

  test('is written as what was seen since the last time, and never twice', async () => {
    const { rows, store } = newStore();
    const times = create(null, store);
    const endings = () =>
      rows.flatMap(({ counts }) =>
        counts.filter(({ kind }) => kind === 'ended').flatMap((each) => each.counts),
      );
    teach(times, 40);
    await times.keep();
    await times.keep();
    expect(rows).toHaveLength(1);
    teach(times, 20);
    await times.keep();
    expect(endings().reduce((sum, each) => sum + each, 0)).toBeCloseTo(60, 1);
  });

  test('does not hold up polls when the ledger is away', async () => {
    const away = () => Promise.reject(new Error('away'));
    const times = create(null, { ofAgent: away, ofLane: away, learn: away });
    expect(times.nextInMs(lane, at(0))).toBeGreaterThan(0);
    teach(times, 5);
    await expect(times.keep()).rejects.toThrow('away');
  });
});
