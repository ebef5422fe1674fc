import type { World } from './draw.ts';
import { type Played, strangersAt } from './play.ts';

/** How well a client used a world: how much was accepted, of what the world's limits allowed. */
export type Score = { used: number; refused: number; changes: Change[] };
/** The figures after a sudden change: seconds until 90 % of the new limit was used, and the first 75 s. */
export type Change = { factor: number; settled: number; used: number; refused: number };

/** Requests that a second allows, and creates among them, for a client that polls so often. */
export function allowedOf(world: World, second: number, pollsPerCall: number): number {
  const at = second * 1_000 + 500;
  const scale = world.scale(at);
  const perCall = 1 + pollsPerCall;
  let all = Number.POSITIVE_INFINITY;
  let calls = Number.POSITIVE_INFINITY;
  for (const [i, { kind, rate, seconds, scope }] of world.limits.entries()) {
    // A window holds whole requests.
    const whole = kind === 'fixed' || kind === 'sliding';
    const most = whole ? Math.max(1, Math.floor(rate * seconds * scale + 1e-9)) / seconds : rate * scale;
    const left = most * (i === 0 ? 1 - strangersAt(world, at) : 1);
    if (scope === 'all') all = Math.min(all, left);
    else calls = Math.min(calls, scope === 'create' ? left : left / pollsPerCall);
  }
  // A call lasts on average 1.28 times its median.
  if (world.maxCalls !== null) calls = Math.min(calls, world.maxCalls / (world.callSeconds * 1.28));
  return Math.min(all, calls * perCall);
}

export function score(world: World, played: Played): Score {
  const seconds = world.minutes * 60;
  const allowed = new Float64Array(seconds);
  let day = 0;
  for (let i = 0; i < seconds; i++) {
    const most = allowedOf(world, i, played.pollsPerCall);
    allowed[i] = world.quota === null ? most : Math.min(most, Math.max(0, world.quota - day));
    day += allowed[i]!;
  }
  const sum = (of: ArrayLike<number>, from: number, until: number) => {
    let total = 0;
    for (let i = Math.max(0, Math.floor(from)); i < Math.min(seconds, until); i++) total += of[i]!;
    return total;
  };
  const ratio = (from: number, until: number) =>
    sum(played.accepted, from, until) / Math.max(1e-9, sum(allowed, from, until));
  const refusedIn = (from: number, until: number) => {
    const refused = sum(played.refused, from, until);
    return refused / Math.max(1, refused + sum(played.accepted, from, until));
  };
  const longest = Math.max(...world.limits.map((limit) => (limit.kind === 'bucket' ? 0 : limit.seconds)));
  const span = Math.max(10, Math.min(120, longest));
  return {
    used: ratio(0, seconds),
    refused: refusedIn(0, seconds),
    changes: world.changes
      .filter((at) => at / 1_000 + 75 < seconds)
      .map((at) => {
        const from = Math.ceil(at / 1_000);
        let settled = Number.POSITIVE_INFINITY;
        for (let i = from; i + span < seconds; i++) {
          const share = ratio(i, i + span);
          if (share >= 0.9 && share < 1.3) {
            settled = i - from;
            break;
          }
        }
        return {
          factor: world.scale(at + 1) / world.scale(at - 1),
          settled,
          used: ratio(from, from + 75),
          refused: refusedIn(from, from + 75),
        };
      }),
  };
}
