/**
 * What a lane has learned about how many calls the service allows at once. A 429 for too many calls refuses only
 * creates, and continues until a call ends; a 429 for the rate refuses whatever comes next. Pure.
 */
export type Cap = {
  /** Calls at once, as the ledger counts them; null without a sign of a cap. */
  most: number | null;
  since: number;
  /** Creates refused in a row, with polls that passed between them. */
  refused: number;
  /** Polls that passed since the last refused create. */
  passed: number;
  /** When more calls are tried, how many more, and how many such tries failed in a row. */
  tryAt: number;
  step: number;
  failed: number;
};

/** How many creates must be refused while polls pass: a rate limit seldom causes that by chance. */
const proof = 3;
const tryMs = 30_000;
const mostTryMs = 600_000;
/** A try that is not refused for this long has succeeded. */
const settledMs = 5_000;

export function newCap(now: number): Cap {
  return { most: null, since: now, refused: 0, passed: 0, tryAt: 0, step: 1, failed: 0 };
}

/** How many calls are allowed now. */
export function capAt(cap: Cap, now: number): number | null {
  if (cap.most === null) return null;
  return now >= cap.tryAt ? cap.most + cap.step : cap.most;
}

/** Judges a 429. `isCap` says that it means too many calls at once, and not the rate. */
export function capAfterBusy(
  cap: Cap,
  { now, kind, inFlight }: { now: number; kind: 'create' | 'poll'; inFlight: number },
): { cap: Cap; isCap: boolean } {
  // With no call in progress it cannot mean a cap, and a refused poll means the rate.
  if (kind === 'poll' || inFlight < 1) return { cap: { ...cap, refused: 0, passed: 0 }, isCap: false };
  if (cap.most !== null && inFlight >= cap.most) return { cap: lower(cap, now, inFlight), isCap: true };
  const refused = cap.refused === 0 || cap.passed > 0 ? cap.refused + 1 : cap.refused;
  if (refused >= proof) return { cap: lower(cap, now, inFlight), isCap: true };
  return { cap: { ...cap, refused, passed: 0 }, isCap: false };
}

export function capAfterClean(cap: Cap, heard: { now: number; creates: number; polls: number }): Cap {
  const { now, creates, polls } = heard;
  if (creates === 0) return cap.refused > 0 && polls > 0 ? { ...cap, passed: cap.passed + polls } : cap;
  const calm = cap.refused > 0 ? { ...cap, refused: 0, passed: 0 } : cap;
  if (cap.most === null || now < cap.tryAt + settledMs) return calm;
  return {
    ...calm,
    most: cap.most + cap.step,
    since: now,
    tryAt: now + tryMs / 2,
    step: cap.step * 2,
    failed: 0,
  };
}

function lower(cap: Cap, now: number, inFlight: number): Cap {
  const tried = cap.most !== null && now >= cap.tryAt;
  const failed = tried ? cap.failed + 1 : cap.failed;
  const most = Math.min(cap.most ?? inFlight, inFlight);
  return {
    most,
    since: most === cap.most ? cap.since : now,
    refused: 0,
    passed: 0,
    tryAt: now + Math.min(mostTryMs, tryMs * 2 ** failed),
    step: 1,
    failed,
  };
}
