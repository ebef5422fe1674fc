/** When a campaign pauses by itself, and how its reason is recognised. */
export type Brake = 'first' | 'stop-at';

/** Fewer calls than these say nothing about how many fail. */
export const leastCalls = 5;

/** Why a paused campaign stopped by itself; null when somebody or something else paused it. */
export function brakeOf(reason: string | null): Brake | null {
  if (reason === 'first') return 'first';
  return reason?.startsWith('stop-at:') ? 'stop-at' : null;
}
