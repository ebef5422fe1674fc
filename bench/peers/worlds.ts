import type { Random } from '../../src/base/clock.ts';
import type { Client, ClientMaker, Heard } from '../measure/worlds/play.ts';

/**
 * Peers that need no given rate, as models of their published algorithms. They share nothing between processes, so each
 * key has one client however many processes the world has; and none distinguishes creates from polls.
 */
export const peers: Record<string, ClientMaker> = {
  'AWS adaptive': forEachKey(awsAdaptive),
  AIMD: forEachKey(aimd),
  'Google SRE throttling': forEachKey(googleThrottling),
  'ATB, one client': forEachKey(atb),
  'ATB, 20 clients': forEachKey(atbCrowd),
};

type Peer = Omit<Client, 'createAt'>;

function forEachKey(maker: (random: Random) => Peer): ClientMaker {
  return (random, { keys }) =>
    Array.from({ length: keys }, () => ({ ...maker(random), createAt: () => Number.NEGATIVE_INFINITY }));
}

const workers = 50;
const spanMs = 120_000;
const acceptsFactor = 2;
const pauseMs = 1_000;
const crowdSize = 20;

/**
 * Client-side throttling as in Google's book on site reliability: a request is rejected locally with the probability
 * (requests - 2 accepts) / (requests + 1), over two minutes. The book leaves open when a caller asks again: here each
 * of 50 workers does so a second after a refusal.
 */
function googleThrottling(random: Random): Peer {
  const tried = counter();
  const accepted = counter();
  /** When each worker asks next; the first one's next attempt is already let through. */
  const free: number[] = Array.from({ length: workers }, () => 0);
  let passed: number | null = null;
  return {
    nextAt(now) {
      if (passed !== null) return Math.max(now, passed);
      while (free.length > 0) {
        const first = free.indexOf(Math.min(...free));
        const at = Math.max(now, free[first]!);
        const requests = tried.sum(at);
        tried.add(at);
        const rejects = (requests - acceptsFactor * accepted.sum(at)) / (requests + 1);
        if (random() >= rejects) {
          free.splice(first, 1);
          passed = at;
          return at;
        }
        free[first] = at + pauseMs;
      }
      return Number.POSITIVE_INFINITY;
    },
    sent() {
      passed = null;
    },
    answered({ now, ok }: Heard) {
      if (ok) accepted.add(now);
      free.push(ok ? now : now + pauseMs);
    },
  };
}

/** Counts the last two minutes, by the second. */
function counter() {
  const seconds = spanMs / 1_000;
  const counts = new Int32Array(seconds);
  let last = 0;
  let sum = 0;
  const pass = (at: number) => {
    const second = Math.floor(at / 1_000);
    for (; last < second; last++) {
      sum -= counts[(last + 1) % seconds]!;
      counts[(last + 1) % seconds] = 0;
    }
  };
  return {
    add(at: number) {
      pass(at);
      counts[last % seconds]! += 1;
      sum += 1;
    },
    sum(at: number) {
      pass(at);
      return sum;
    },
  };
}

/**
 * The adaptive token bucket of Farkiani, Liu and Crowley (arXiv 2510.04516), with the values of their published
 * configuration: each success multiplies the rate by 1.2, each 429 halves it and empties the bucket. It sends one
 * request at a time, as theirs does. Their assisted variant is left out: it asks a telemetry server that is told the
 * true rate.
 */
function atb(): Peer {
  const most = 40;
  const step = 1.2;
  const leastStep = 0.01;
  // Theirs has no maximum, and grows without end if one request at a time never meets the limit.
  const mostRate = 10_000;
  let rate = 40 / 60;
  let tokens = 1;
  let filledAt = 0;
  let underWay = false;
  return {
    nextAt(now) {
      if (underWay) return Number.POSITIVE_INFINITY;
      const filled = Math.min(most, tokens + ((now - filledAt) / 1_000) * rate);
      return filled >= 1 ? now : now + ((1 - filled) / rate) * 1_000 + 1e-6;
    },
    sent(at) {
      tokens = Math.max(0, Math.min(most, tokens + ((at - filledAt) / 1_000) * rate) - 1);
      filledAt = at;
      underWay = true;
    },
    answered({ now, ok }) {
      underWay = false;
      if (ok) {
        // Tokens that came in at the old rate stay.
        tokens = Math.min(most, tokens + ((now - filledAt) / 1_000) * rate);
        rate = Math.min(mostRate, Math.max(rate + leastStep, rate * step));
      } else {
        tokens = 0;
        rate = Math.max(0.01, rate / 2);
      }
      filledAt = now;
    },
  };
}

/** Several of them share a key, as in the paper: each has a bucket of its own, and they do not know each other. */
function atbCrowd(): Peer {
  const crowd = Array.from({ length: crowdSize }, atb);
  const away: { sentAt: number; one: (typeof crowd)[0] }[] = [];
  let first = crowd[0]!;
  return {
    nextAt(now) {
      let at = Number.POSITIVE_INFINITY;
      for (const one of crowd) {
        const next = one.nextAt(now);
        if (next >= at) continue;
        at = next;
        first = one;
      }
      return at;
    },
    sent(at, kind) {
      first.sent(at, kind);
      away.push({ sentAt: at, one: first });
    },
    answered(heard) {
      const place = away.findIndex(({ sentAt }) => sentAt === heard.sentAt);
      const [own] = away.splice(place, 1);
      own!.one.answered(heard);
    },
  };
}

/** Exponential back-off with full jitter, as a worker does that was refused. */
function backOff(tries: number, random: Random): number {
  return random() * Math.min(20_000, 1_000 * 2 ** tries);
}

/** Workers that each send, wait for the answer, and back off independently after a 429. */
function crew(random: Random, gate: { at(now: number): number; taken(now: number): void }): Peer {
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

/** Additive increase each second, halved by a 429 once a second. */
function aimd(): Peer {
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
}

/** The AWS SDKs' adaptive retry mode: a token bucket that a 429 switches on, its rate on a CUBIC curve. */
function awsAdaptive(random: Random): Peer {
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
}
