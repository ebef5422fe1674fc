import type { World } from '../../../bench/measure/worlds/draw.ts';
import { type ClientMaker, play } from '../../../bench/measure/worlds/play.ts';
import { allowedOf, score } from '../../../bench/measure/worlds/score.ts';

/**
 * The best that is possible in a world: a client that is told the limits and every change at once. It sends evenly at a
 * share of them, waits as long as a refusal says, and stops when a quota is used up.
 */
const never = 1e12;
/** A limit by the second opens before a time in whole seconds has passed. */
const longMs = 2_000;
/** Only the rate matters here: how often a call is polled says which part of it a limit of creates leaves unused. */
const pollsPerCall = 1.6;
const shares = [1, 0.98, 0.95, 0.9, 0.8, 0.6, 0.3];

/**
 * A world counts as possible if such a client uses 80 % of it and is refused at most 5 %, at one of these shares. It is
 * not where strangers at random fill a small window, or where a network that varies by more than the time between two
 * requests meets a bucket of one: losses there are not the rule's fault.
 */
export function isPossible(drawn: World): boolean {
  const world: World = { ...drawn, retryAfter: 'seconds' };
  return shares.some((share) => {
    const { used, refused } = score(world, play(world, knowing(share)));
    return used >= 0.8 && refused <= 0.05;
  });
}

function knowing(share: number): ClientMaker {
  return (_random, world) => {
    const { limits, keys, maxCalls, quota } = world;
    const ofAll: World = { ...world, maxCalls: null, limits: limits.filter(({ scope }) => scope === 'all') };
    const ofCreates = limits.find(({ scope }) => scope === 'create');
    const gapMs = (now: number) =>
      (1_000 * keys) / (share * allowedOf(ofAll, Math.floor(now / 1_000), pollsPerCall));
    const createGapMs = (now: number) =>
      ofCreates ? (1_000 * keys) / (share * ofCreates.rate * world.scale(now)) : 0;
    let accepted = 0;
    return Array.from({ length: keys }, () => {
      let last = -never;
      let lastCreate = -never;
      let rests = 0;
      let createsRest = 0;
      return {
        nextAt: (now) => (quota !== null && accepted >= quota ? never : Math.max(rests, last + gapMs(now))),
        createAt: (now, calls) =>
          maxCalls !== null && calls >= maxCalls
            ? now + 50
            : Math.max(createsRest, lastCreate + createGapMs(now)),
        sent(at, kind) {
          last = at;
          // A create that had to wait for the pace of the key does not delay the next one.
          const gap = createGapMs(at);
          if (kind === 'create') lastCreate = Math.max(lastCreate + gap, at - gap);
        },
        answered({ now, ok, kind, retryAfterMs }) {
          if (ok) accepted += 1;
          else if (retryAfterMs !== null && retryAfterMs > longMs) {
            if (kind === 'create' && (ofCreates || maxCalls !== null)) createsRest = now + retryAfterMs;
            else rests = now + retryAfterMs;
          }
        },
      };
    });
  };
}
