import { decideScript, defaultShares } from '../../simulator/fates.ts';
import type { Entry } from './service.ts';

/** Each call of a run as the service saw it: when it was made, when it ended, and when it was polled. */
export type Followed = {
  phone: string;
  madeAt: number;
  endedAt: number;
  /** When the first poll after its end arrived; null if none did. */
  knownAt: number | null;
  /** The polls, in order. */
  asked: number[];
};

/** A poll at the very moment of the end may count as before or after it. */
const momentMs = 3;

export function followCalls(
  entries: readonly Entry[],
  { seed, speed }: { seed: number; speed: number },
): Followed[] {
  const calls = new Map<string, Followed>();
  const fortune = { seed, shares: defaultShares, forced: { phones: {}, endings: {} } };
  for (const { method, path, answer, phone, call, mono } of entries) {
    if (!call || !phone) continue;
    if (method === 'POST' && path === '/v1/call' && answer === 201) {
      const { queueMs, ringMs, talkMs } = decideScript(fortune, phone, 0);
      const endedAt = mono + (queueMs + ringMs + talkMs) / speed;
      calls.set(call, { phone, madeAt: mono, endedAt, knownAt: null, asked: [] });
    }
    const known = calls.get(call);
    if (method !== 'GET' || answer !== 200 || !known) continue;
    known.asked.push(mono);
    if (mono > known.endedAt - momentMs) known.knownAt ??= mono;
  }
  return [...calls.values()];
}

export type Lag = { mean: number; p95: number; most: number };

/** How late results were known, in simulated seconds. An end that was never polled is infinitely late. */
export function lagOf(calls: readonly Followed[], speed: number): Lag {
  const lags = calls
    .map(({ knownAt, endedAt }) =>
      knownAt === null ? Number.POSITIVE_INFINITY : (Math.max(0, knownAt - endedAt) * speed) / 1_000,
    )
    .sort((a, b) => a - b);
  return {
    mean: lags.reduce((sum, lag) => sum + lag, 0) / lags.length,
    p95: lags[Math.floor(lags.length * 0.95)]!,
    most: lags.at(-1)!,
  };
}
