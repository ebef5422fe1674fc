import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Belief, hearBusy, hearClean, newBelief } from '../../../src/rules/limit/belief.ts';
import { capNow, capOf } from '../../../src/rules/limit/creates.ts';
import { isShut } from '../../../src/rules/limit/pace.ts';
import { changing, limitOf, median, visit } from './worlds.ts';

/** Limits that hold for creates only: calls at once, or a rate of their own. They are told from the lane's rate. */
const start = 1_700_000_000_000;
const seeds = [1, 2, 3, 4, 5];
type Kind = 'create' | 'poll';

/** A lane whose answers a test gives, one a second. */
function openLane(belief = newBelief(start)) {
  let now = Math.max(start, belief.pace.heardAt);
  let known: Belief = belief;
  const tick = () => {
    now += 1_000;
    return { now, sentAt: now - 50 };
  };
  return {
    get belief() {
      return known;
    },
    cap: () => capOf(known.creates),
    /** The most calls at once that it would have now. */
    allowed: () => capNow(known.creates),
    pass(kind: Kind, inFlight = 4) {
      const creates = kind === 'create' ? 1 : 0;
      known = hearClean(known, {
        ...tick(),
        count: 1,
        creates,
        eager: true,
        inFlight: creates ? inFlight : null,
      });
    },
    /** Says whether it took the refusal for one of creates only. It left `early` ms before most do. */
    refuse(kind: Kind, inFlight = 4, early = 0): boolean {
      const { now: heardAt, sentAt } = tick();
      const refusal = { now: heardAt, sentAt: sentAt - early, retryAfterMs: null, random: () => 0.5 };
      const told = hearBusy(known, { ...refusal, kind, inFlight });
      known = told.belief;
      return told.own;
    },
  };
}

/** Calls that have ended count until a poll has shown it: the number is never exact. */
function expectAbout(cap: number | null, calls: number) {
  expect(cap).toBeGreaterThanOrEqual(calls * 0.75);
  expect(cap).toBeLessThanOrEqual(calls);
}

function learned(calls = 4) {
  const lane = openLane();
  for (let i = 0; i < 30 && lane.cap() === null; i++) {
    lane.pass('poll');
    lane.refuse('create', calls);
  }
  expectAbout(lane.cap(), calls);
  return lane;
}

