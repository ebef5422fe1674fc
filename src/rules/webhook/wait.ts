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
