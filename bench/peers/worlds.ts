import type { Random } from '../../src/base/clock.ts';
import type { SystemMaker } from '../measure/limits/play.ts';
import type { Client, ClientMaker, Heard } from '../measure/worlds/play.ts';
import { aimd, awsAdaptive } from './limits.ts';

/**
 * Peers that need no given rate, as models of their published algorithms. They share nothing between processes, so each
 * key has one client however many processes the world has; and none distinguishes creates from polls.
 */
export const peers: Record<string, ClientMaker> = {
  'AWS adaptive': fromSystem(awsAdaptive),
  AIMD: fromSystem(aimd),
  'Google SRE throttling': forEachKey(googleThrottling),
  'ATB, one client': forEachKey(atb),
  'ATB, 20 clients': forEachKey(atbCrowd),
};

function forEachKey(maker: (random: Random) => Omit<Client, 'createAt'>): ClientMaker {
  return (random, { keys }) =>
    Array.from({ length: keys }, () => ({ ...maker(random), createAt: () => Number.NEGATIVE_INFINITY }));
}

function fromSystem(maker: SystemMaker): ClientMaker {
  return forEachKey(maker);
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
function googleThrottling(random: Random): Omit<Client, 'createAt'> {
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
function atb(): Omit<Client, 'createAt'> {
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
function atbCrowd(): Omit<Client, 'createAt'> {
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