describe('a cap on calls at once', () => {
  const orders = fc
    .array(fc.constantFrom<Kind>('create', 'poll'), { minLength: 60, maxLength: 120 })
    .filter(
      (order) =>
        order.filter((kind) => kind === 'create').length >= 15 &&
        order.filter((kind) => kind === 'poll').length >= 15,
    );

  it('is found when creates are refused while polls pass, in whatever order they come', () => {
    fc.assert(
      fc.property(orders, (order) => {
        const lane = openLane();
        for (const kind of order) {
          if (kind === 'poll') lane.pass(kind);
          // Once it knows the cap, it sends no create that would be one too many.
          else if (lane.cap() === null) lane.refuse(kind);
        }
        expectAbout(lane.cap(), 4);
        expect(isShut(lane.belief.pace.stall)).toBe(false);
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it('is not taken for one in a fall of the rate, which refuses creates and polls alike', () => {
    const pair = fc.record({ refuses: fc.boolean(), createFirst: fc.boolean() });
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 200 }), (pairs) => {
        const lane = openLane();
        for (const { refuses, createFirst } of pairs) {
          for (const kind of createFirst ? (['create', 'poll'] as const) : (['poll', 'create'] as const)) {
            if (refuses) expect(lane.refuse(kind)).toBe(false);
            else lane.pass(kind);
          }
        }
        expect(lane.cap()).toBeNull();
        expect(lane.belief.creates.pace).toBeNull();
      }),
      { numRuns: 500, seed: 5 },
    );
  });

  it('is not taken for one when polls that were on their way with the create are refused too', () => {
    const lane = openLane();
    for (let i = 0; i < 100; i++) {
      for (let polls = 0; polls < 3; polls++) lane.pass('poll');
      lane.pass('create');
      // Which of the requests on their way is heard first is chance.
      expect(lane.refuse('create')).toBe(false);
      expect(lane.refuse('poll', 4, 2_000)).toBe(false);
    }
    expect(lane.cap()).toBeNull();
  });

  it('is forgotten when polls on their way are refused with the creates, again and again', () => {
    const lane = learned();
    for (let i = 0; i < 4 && lane.cap() !== null; i++) {
      for (let polls = 0; polls < 3; polls++) lane.pass('poll');
      lane.refuse('create');
      lane.refuse('poll', 4, 2_000);
    }
    expect(lane.cap()).toBeNull();
  });

  it('is not found while no poll was asked, nor while no call is in progress', () => {
    const silent = openLane();
    for (let i = 0; i < 40; i++) expect(silent.refuse('create')).toBe(false);
    const empty = openLane();
    for (let i = 0; i < 40; i++) {
      expect(empty.refuse('create', 0)).toBe(false);
      empty.pass('poll');
    }
    expect(empty.cap()).toBeNull();
  });

  it('gives the lane back the pace that its refusals had taken', () => {
    const { belief } = visit({ limits: [limitOf('bucket', 20)], minutes: 5 });
    const lane = openLane(belief);
    let own = false;
    let least = belief.pace.rate;
    const calls = 400;
    for (let i = 0; i < 60 && !own; i++) {
      for (let polls = 0; polls < 3; polls++) lane.pass('poll');
      // As many as it had before: fewer would not be a number of calls that the service refuses.
      own = lane.refuse('create', calls);
      least = Math.min(least, lane.belief.pace.rate);
    }
    expect(own).toBe(true);
    expect(least).toBeLessThan(belief.pace.rate * 0.95);
    expect(lane.belief.pace.stall).toBeNull();
    expect(lane.belief.pace.rate).toBeGreaterThan(belief.pace.rate * 0.95);
    expect(lane.belief.pace.limit! / belief.pace.limit!).toBeCloseTo(1, 1);
    expectAbout(lane.cap(), calls);
  });

  it('leaves the lane open when a create is refused again', () => {
    const lane = learned();
    const { rate } = lane.belief.pace;
    for (let i = 0; i < 10; i++) {
      expect(lane.refuse('create')).toBe(true);
      expect(lane.belief.pace.stall).toBeNull();
      lane.pass('poll');
    }
    expect(lane.belief.pace.rate).toBeGreaterThanOrEqual(rate);
  });

  it('still takes a refused poll for the rate', () => {
    const lane = learned();
    expect(lane.refuse('poll')).toBe(false);
    expect(lane.belief.pace.stall).not.toBeNull();
  });

  it('holds the rate back by refused polls, however many creates are refused meanwhile', () => {
    const lane = learned(400);
    const { rate } = lane.belief.pace;
    lane.pass('poll');
    lane.refuse('create', 400);
    // It was on its way when the create was refused.
    lane.refuse('poll', 400, 2_000);
    expect(lane.belief.pace.rate).toBeLessThan(rate);
    const { stall } = lane.belief.pace;
    expect(stall).not.toBeNull();
    lane.refuse('create', 400);
    expect(lane.belief.pace.stall).toEqual(stall);
  });

  it('falls when fewer calls are refused', () => {
    const lane = learned(20);
    for (let i = 0; i < 20; i++) {
      if (lane.allowed()! > 15) lane.refuse('create', 15);
      lane.pass('poll');
    }
    expectAbout(lane.cap(), 15);
  });

  it('is tried with more calls after a while, and grows with what is accepted', () => {
    const lane = learned();
    const found = lane.cap()!;
    expect(lane.allowed()).toBe(found);
    for (let i = 0; i < 1_000 && lane.allowed() === found; i++) lane.pass('poll');
    expect(lane.allowed()).toBe(found + 1);
    // People are told what was found, not what is tried.
    expect(lane.cap()).toBe(found);
    for (let i = 0; i < 30; i++) {
      lane.pass('create', Math.min(9, lane.allowed()!));
      for (let polls = 0; polls < 5; polls++) lane.pass('poll');
    }
    expect(lane.cap()).toBeGreaterThanOrEqual(8);
  });

  it('returns to what it was when the try is refused', () => {
    const lane = learned();
    const found = lane.cap()!;
    for (let i = 0; i < 1_000 && lane.allowed() === found; i++) lane.pass('poll');
    expect(lane.refuse('create', found)).toBe(true);
    expect(lane.allowed()).toBe(found);
    expect(lane.cap()).toBe(found);
  });
});

describe('creates with a limit of their own', () => {
  const halves = (minutes: number) => [(minutes * 60) / 2, minutes * 60] as const;

  it.each([
    [20, 20],
    [60, 20],
    [60, 100],
  ])('are mostly accepted at %s requests a second and %s calls at once', (rate, maxCalls) => {
    const stays = seeds.map((seed) =>
      visit({ limits: [limitOf('bucket', rate)], maxCalls, seed, minutes: 20 }),
    );
    const found = stays.filter(({ belief }) => belief.creates.kind !== 'none');
    expect(found.length).toBeGreaterThanOrEqual(4);
    expect(median(stays.map((stay) => stay.used(...halves(20))))).toBeGreaterThan(0.7);
    expect(median(stays.map((stay) => stay.refused(...halves(20))))).toBeLessThan(0.04);
  });

  it.each([
    [20, 6],
    [60, 6],
  ])('run at their own rate: %s requests a second, and %s creates', (rate, own) => {
    const limits = [limitOf('bucket', rate), { ...limitOf('bucket', own), scope: 'create' as const }];
    for (const seed of seeds) {
      const stay = visit({ limits, seed, minutes: 20 });
      const { creates, pace } = stay.belief;
      expect(creates.kind).toBe('rate');
      expect(capOf(creates)).toBeNull();
      expect(stay.creates(...halves(20)) / own).toBeGreaterThan(0.65);
      expect(stay.refused(...halves(20))).toBeLessThan(0.04);
      // The lane itself keeps its pace.
      if (pace.limit !== null) expect(pace.limit).toBeGreaterThan(own);
    }
  });

  it.each(['bucket', 'fixed', 'sliding', 'leaky'] as const)(
    'are seldom seen where all requests have one limit, even when it falls: %s',
    (kind) => {
      const change = changing(120, [1, 0.2, 1, 0.5]);
      const found = [2, 20].flatMap((rate) =>
        seeds.map((seed) => {
          const stay = visit({ ...change, limits: [limitOf(kind, rate)], seed, minutes: 10 });
          return stay.belief.creates.kind;
        }),
      );
      // It is told by chances: one in ten may be wrong for a while.
      expect(found.filter((each) => each !== 'none').length).toBeLessThanOrEqual(1);
    },
  );
});
