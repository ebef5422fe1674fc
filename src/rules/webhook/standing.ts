import { patienceMs, waitAfter } from './wait.ts';

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
