/** Whether an address takes what it is sent. An address that does not is tried with one event at a time, then rests. */
export type AddressState = {
  state: 'active' | 'failing' | 'resting';
  /** Why it fails or rests, for a person. */
  reason: string | null;
  since: number;
  tries: number;
  nextAt: number | null;
};

/** `away`: nothing that the event could have caused. `gone`: the receiver wants no more. */
export type SendEnd = { ok: boolean; away: boolean; gone: boolean; error: string };

export type Address = {
  state(): AddressState;
  /** Whether one event may be sent to find out if it takes events again. `fresh`: one that was never tried. */
  mayProbe(now: number, fresh: boolean): boolean;
  /** True when what is sent now tests whether it takes events again. */
  began(): boolean;
  undo(probe: boolean): void;
  failed(from: { line: string; probe: boolean }, end: SendEnd, now: number): void;
  /** `outage`: it failed until now; `doubt`: only the last events were not taken; null: it was taking events. */
  took(now: number): 'outage' | 'doubt' | null;
};

/**
 * A refused event may itself be the cause. This many different lines in a row without one that is taken show that the
 * address is.
 */
const mostFailures = 5;
const freshMs = 30_000;

export function createAddress(start: AddressState): Address {
  let now: AddressState = { ...start };
  let probing = false;
  /** An address that answers may have refused only bad events: one that was never tried is tried by then. */
  let freshAt = Number.POSITIVE_INFINITY;
  const failures = new Set<string>();

  const rest = (reason: string, at: number) => {
    now = { state: 'resting', reason, since: at, tries: now.tries, nextAt: null };
  };

  return {
    state: () => now,
    mayProbe: (at, fresh) =>
      now.state === 'failing' && !probing && at >= Math.min(now.nextAt ?? 0, fresh ? freshAt : Infinity),
    began() {
      probing = now.state === 'failing';
      return probing;
    },
    undo(probe) {
      if (probe) probing = false;
    },

    failed({ line, probe }, { away, gone, error }, at) {
      failures.add(line);
      if (now.state === 'resting') return;
      if (gone) return rest(`the receiver wants no more events: ${error}`, at);
      if (now.state === 'active') {
        if (!away && failures.size < mostFailures) return;
        now = { state: 'failing', reason: error, since: at, tries: 1, nextAt: at + waitAfter(1, 0)! };
        return;
      }
      // It was sent before the address began to fail.
      if (!probe) return;
      probing = false;
      const tries = now.tries + 1;
      const wait = waitAfter(tries, at - now.since);
      if (wait === null)
        return rest(`no event was taken for ${patienceMs / 86_400_000} days; the last time: ${error}`, at);
      now = { ...now, reason: error, tries, nextAt: at + wait };
      freshAt = away ? Number.POSITIVE_INFINITY : at + freshMs;
    },

    took(at) {
      const doubted = failures.size > 0;
      failures.clear();
      if (now.state !== 'failing') return doubted ? 'doubt' : null;
      probing = false;
      freshAt = Number.POSITIVE_INFINITY;
      now = { state: 'active', reason: null, since: at, tries: 0, nextAt: null };
      return 'outage';
    },
  };
}

/** When an event that an address did not take is sent again. */
const firstMs = 1_000;
/** A short outage is noticed soon: for ten minutes, tries are at most this far apart. */
const shortMs = 30_000;
const shortlyMs = 600_000;
/** Later tries are a tenth of the outage apart, up to an hour. */
const share = 0.1;
const mostMs = 3_600_000;
/** An address counts as dead after this long, and an event as one that is never taken. */
export const patienceMs = 3 * 86_400_000;

/** The wait after `tries` failed tries, the first of them `sinceMs` ago; null when it was the last one. */
export function waitAfter(tries: number, sinceMs: number): number | null {
  if (sinceMs >= patienceMs) return null;
  const doubled = Math.min(shortMs, firstMs * 2 ** (tries - 1));
  if (sinceMs < shortlyMs) return doubled;
  // The last try is at the end of the three days.
  const grown = Math.max(doubled, Math.min(mostMs, Math.round(sinceMs * share)));
  return Math.min(grown, patienceMs - sinceMs);
}
