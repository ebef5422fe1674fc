import { describe, expect } from 'vitest';
import { type Desk, people, summaryOf } from '../support/carillon.ts';
import { asked, creates, expectRefused, expectSound, until } from '../support/journeys.ts';
import { it } from './desk.ts';

/** Limits: a lane waits as long as the service asks, waiting spends no attempt, and no cap is exceeded. */
const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];
const busy = (desk: Desk) => [...desk.sim.journal()].filter((entry) => entry.answer === 429);

describe.concurrent('a service that answers 429', () => {
  for (const retryAfter of ['seconds', 'date'] as const) {
    it(`with Retry-After in ${retryAfter} gets no request until then, and no attempt is spent`, async ({
      openDesk,
    }) => {
      const windowMs = 3_000;
      // So low that a slow machine exceeds it too.
      const limit = { rate: 2, limiter: 'fixed', windowMs, retryAfter } as const;
      const desk = await openDesk('postgres', { speed: 600, ...limit });
      desk.write('people.csv', people(18));
      const ended = await desk.run(args, { VOICE_RATE: '60' });
      expect(ended.code, ended.stderr).toBe(0);
      expect(summaryOf(ended)).toMatchObject({ rows: 18, done: 18, unknown: 0, attempts: 18 });
      expect(summaryOf(ended).requests).toBe(desk.sim.state().requests);
      const refused = busy(desk);
      expect(refused.length).toBeGreaterThan(0);
      const all = [...desk.sim.journal()];
      for (const { at, mono } of refused) {
        const wait = (Math.floor(at / windowMs) + 1) * windowMs - at;
        const waitMs = retryAfter === 'seconds' ? Math.ceil(wait / 1_000) * 1_000 : wait;
        // Requests committed before the answer was read arrive a little later: some on a busy machine, against
        // sixty a second without the wait.
        const early = all.filter((entry) => entry.mono > mono + 600 && entry.mono < mono + waitMs - 100);
        expect(early.map((entry) => Math.round(entry.mono - mono)).slice(15), `within ${waitMs} ms`).toEqual(
          [],
        );
      }
      await expectSound(desk);
    });
  }

  it('without Retry-After is asked again by itself, and no attempt is spent', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 8, burst: 3, retryAfter: 'none' });
    desk.write('people.csv', people(20));
    const ended = await desk.run(args, { VOICE_RATE: '60' });
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 20, done: 20, attempts: 20 });
    expect(busy(desk).length).toBeGreaterThan(0);
    await expectSound(desk);
  });

  it('for too many calls at once gets the next call when another ends', async ({ openDesk }) => {
    // No call ends before the fourth is refused.
    const desk = await openDesk('postgres', { speed: 0.1, rate: 100, concurrency: 3 });
    desk.write('people.csv', people(8));
    const run = desk.start(args, { VOICE_RATE: '100', VOICE_POLL: '1' });
    await until(() => busy(desk).length > 0, 'a 429');
    desk.sim.control({ speed: 600 });
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 8, done: 8, unknown: 0, attempts: 8 });
    expect(desk.sim.state().keys[0]!.peakInFlight).toBe(3);
    await expectSound(desk);
  });

  it('has its limit learned when VOICE_RATE is left out', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 25, burst: 5 });
    desk.write('people.csv', people(250));
    const ended = await desk.run(args, { VOICE_RATE: undefined });
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ done: 250, attempts: 250 });
    const { requests, answers } = desk.sim.state();
    // The benchmarks measure how close it gets. Without learning, most requests are refused or the run never ends.
    expect((answers['429'] ?? 0) / requests).toBeLessThan(0.2);
    const keys = JSON.parse((await desk.type(['keys', '--json'], { VOICE_RATE: undefined })).stdout).items;
    expect(keys[0]).toMatchObject({ rate_from: 'learned' });
    expect(keys[0].rate).toBeLessThan(50);
  });
});

/** No call ends until the test lets time run, so the cap is soon reached on any machine. */
const standing = { speed: 0.1, rate: 100 };

describe.concurrent('the calls at once', () => {
  it('never exceed --max-calls', async ({ openDesk }) => {
    const desk = await openDesk('postgres', standing);
    desk.write('people.csv', people(9));
    const run = desk.start([...args, '--max-calls', '3'], { VOICE_RATE: '100', VOICE_POLL: '1' });
    await until(() => desk.sim.state().created === 3, '3 calls');
    desk.sim.control({ speed: 60 });
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ done: 9, attempts: 9 });
    expect(desk.sim.state().keys[0]!.peakInFlight).toBe(3);
  });

  it('never exceed VOICE_MAX_CALLS on any key', async ({ openDesk }) => {
    const desk = await openDesk('postgres', standing);
    desk.write('people.csv', people(12));
    const keysOfTwo = { VOICE_MAX_CALLS: '2', VOICE_API_KEYS: 'one=sk_1,two=sk_2' };
    const run = desk.start(args, { VOICE_RATE: '100', VOICE_POLL: '1', ...keysOfTwo });
    await until(() => desk.sim.state().created === 4, 'two calls of each key');
    desk.sim.control({ speed: 60 });
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ done: 12, attempts: 12 });
    const keys = desk.sim.state().keys;
    expect(keys).toHaveLength(2);
    for (const key of keys) expect(key.peakInFlight).toBe(2);
  });

  it('end after --limit new calls, and the next run makes as many again', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    desk.write('people.csv', people(12));
    const first = await desk.run([...args, '--limit', '5'], { VOICE_RATE: '100' });
    expect(first.code, first.stderr).toBe(0);
    expect(summaryOf(first)).toMatchObject({ rows: 12, done: 5, waiting: 7, queued: 0, calling: 0 });
    expect(first.stderr).toMatch(
      /^Limit of 5 new calls reached: 7 people wait\. Continue with: carillon run people\.csv --agent agent_1 --json --limit 5$/m,
    );
    expect(asked(desk).size).toBe(5);
    const second = await desk.run(['run', 'people.csv', '--agent', 'agent_1', '--limit', '6'], {
      VOICE_RATE: '100',
    });
    expect(second.code, second.stderr).toBe(0);
    expect(second.stdout).toMatch(
      /^Limit of 6 new calls reached: 1 person waits\. Continue with: carillon run people\.csv --agent agent_1 --limit 6$/m,
    );
    const third = await desk.run([...args, '--limit', '5'], { VOICE_RATE: '100' });
    expect(third.code).toBe(0);
    expect(summaryOf(third)).toMatchObject({ rows: 12, done: 12, waiting: 0 });
    expect(third.stderr).not.toMatch(/limit of/i);
    await expectSound(desk);
  });

  it('cannot be limited below 1: exit 2, one line', async ({ openDesk }) => {
    const desk = await openDesk('postgres');
    desk.write('people.csv', people(2));
    expectRefused(await desk.run([...args, '--max-calls', '0']), /calls at once/);
    expectRefused(await desk.run([...args, '--limit', '0']), /--limit.*whole number of 1 or more/);
    expectRefused(await desk.run(args, { VOICE_MAX_CALLS: '-1' }), /VOICE_MAX_CALLS/);
    expect(creates(desk)).toEqual([]);
  });
});
