/** Models of the services' limiters: how each answers a request that arrives at a given virtual time. */
export type Verdict = {
  ok: boolean;
  /** The answer's Retry-After, if it has one. */
  retryAfterMs: number | null;
  /** How long the service holds the request before it answers. */
  heldMs: number;
};
export type Limiter = (at: number) => Verdict;

export type Service = {
  name: string;
  /** Requests a second, on average. */
  rate: number;
  /** The time over which it counts, to judge how soon a change is found. */
  windowMs: number;
  /** How many minutes to watch, if half an hour is less than one window. */
  minutes?: number;
  /** `scale` changes the limit while it runs. */
  create(scale: () => number, phase: number): Limiter;
};

const yes: Verdict = { ok: true, retryAfterMs: null, heldMs: 0 };
const no = (retryAfterMs: number | null = null): Verdict => ({ ok: false, retryAfterMs, heldMs: 0 });

type Tell = (waitMs: number, at: number) => number | null;
const silent: Tell = () => null;
const inSeconds: Tell = (waitMs) => Math.ceil(waitMs / 1_000) * 1_000;
/** A date has only whole seconds, and the client subtracts its own clock. */
const asDate: Tell = (waitMs, at) => Math.max(0, Math.floor((at + waitMs) / 1_000) * 1_000 - at);
const lying: Tell = () => 0;

function bucket(rate: number, burst: number, tell: Tell = silent): Service['create'] {
  return (scale) => {
    let tokens = burst;
    let last = 0;
    return (at) => {
      tokens = Math.min(burst, tokens + ((at - last) / 1_000) * rate * scale());
      last = at;
      if (tokens < 1 - 1e-9) return no(tell(((1 - tokens) / (rate * scale())) * 1_000, at));
      tokens -= 1;
      return yes;
    };
  };
}

function fixed(most: number, ms: number, tell: Tell = silent): Service['create'] {
  return (scale, phase) => {
    let window = -1;
    let used = 0;
    return (at) => {
      const now = at + phase * ms;
      const current = Math.floor(now / ms);
      if (current !== window) used = 0;
      window = current;
      if (used >= Math.floor(most * scale())) return no(tell((current + 1) * ms - now, at));
      used += 1;
      return yes;
    };
  };
}

function sliding(most: number, ms: number): Service['create'] {
  return (scale) => {
    const taken: number[] = [];
    return (at) => {
      while (taken.length > 0 && taken[0]! <= at - ms) taken.shift();
      if (taken.length >= Math.floor(most * scale())) return no();
      taken.push(at);
      return yes;
    };
  };
}

/** Two counters approximate a sliding window: the older one is weighted by its share still inside. */
function counters(most: number, ms: number): Service['create'] {
  return (scale, phase) => {
    let window = 0;
    let before = 0;
    let used = 0;
    return (at) => {
      const now = at + phase * ms;
      const current = Math.floor(now / ms);
      if (current !== window) {
        before = current === window + 1 ? used : 0;
        used = 0;
        window = current;
      }
      const share = 1 - (now - current * ms) / ms;
      if (before * share + used >= most * scale()) return no();
      used += 1;
      return yes;
    };
  };
}

/** Answers at an even rate; refuses requests while its queue is full. */
function leaky(rate: number, places: number): Service['create'] {
  return (scale) => {
    let free = 0;
    return (at) => {
      const gap = 1_000 / (rate * scale());
      const start = Math.max(at, free);
      if (start - at >= places * gap) return no();
      free = start + gap;
      return { ok: true, retryAfterMs: null, heldMs: start - at };
    };
  };
}

const minute = 60_000;
export const services: readonly Service[] = [
  { name: 'bucket 1/s', rate: 1, windowMs: 1_000, create: bucket(1, 1) },
  { name: 'bucket 5/s', rate: 5, windowMs: 1_000, create: bucket(5, 5) },
  { name: 'bucket 50/s', rate: 50, windowMs: 1_000, create: bucket(50, 50) },
  { name: 'fixed 60/min', rate: 1, windowMs: minute, create: fixed(60, minute) },
  { name: 'fixed 300/min', rate: 5, windowMs: minute, create: fixed(300, minute) },
  { name: 'sliding 10/s', rate: 10, windowMs: 1_000, create: sliding(10, 1_000) },
  { name: 'bucket 200/s', rate: 200, windowMs: 1_000, create: bucket(200, 200) },
  { name: 'bucket 10/s, holds 1', rate: 10, windowMs: 1_000, create: bucket(10, 1) },
  { name: 'bucket 10/s, holds 60', rate: 10, windowMs: 6_000, create: bucket(10, 60) },
  { name: 'sliding 100/min', rate: 100 / 60, windowMs: minute, create: sliding(100, minute) },
  { name: 'fixed 20/s', rate: 20, windowMs: 1_000, create: fixed(20, 1_000) },
  { name: 'two counters 600/min', rate: 10, windowMs: minute, create: counters(600, minute) },
  { name: 'leaky 10/s, queue of 20', rate: 10, windowMs: 2_000, create: leaky(10, 20) },
  { name: 'bucket 5/s, says seconds', rate: 5, windowMs: 1_000, create: bucket(5, 5, inSeconds) },
  { name: 'fixed 60/min, says a date', rate: 1, windowMs: minute, create: fixed(60, minute, asDate) },
  {
    name: 'fixed 1000/h',
    rate: 1_000 / 3_600,
    windowMs: 3_600_000,
    minutes: 360,
    create: fixed(1_000, 3_600_000),
  },
  { name: 'bucket 5/s, says 0', rate: 5, windowMs: 1_000, create: bucket(5, 5, lying) },
];
