import { createBoundedMap } from '../../base/bounded-map.ts';
import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';

/** How often a token may send requests, and what wrong tokens cost: in memory, because each process guards itself. */

/** How many milliseconds too early a request is, 0 when it may pass, and how many more may follow at once. */
export type TokenLimit = ((key: string) => { earlyMs: number; left: number }) & { perSecond: number };

/** How much of its rate a token may use at once. */
const burstMs = 1_000;
const mostKept = 10_000;

/** Keeps one number per token: the time at which its next request would be due if all were evenly spaced. */
export function createTokenLimit(perSecond: number, clock: Pick<Clock, 'monotonic'>): TokenLimit {
  const gapMs = 1_000 / perSecond;
  const due = createBoundedMap<number>(mostKept);
  const limit = (key: string) => {
    const now = clock.monotonic();
    const next = Math.max(due.get(key) ?? 0, now) + gapMs;
    const earlyMs = next - now - burstMs;
    if (earlyMs > 0.001) return { earlyMs, left: 0 };
    due.set(key, next);
    return { earlyMs: 0, left: Math.floor((0.001 - earlyMs) / gapMs) };
  };
  return Object.assign(limit, { perSecond });
}

/** How many questions to the service a token may have under way: they wait for the key's spare requests. */
const mostAsks = 20;

/** Counts a question; call the function when it is answered. */
export function createAskLimit(): (key: string) => () => void {
  const under = new Map<string, number>();
  const change = (key: string, by: number) => {
    const left = (under.get(key) ?? 0) + by;
    if (left > 0) under.set(key, left);
    else under.delete(key);
  };
  return (key) => {
    if ((under.get(key) ?? 0) >= mostAsks)
      throw new CarillonError(
        'too-many-requests',
        `${mostAsks} requests of this token already wait for the service`,
      );
    change(key, 1);
    return () => change(key, -1);
  };
}

/** Waits before a wrong token is answered, longer with each one from the same address, and logs them. */
type Failures = (address: string) => Promise<void>;

const firstMs = 20;
const mostMs = 5_000;
/** An address starts from zero after this long without a wrong token. */
const forgetMs = 10 * 60_000;

export function createFailures({ clock, log }: { clock: Clock; log: Log }): Failures {
  const failed = createBoundedMap<{ times: number; at: number }>(mostKept);
  return async (given) => {
    const address = networkOf(given);
    const now = clock.monotonic();
    const before = failed.get(address);
    const times = before && now - before.at < forgetMs ? before.times + 1 : 1;
    failed.set(address, { times, at: now });
    // Logged when the count doubles, so that a flood does not fill the log.
    if (Number.isInteger(Math.log2(times))) log.warn({ address, times }, 'a wrong token was sent');
    await clock.sleep(Math.min(mostMs, firstMs * 2 ** Math.min(times - 1, 20)));
  };
}

/** One household has 2^64 IPv6 addresses, so its network counts. An IPv4 address in IPv6 form is that address. */
export function networkOf(address: string): string {
  const [, short] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (short) return short;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%')[0]!.split('::');
  const parts = head.split(':').filter(Boolean);
  const after = tail?.split(':').filter(Boolean) ?? [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - parts.length - after.length);
  const all = [...parts, ...Array<string>(zeros).fill('0'), ...after];
  return `${all.slice(0, 4).join(':')}::/64`;
}
