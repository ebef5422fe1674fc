import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canUseRedis } from '../support/redis.ts';
import { type Extra, extraNames } from './extras.ts';
import { playRound } from './round.ts';
import { type EngineKind, makePlan, type Plan } from './schedule.ts';
import { openStage, type Stage } from './stage.ts';

/** One short round on each engine; `npm run chaos` plays the long ones. */
const engines: EngineKind[] = canUseRedis('chaos on redis') ? ['postgres', 'redis'] : ['postgres'];

describe('a campaign under a storm of faults', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(engines);
  });
  afterAll(() => stage?.close());

  // One after the other: side by side they starve each other, and a process that does not run hears no answer in time.
  it.each(engines)(
    'calls nobody twice, loses nobody and shows every unknown, with its queue in %s',
    async (engine) => {
      const plan = makePlan(15, { engine, people: 400, seconds: 8, extras: [] });
      // All rounds share one Postgres, so none may kill it.
      expect(plan.events.map((event) => event.fault.kind)).not.toContain('ledger-kill');
      const { signal } = new AbortController();
      const verdict = await playRound(stage, plan, { keep: false, signal, hasty: true });
      expect(verdict.violations).toEqual([]);
      expect(verdict.tally.kills).toBeGreaterThan(0);
    },
    600_000,
  );
});

describe('the schedule of a round', () => {
  it('is the same for the same seed and differs for another', () => {
    const plan = (seed: number) => makePlan(seed, { engine: 'redis', people: 1_000, seconds: null });
    expect(plan(3)).toEqual(plan(3));
    expect(plan(3).events).not.toEqual(plan(4).events);
  });

  it('is the same when it is played again by the numbers that a round tells', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const first = makePlan(seed, { engine: 'postgres', people: 2_000, seconds: null });
      const { strikeMs, workers, extras } = first;
      const told = { seconds: Math.ceil(strikeMs / 1_000), processes: workers, extras: extras.names };
      expect(makePlan(seed, { engine: 'postgres', people: 2_000, ...told })).toEqual(first);
    }
  });

  it('draws wrong clocks, other settings, many keys, a full disk, twins and lost history by the seed, or plays what is asked for', () => {
    const plan = (seed: number, extras?: Extra[]) =>
      makePlan(seed, { engine: 'postgres', people: 500, seconds: 60, extras: extras ?? null });
    const drawn = new Set(Array.from({ length: 40 }, (_, seed) => plan(seed).extras.names).flat());
    expect([...drawn].sort()).toEqual([...extraNames].sort());
    const all = plan(3, [...extraNames]);
    expect(all.keys).toBe(50);
    expect(all.extras.clocks[0]).toBe(0);
    expect(all.extras.clocks[1]).not.toBe(0);
    expect(Object.keys(all.extras.settings[0]!)).toHaveLength(1);
    expect(all.extras.settings[0]).not.toHaveProperty('CARILLON_POLICY');
    expect(Object.keys(all.extras.settings[1]!).length).toBeGreaterThan(0);
    const kinds = all.events.map((event) => event.fault.kind);
    for (const kind of ['clock', 'disk-full', 'twins', 'lost']) expect(kinds).toContain(kind);
    // The other draws of a seed stay as they are.
    const usual = (each: Plan) =>
      each.events.filter(({ fault }) => !['clock', 'disk-full', 'twins', 'lost'].includes(fault.kind));
    expect(usual(plan(3, ['disk', 'twins', 'lost']))).toEqual(usual(plan(3, [])));
  });

  it('kills a master of a Cluster early, for longer than its replica needs, and others later', () => {
    const { events, keys } = makePlan(4, { engine: 'cluster', people: 4_000, seconds: null, extras: [] });
    const kills = events.flatMap(({ fault }) => (fault.kind === 'master-kill' ? [fault.downMs] : []));
    expect(kills.length).toBeGreaterThan(1);
    expect(kills[0]).toBe(6_000);
    expect(keys).toBe(3);
  });

  it('kills every one and a half seconds on average, at moments in order', () => {
    const { events, strikeMs } = makePlan(5, { engine: 'postgres', people: 10_000, seconds: null });
    const kills = events.filter((event) => event.fault.kind === 'kill');
    expect(strikeMs / kills.length).toBeGreaterThan(1_000);
    expect(strikeMs / kills.length).toBeLessThan(2_200);
    expect(events.map((event) => event.atMs)).toEqual(
      events.map((event) => event.atMs).sort((a, b) => a - b),
    );
  });
});
