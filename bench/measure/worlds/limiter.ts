/**
 * The limiters that services use, as models in virtual time. Several may hold at once: a request must pass them all.
 */
export type Kind = 'create' | 'poll';

export type LimitSpec = {
  kind: 'bucket' | 'fixed' | 'sliding' | 'counters' | 'leaky';
  /** Requests a second on average, before any change. */
  rate: number;
  /** The size of a bucket, the length of a window, the room of a leaky queue: all in seconds of the rate. */
  seconds: number;
  /** The requests that it counts. */
  scope: 'all' | Kind;
  /** A window that begins with the clock's own minutes and seconds, not at a time of its own. */
  onClock?: boolean;
};

export type Limiter = {
  spec: LimitSpec;
  /** Milliseconds until it would admit a request; 0 when it admits one now. */
  waitMs(at: number): number;
  /** Counts a request that was admitted; returns how long the service holds it. */
  take(at: number): number;
};

/** `scale` is the current factor of the limit; `phase` is the point at which a window begins. */
export function limiterOf(spec: LimitSpec, scale: (at: number) => number, phase: number): Limiter {
  return { spec, ...makers[spec.kind](spec, scale, spec.onClock ? 0 : phase) };
}

type Maker = (
  spec: LimitSpec,
  scale: (at: number) => number,
  phase: number,
) => Pick<Limiter, 'waitMs' | 'take'>;

const nearly = 1e-9;

const makers: Record<LimitSpec['kind'], Maker> = {
  bucket({ rate, seconds }, scale) {
    const most = (at: number) => Math.max(1, rate * seconds * scale(at));
    let tokens = most(0);
    let last = 0;
    const fill = (at: number) => {
      tokens = Math.min(most(at), tokens + (Math.max(0, at - last) / 1_000) * rate * scale(at));
      last = Math.max(last, at);
    };
    return {
      waitMs(at) {
        fill(at);
        return tokens >= 1 - nearly ? 0 : ((1 - tokens) / (rate * scale(at))) * 1_000;
      },
      take() {
        tokens -= 1;
        return 0;
      },
    };
  },
  fixed({ rate, seconds }, scale, phase) {
    const ms = seconds * 1_000;
    let window = -1;
    let used = 0;
    return {
      waitMs(at) {
        const place = at + phase * ms;
        const current = Math.floor(place / ms);
        if (current > window) {
          used = 0;
          window = current;
        }
        return used < wholeOf(rate * seconds * scale(at)) ? 0 : (window + 1) * ms - place;
      },
      take() {
        used += 1;
        return 0;
      },
    };
  },
  sliding({ rate, seconds }, scale) {
    const ms = seconds * 1_000;
    const taken = createLine();
    return {
      waitMs(at) {
        while (taken.length() > 0 && taken.first() <= at - ms) taken.shift();
        const most = wholeOf(rate * seconds * scale(at));
        return taken.length() < most ? 0 : Math.max(nearly, taken.at(taken.length() - most) + ms - at);
      },
      take(at) {
        taken.push(at);
        return 0;
      },
    };
  },
  /** Two counters approximate a sliding window: the older one counts by its share still inside. */
  counters({ rate, seconds }, scale, phase) {
    const ms = seconds * 1_000;
    let window = -1;
    let before = 0;
    let used = 0;
    return {
      waitMs(at) {
        const place = at + phase * ms;
        const current = Math.floor(place / ms);
        if (current > window) {
          before = current === window + 1 ? used : 0;
          used = 0;
          window = current;
        }
        const share = 1 - (place - current * ms) / ms;
        const over = before * share + used + 1 - Math.max(1, rate * seconds * scale(at));
        if (over <= nearly) return 0;
        return before > 0 ? Math.min((over / before) * ms, share * ms + nearly) : share * ms;
      },
      take() {
        used += 1;
        return 0;
      },
    };
  },
  /** Answers at an even rate, later and later; refuses while its queue is full. */
  leaky({ rate, seconds }, scale) {
    let free = 0;
    return {
      waitMs: (at) => Math.max(0, free - at - seconds * 1_000),
      take(at) {
        const start = Math.max(at, free);
        free = start + 1_000 / (rate * scale(at));
        return start - at;
      },
    };
  },
};

function wholeOf(count: number): number {
  return Math.max(1, Math.floor(count + nearly));
}

/** A queue of times that does not move its elements when the first one leaves. */
function createLine() {
  let times: number[] = [];
  let from = 0;
  return {
    length: () => times.length - from,
    first: () => times[from]!,
    at: (place: number) => times[from + place]!,
    push: (time: number) => times.push(time),
    shift() {
      from += 1;
      if (from > 4_096 && from * 2 > times.length) {
        times = times.slice(from);
        from = 0;
      }
    },
  };
}
