import { afterEach, describe, expect, it } from 'vitest';
import { createRest } from '../../src/base/at-rest.ts';
import { createLog } from '../../src/base/log.ts';
import { type Loop, type LoopOptions, startLoop } from '../../src/base/loop.ts';
import { createManualClock, settle } from '../support/clock.ts';

/** Work that is repeated. */
const loops: Loop[] = [];
afterEach(async () => {
  await Promise.all(loops.splice(0).map((loop) => loop.close()));
});

function start(options: Partial<LoopOptions> & Pick<LoopOptions, 'work'>) {
  const clock = createManualClock();
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });
  const loop = startLoop({ name: 'planner', everyMs: 1_000, clock, log, ...options });
  loops.push(loop);
  return { loop, clock, lines };
}

describe('a loop', () => {
  it('works at once and then on its beat', async () => {
    let rounds = 0;
    const { clock } = start({ work: async () => void rounds++ });
    await settle();
    expect(rounds).toBe(1);
    await clock.advance(999);
    expect(rounds).toBe(1);
    await clock.advance(1);
    expect(rounds).toBe(2);
    await clock.advance(3_000);
    expect(rounds).toBe(5);
  });

  it('rests as long as its work says, instead of its beat', async () => {
    let rounds = 0;
    const { clock } = start({
      work: async () => {
        rounds++;
        return rounds === 1 ? 5_000 : undefined;
      },
    });
    await clock.advance(4_999);
    expect(rounds).toBe(1);
    await clock.advance(1_001);
    expect(rounds).toBe(3);
  });

  it('works at once when it is nudged', async () => {
    let rounds = 0;
    const { loop } = start({ work: async () => void rounds++ });
    await settle();
    loop.nudge();
    await settle();
    expect(rounds).toBe(2);
    loop.nudge();
    await settle();
    expect(rounds).toBe(3);
  });

  it('does not forget a nudge that comes while it works', async () => {
    let rounds = 0;
    let go = () => {};
    const { loop } = start({
      work: () => {
        rounds++;
        return new Promise<void>((resolve) => {
          go = resolve;
        });
      },
    });
    loop.nudge();
    loop.nudge();
    await settle();
    expect(rounds).toBe(1);
    go();
    await settle();
    expect(rounds).toBe(2);
    go();
    await settle();
    expect(rounds).toBe(2);
    await Promise.all([loop.close(), go()]);
  });

  it('rests a minimum between two rounds, however often it is nudged', async () => {
    let rounds = 0;
    const { loop, clock } = start({ restMs: 50, work: async () => void rounds++ });
    for (let ms = 0; ms < 200; ms += 10) {
      loop.nudge();
      await clock.advance(10);
    }
    expect(rounds).toBeGreaterThanOrEqual(4);
    expect(rounds).toBeLessThanOrEqual(5);
  });

  it('answers a nudge after a long first round at once, and works a tenth of the time in the long run', async () => {
    const begun: number[] = [];
    const clock = createManualClock();
    const { loop } = start({
      restMs: 50,
      clock,
      work: async () => {
        begun.push(clock.monotonic());
        await clock.sleep(100);
      },
    });
    for (let ms = 0; ms < 20_000; ms += 10) {
      loop.nudge();
      await clock.advance(10);
    }
    loop.quiet?.();
    await clock.advance(100);
    expect(begun[1]).toBeLessThanOrEqual(160);
    expect(begun.length).toBeLessThanOrEqual(23);
    expect(begun.length).toBeGreaterThanOrEqual(20);
  });

  it('never runs two rounds at a time', async () => {
    let at = 0;
    let most = 0;
    const { loop, clock } = start({
      work: async () => {
        at += 1;
        most = Math.max(most, at);
        await settle();
        at -= 1;
      },
    });
    for (let i = 0; i < 20; i++) {
      loop.nudge();
      await clock.advance(100);
    }
    expect(most).toBe(1);
  });

  it('logs that a round failed and tries again on its beat', async () => {
    let rounds = 0;
    const { clock, lines } = start({
      work: async () => {
        rounds++;
        if (rounds === 1) throw new Error('the ledger is away');
      },
    });
    await clock.advance(1_000);
    expect(rounds).toBe(2);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'warn', err: 'the ledger is away' });
    expect(lines[0]).toContain('planner');
  });

  it('closes when the round in hand is finished, and starts no other', async () => {
    const seen: string[] = [];
    let go = () => {};
    const { loop, clock } = start({
      work: async () => {
        seen.push('began');
        await new Promise<void>((resolve) => {
          go = resolve;
        });
        seen.push('ended');
      },
    });
    const closed = Promise.resolve(loop.close()).then(() => seen.push('closed'));
    await settle();
    expect(seen).toEqual(['began']);
    go();
    await closed;
    expect(seen).toEqual(['began', 'ended', 'closed']);
    loop.nudge();
    await clock.advance(10_000);
    expect(seen).toHaveLength(3);
    expect(clock.sleepers()).toBe(0);
  });

  it('that was quieted starts no round, and closes at once', async () => {
    let rounds = 0;
    const { loop, clock } = start({ restMs: 500, work: async () => void rounds++ });
    await settle();
    await loop.quiet?.();
    await loop.close();
    expect([rounds, clock.sleepers()]).toEqual([1, 0]);
  });
});

describe('the loops of a process with nothing to do', () => {
  function startThree() {
    const clock = createManualClock();
    const log = createLog('silent');
    const rest = createRest({ clock });
    let rounds = 0;
    for (const name of ['planner', 'lane-updater', 'sweeper']) {
      const work = async () => void rounds++;
      loops.push(startLoop({ name, everyMs: 1_000, clock, log, rest, work }));
    }
    return { clock, rest, rounds: () => rounds };
  }

  it('look seldom after a minute, and not at the same moment', async () => {
    const { clock, rounds } = startThree();
    await clock.advance(60_000);
    expect(rounds()).toBeGreaterThan(170);
    await clock.advance(60_000);
    const before = rounds();
    await clock.advance(600_000);
    expect(rounds() - before).toBeLessThanOrEqual(90);
    // Each sleeps to a time of its own.
    const times = new Set<number>();
    for (let ms = 0; ms < 60_000; ms += 10) {
      const seen = rounds();
      await clock.advance(10);
      expect(rounds() - seen).toBeLessThanOrEqual(1);
      if (rounds() > seen) times.add(ms);
    }
    expect(times.size).toBeGreaterThan(3);
  });

  it('all work at once when there is work, and on their beats as long as there is', async () => {
    const { clock, rest, rounds } = startThree();
    await clock.advance(300_000);
    const before = rounds();
    rest.stir();
    await settle();
    expect(rounds() - before).toBe(3);
    for (let second = 0; second < 120; second++) {
      await clock.advance(1_000);
      rest.stir();
    }
    expect(rounds() - before).toBeGreaterThan(340);
  });
});
