import type { Random } from '../../src/base/clock.ts';
import type { System, SystemMaker } from '../measure/limits/play.ts';

/**
 * The peers, as models of their published algorithms: none of the libraries runs under a virtual clock. A peer that
 * needs a rate gets 10 a second, because the right one is not known. Each has 50 workers with one job each.
 */
const workers = 50;
const guess = 10;

/** Exponential back-off with full jitter, the usual way to use each peer. */
function backOff(tries: number, random: Random): number {
  return random() * Math.min(20_000, 1_000 * 2 ** tries);
}

/** Workers that each send, wait for the answer, and back off independently after a 429. */
function crew(random: Random, gate: { at(now: number): number; taken(now: number): void }): System {
  const free: number[] = Array.from({ length: workers }, () => 0);
  const tries = new Map<number, number>();
  const away: { sentAt: number; tries: number }[] = [];
  return {
    nextAt: (now) =>
      free.length === 0 ? Number.POSITIVE_INFINITY : Math.max(gate.at(now), Math.min(...free)),
    sent(at) {
      const first = free.indexOf(Math.min(...free));
      const since = free.splice(first, 1)[0]!;
      away.push({ sentAt: at, tries: tries.get(since) ?? 0 });
      tries.delete(since);
      gate.taken(at);
    },
    answered({ now, sentAt, ok, retryAfterMs }) {
      const place = away.findIndex((each) => each.sentAt === sentAt);
      const [own] = away.splice(Math.max(0, place), 1);
      const count = ok ? 0 : own!.tries + 1;
      const back = ok ? now : now + Math.max(retryAfterMs ?? 0, backOff(count, random)) + random() * 1e-3;
      free.push(back);
      if (count > 0) tries.set(back, count);
    },
  };
}

/** bottleneck with minTime: a fixed, even rate. */
export const bottleneck: SystemMaker = (random) => {
  let next = 0;
  return crew(random, {
    at: (now) => Math.max(now, next),
    taken(now) {
      next = now + 1_000 / guess;
    },
  });
};

/** p-queue with interval and intervalCap: a burst at the beginning of each second. */
export const pQueue: SystemMaker = (random) => {
  let began = 0;
  let used = 0;
  return crew(random, {
    at: (now) => (used < guess || now >= began + 1_000 ? now : began + 1_000),
    taken(now) {
      if (now >= began + 1_000) {
        began = now;
        used = 0;
      }
      used += 1;
    },
  });
};

/** BullMQ's limiter, max in duration, and `rateLimit` for the whole queue after a 429, longer each time. */
export const bullmq: SystemMaker = (random) => {
  let began = 0;
  let used = 0;
  let shutUntil = 0;
  let inARow = 0;
  let underWay = 0;
  return {
    nextAt(now) {
      if (underWay >= workers) return Number.POSITIVE_INFINITY;
      const opens = used < guess || now >= began + 1_000 ? now : began + 1_000;
      return Math.max(opens, shutUntil);
    },
    sent(at) {
      if (at >= began + 1_000) {
        began = at;
        used = 0;
      }
      used += 1;
      underWay += 1;
    },
    answered({ now, ok, retryAfterMs }) {
      underWay -= 1;
      if (ok) inARow = 0;
      else if (now >= shutUntil) {
        inARow += 1;
        shutUntil = now + Math.max(retryAfterMs ?? 0, backOff(inARow, random));
      }
    },
  };
};

/** Additive increase each second, halved by a 429 once a second. */
export const aimd: SystemMaker = () => {
  let rate = 2;
  let next = 0;
  let cutAt = -1_000;
  let grownAt = 0;
  return {
    nextAt: (now) => Math.max(now, next),
    sent(at) {
      next = at + 1_000 / rate;
    },
    answered({ now, sentAt, ok }) {
      if (ok && now - grownAt >= 1_000) {
        rate += 0.5;
        grownAt = now;
      }
      if (ok || sentAt < cutAt || now - cutAt < 1_000) return;
      rate = Math.max(0.1, rate / 2);
      cutAt = now;
    },
  };
};

/** The AWS SDKs' adaptive retry mode: a token bucket that a 429 switches on, its rate on a CUBIC curve. */
export const awsAdaptive: SystemMaker = (random) => {
  const beta = 0.7;
  const scale = 0.4;
  const smooth = 0.8;
  let enabled = false;
  let fill = 0.5;
  let most = 1;
  let tokens = 0;
  let filledAt = 0;
  let measured = 0;
  let counted = 0;
  let bucketAt = 0;
  let lastMax = 0;
  let throttledAt = 0;
  let window = 0;

  const refill = (now: number) => {
    tokens = Math.min(most, tokens + ((now - filledAt) / 1_000) * fill);
    filledAt = now;
  };
  const own = crew(random, {
    at(now) {
      if (!enabled) return now;
      refill(now);
      return tokens >= 1 ? now : now + ((1 - tokens) / fill) * 1_000 + 1e-6;
    },
    taken() {
      if (enabled) tokens -= 1;
    },
  });
  return {
    nextAt: own.nextAt,
    sent: own.sent,
    answered(heard) {
      const now = heard.now;
      counted += 1;
      const half = Math.floor(now / 500) / 2;
      if (half > bucketAt) {
        measured = (counted / (half - bucketAt)) * smooth + measured * (1 - smooth);
        counted = 0;
        bucketAt = half;
      }
      let rate: number;
      if (!heard.ok) {
        lastMax = enabled ? Math.min(measured, fill) : measured;
        window = Math.cbrt((lastMax * (1 - beta)) / scale);
        throttledAt = now;
        rate = lastMax * beta;
        if (!enabled) filledAt = now;
        enabled = true;
      } else {
        window = Math.cbrt((lastMax * (1 - beta)) / scale);
        rate = scale * ((now - throttledAt) / 1_000 - window) ** 3 + lastMax;
      }
      if (enabled) {
        refill(now);
        fill = Math.max(0.5, Math.min(rate, 2 * measured));
        most = Math.max(1, fill);
        tokens = Math.min(tokens, most);
      }
      own.answered(heard);
    },
  };
};
