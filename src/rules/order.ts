import type { Times } from './calendar/calendar.ts';
import type { RetryWhen } from './retry.ts';

/**
 * The order of a campaign's owner as the ledger keeps it; src/control/order/order.ts reads it from flags and requests.
 */
export type Caller = { number: string } | { numberId: string };
/** `all`, or numbers of which the service's list says this, such as `label:sales`: whichever it lists at the time. */
export type ListedCallers = { listed: string };
/** Which number of several calls a person. */
export const callerChoices = ['rotate', 'local', 'sticky'] as const;
type CallerChoice = (typeof callerChoices)[number];
export const onUnknowns = ['hold', 'redial'] as const;
export type OnUnknown = (typeof onUnknowns)[number];

/** An agent, and its share of the people relative to the other agents of the order. */
export type AgentShare = { id: string; share: number };

export type StopAt = { percent: number; seconds: number };

export type Order = {
  /** One at least. */
  agents: AgentShare[];
  /** The settings of its agent that each call overrides. */
  override: Record<string, unknown> | null;
  /** The pool of numbers; an empty list leaves the choice to the service. */
  callers: (Caller | ListedCallers)[];
  /** In turn; from near the person; or from the number that the person knows. */
  caller: CallerChoice;
  /** How many calls each number may have at once, and in 24 hours, counting those of all campaigns. */
  perNumberCalls: number | null;
  perNumberDay: number | null;
  /** The country of the numbers in national form in its lists; null accepts none. */
  country: string | null;
  timezone: string | null;
  /** When people may be called; null is any hour of any day. */
  times: Times | null;
  maxCalls: number | null;
  maxAttempts: number;
  /** Seconds until the next attempt, by outcome: the nth for the nth end of this kind, the last for all after it. */
  retry: Record<string, number[]>;
  /** Seconds until a person's next number is tried, by outcome; without one, it is tried at the next attempt. */
  nextNumber?: Record<string, number>;
  /** Whether the next attempt moves to another part of the person's day. */
  retryWhen: RetryWhen;
  /** Whether people who are due again go before those who were never called; else the two take turns. */
  retryFirst: boolean;
  /** Calls this many people, then pauses until a person says to call the rest; null calls them all. */
  first: number | null;
  /** Whether a campaign that is done continues when people are added. */
  evergreen: boolean;
  /** What its calls may cost, in the service's currency; null sets no limit. */
  maxCost: number | null;
  /** Pauses when this many of a hundred calls failed in the last seconds; null never does. */
  stopAt: StopAt | null;
  /** What to do when a call's outcome is unknown: hold it for a person, or redial once. */
  onUnknown: OnUnknown;
  /** The place in a call's record that says that the person wants no more calls; null if only the profile says. */
  optOut: { path: string; value: string } | null;
  /** The place in a call's record that says when the person wants to be called back; null looks for none. */
  callbackAt: string | null;
  /** Whether a suppression hangs up a live call of this campaign. */
  hangUp: boolean;
  /** How many seconds later a result may come to save one request; null leaves it to the lane. */
  resultDelay: number | null;
  /** Its share of a key relative to other campaigns. */
  weight: number;
};

export function callerText(caller: Caller | ListedCallers | null): string | null {
  if (!caller) return null;
  if ('listed' in caller) return caller.listed;
  return 'number' in caller ? caller.number : caller.numberId;
}

/** So many refusals of its order in a row pause a campaign. */
export const orderFaults = 3;

/** Fewer calls than these say nothing about how many fail. */
export const leastCalls = 5;

/** Why a paused campaign stopped by itself; null when somebody or something else paused it. */
export function brakeOf(reason: string | null): 'first' | 'stop-at' | null {
  if (reason === 'first') return 'first';
  return reason?.startsWith('stop-at:') ? 'stop-at' : null;
}
