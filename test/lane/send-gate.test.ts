import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bucket } from '../../src/engine/bucket.ts';
import { createPacer, type Token } from '../../src/lane/pacer.ts';
import { createSecondCap } from '../../src/lane/per-second-cap.ts';
import { createSendGate } from '../../src/lane/send-gate.ts';
import { createManualClock, type ManualClock } from '../support/clock.ts';
import { createMeter } from '../support/meter.ts';

/** Sends requests of several processes, each with its own gate, over one bucket; returns when they left. */
async function send(options: {
  rate: number;
  counts: readonly number[];
  slackMs: number;
  lateMs(i: number): number;
}) {
  const clock = createManualClock();
  const bucket = createMeter(clock, options.rate);
  const left: number[] = [];
  let i = 0;
  const all = options.counts.flatMap((count) => {
    const { pacer, sendGate } = open(bucket, clock, options.rate, options.slackMs);
    return Array.from({ length: count }, async () => {
      const grant = await pacer.take('create');
      if (!grant.ok) throw new Error('no token');
      await clock.sleep(options.lateMs(i++));
      const passage = await sendGate.pass(grant);
      if (!passage.ok) throw new Error('the lane rests');
      passage.onSent();
      left.push(clock.monotonic());
    });
  });
  const total = options.counts.reduce((sum, count) => sum + count, 0);
  await clock.advance((total / options.rate) * 10_000 + 60_000);
  await Promise.all(all);
  return left.sort((a, b) => a - b);
}

function open(bucket: Bucket, clock: ManualClock, rate: number, slackMs = 600) {
  const secondCap = createSecondCap(() => rate, clock);
  const pacer = createPacer({ bucket, lane: 'x', pace: () => ({ rate, burst: 1 }), secondCap, clock });
  return { pacer, sendGate: createSendGate({ pacer, pace: () => ({ slackMs }), secondCap, clock }) };
}

/** How many requests a service would refuse if its bucket holds one second of its rate. */
function refusals(left: readonly number[], rate: number): number {
  let tokens = rate;
  let last = 0;
  let refused = 0;
  for (const at of left) {
    tokens = Math.min(rate, tokens + ((at - last) / 1_000) * rate);
    last = at;
    if (tokens < 1 - 1e-9) refused += 1;
    else tokens -= 1;
  }
  return refused;
}

describe('the send gate', () => {
  it('lets no request leave before its own token’s time', async () => {
    const clock = createManualClock();
    const { sendGate } = open(createMeter(clock, 10), clock, 10);
    const token: Token = { ok: true, due: 150, kind: 'create', handedAt: 0 };
    const passing = sendGate.pass(token).then(() => clock.monotonic());
    await clock.advance(500);
    expect(await passing).toBe(150);
  });

  it('gives another token to a request that is too late for its own', async () => {
    const clock = createManualClock();
    const { sendGate, pacer } = open(createMeter(clock, 2), clock, 2, 100);
    const grant = pacer.take('create');
    await clock.advance(1_000);
    const token = (await grant) as Token;
    const passing = sendGate.pass(token).then(() => clock.monotonic());
    await clock.advance(2_000);
    expect(await passing).toBeGreaterThan(token.due + 400);
  });

  it('lets nothing through while the service asks for a rest', async () => {
    const clock = createManualClock();
    const { sendGate, pacer } = open(createMeter(clock, 10), clock, 10);
    pacer.pause(5_000);
    expect(await sendGate.pass({ ok: true, due: 0, kind: 'poll', handedAt: 0 })).toEqual({
      ok: false,
      restMs: 5_000,
    });
  });

  it('always lets polls go first, however many creates wait and for however long', async () => {
    const clock = createManualClock();
    const rate = 20;
    const { sendGate } = open(createMeter(clock, rate), clock, rate);
    let creates = 0;
    const keepCreating = async () => {
      for (;;) {
        const passage = await sendGate.enter('create');
        if (!passage.ok) continue;
        passage.onSent();
        creates += 1;
      }
    };
    for (let i = 0; i < 30; i++) void keepCreating();
    const waits: number[] = [];
    for (let i = 0; i < 600; i++) {
      await clock.advance(100);
      const began = clock.monotonic();
      void sendGate.enter('poll').then((passage) => {
        if (passage.ok) passage.onSent();
        waits.push(clock.monotonic() - began);
      });
    }
    await clock.advance(2_000);
    expect(waits).toHaveLength(600);
    // A poll waits for its token and for requests that already had theirs, not for all that came earlier.
    const last = waits.slice(-100);
    expect(last.reduce((sum, wait) => sum + wait, 0) / last.length).toBeLessThan(200);
    // Hardly a token is lost: almost all that the cap lets through is used.
    expect(creates + waits.length).toBeGreaterThan(62 * rate * 0.96);
  });

  it('keeps several processes within the limit of a one-second bucket, however late they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(2, 5, 20, 40),
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 8, maxLength: 8 }),
        async (limit, processes, late) => {
          const counts = Array.from({ length: processes }, () => Math.ceil((limit * 3) / processes));
          const slackMs = Math.min(600, (1 - 1 / limit) * 800);
          const rate = limit * 0.985;
          const left = await send({ rate, counts, slackMs, lateMs: (i) => late[i % late.length]! });
          expect(left).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
          expect(refusals(left, limit)).toBe(0);
        },
      ),
      { numRuns: 40, seed: 7 },
    );
  });
});

describe('someone who asks and is gone', () => {
  it('leaves at once, in front of a token’s time too, and nothing is sent for them', async () => {
    const clock = createManualClock();
    const { sendGate } = open(createMeter(clock, 1), clock, 1);
    const first = sendGate.enter('ask');
    const gone = new AbortController();
    const second = sendGate.enter('ask', gone.signal);
    await clock.advance(1_100);
    gone.abort();
    expect(await second).toEqual({ ok: false, restMs: 0 });
    await clock.advance(30_000);
    expect(await first).toMatchObject({ ok: true });
  });

  it('leaves nothing behind on the signal of many questions', async () => {
    const clock = createManualClock();
    const { sendGate } = open(createMeter(clock, 10), clock, 10);
    const { signal } = new AbortController();
    const all = Array.from({ length: 20 }, () => sendGate.enter('ask', signal));
    await clock.advance(60_000);
    expect((await Promise.all(all)).every(({ ok }) => ok)).toBe(true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
