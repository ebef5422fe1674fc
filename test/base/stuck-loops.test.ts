import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { type Loop, startLoop } from '../../src/base/loop.ts';
import { createRounds, type Rounds } from '../../src/base/stuck-loops.ts';
import { createManualClock } from '../support/clock.ts';

/** Stuck loops are noticed and logged. */
const open: (Loop | Rounds)[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

function start(work: () => Promise<unknown>, everyMs = 1_000) {
  const clock = createManualClock();
  const lines: { level: number; loop?: string; msg: string }[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(JSON.parse(line)) });
  const rounds = createRounds({ clock, log });
  const loop = startLoop({ name: 'planner', everyMs, clock, log, rounds, work });
  open.push(rounds, loop);
  const messages = () => lines.filter((line) => line.loop === 'planner').map((line) => line.msg);
  return { clock, rounds, loop, messages };
}

describe('the rounds of a process', () => {
  it('are recent while a loop runs', async () => {
    const { clock, rounds, messages } = start(async () => undefined);
    await clock.advance(120_000);
    expect(rounds.ages()).toEqual([{ name: 'planner', ageMs: expect.any(Number), stuck: false }]);
    expect(rounds.ages()[0]!.ageMs).toBeLessThanOrEqual(1_000);
    expect(messages()).toEqual([]);
  });

  it('log once that a round does not end, and once that it has', async () => {
    let end = () => {};
    let waits = true;
    const { clock, rounds, messages } = start(() =>
      waits ? new Promise<void>((resolve) => (end = resolve)) : Promise.resolve(),
    );
    await clock.advance(30_000);
    expect(rounds.ages()[0]).toMatchObject({ stuck: false });
    await clock.advance(60_000);
    expect(rounds.ages()[0]).toMatchObject({ stuck: true });
    expect(messages()).toEqual([expect.stringContaining('is stuck')]);
    waits = false;
    end();
    await clock.advance(10_000);
    expect(rounds.ages()[0]).toMatchObject({ stuck: false });
    expect(messages()).toEqual([
      expect.stringContaining('is stuck'),
      expect.stringContaining('running again'),
    ]);
  });

  it('grow old when every one of them fails', async () => {
    const { clock, rounds } = start(async () => {
      throw new Error('no');
    });
    await clock.advance(40_000);
    expect(rounds.ages()[0]).toMatchObject({ stuck: true });
  });

  it('of a slow beat are given more time', async () => {
    const { clock, rounds } = start(async () => undefined, 15_000);
    await clock.advance(44_000);
    expect(rounds.ages()[0]).toMatchObject({ stuck: false });
  });

  it('of a loop that was stopped are no longer watched', async () => {
    const { clock, rounds, loop } = start(async () => undefined);
    await clock.advance(2_000);
    await loop.close();
    expect(rounds.ages()).toEqual([]);
  });
});
