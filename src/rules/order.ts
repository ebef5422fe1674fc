import type { Window } from './time/window.ts';

/** What the owner of a campaign ordered, as the ledger keeps it; src/control/order/order.ts reads it from flags and requests. */
export type Caller = { number: string } | { numberId: string };
export type OnUnknown = 'hold' | 'redial';

export type Order = {
  agentId: string;
  /** They take turns; none leaves the choice to the service. */
  callers: Caller[];
  timezone: string | null;
  /** Null is any hour of any day. */
  hours: Window | null;
  maxCalls: number | null;
  maxAttempts: number;
  /** Seconds until the next attempt, by outcome. */
  retry: Record<string, number>;
  /** What becomes of people of whom nobody knows whether they were called: held for a person, or called again, once. */
  onUnknown: OnUnknown;
  /** Seconds of delay in a result that one request is worth; null leaves it to the lane. */
  resultDelay: number | null;
  /** Its share of a key relative to other campaigns. */
  weight: number;
};
