import type { MaxCalls } from '../../base/config/keys.ts';

/** Calls that come in on a key, which takes no part in them: some room is kept for them. Pure. */
export type Inbound = {
  /** In progress when the service told it. */
  calls: number;
  at: number;
};

/** What the service told counts for this long, if it tells nothing newer. */
const keptMs = 60_000;

/** The calls that came in, if that is known; null where it is not. */
export function inboundNow(told: Inbound | undefined, now: number): number | null {
  return told && now - told.at <= keptMs ? told.calls : null;
}

/** Calls at once that may be made: those that came in and the room that is kept for more of them are taken off. */
export function leftToMake({ most, inbound }: MaxCalls, told: Inbound | undefined, now: number): number {
  return Math.max(0, most - inbound - (inboundNow(told, now) ?? 0));
}

/** The clock of the service is not ours. A call that was taken off in vain leaves room, until the service tells again. */
const slackMs = 1_000;

/**
 * Whether the service may no longer have counted this call when it told, while it was in progress as far as we knew. An
 * end that is still to come tells nothing.
 */
export function wasOver(
  told: Inbound | undefined,
  endedAt: number | null,
  dialedAt: number,
  now: number,
): boolean {
  if (told === undefined || dialedAt >= told.at) return false;
  return endedAt === null || endedAt <= told.at + slackMs || endedAt > now + slackMs;
}

/** Such a call hid one that came in. */
export function withOneMore<T extends { inbound?: Inbound }>(belief: T): T {
  const { inbound } = belief;
  return inbound ? { ...belief, inbound: { ...inbound, calls: inbound.calls + 1 } } : belief;
}
