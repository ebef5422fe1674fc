import type { Policy } from './policy.ts';

/** Whether the calls of one phone kept the contact rules: each is judged by the rules under which it was made. */

/** A call that may have rung; it kept the phone until `freeAt`, which is null while it still does. */
export type PhoneCall = {
  attempt: string;
  at: number;
  endedAt: number | null;
  freeAt: number | null;
  answered: boolean;
  /** Null when no rules were in force, or a person ordered the call in spite of them. */
  policy: Policy | null;
  /** Nobody knows whether or when it was made: it is not judged itself, but later ones are. */
  assumed?: boolean;
};

export type BreachKind = 'live' | 'cap' | 'gap' | 'conversation';
/** `after` is the earlier call with which it breaks the rule. */
type Breach = { kind: BreachKind; attempt: string; after: string };

/** The calls come in the order of their intents. */
export function findBreaches(calls: readonly PhoneCall[]): Breach[] {
  return calls.flatMap((call, i) => (call.assumed ? [] : breachesOf(call, calls.slice(0, i))));
}

function breachesOf(call: PhoneCall, earlier: readonly PhoneCall[]): Breach[] {
  const found: Breach[] = [];
  const breach = (kind: BreachKind, other: PhoneCall | undefined) => {
    if (other) found.push({ kind, attempt: call.attempt, after: other.attempt });
  };
  const isOver = ({ freeAt }: PhoneCall) => freeAt !== null && freeAt <= call.at;
  breach(
    'live',
    earlier.find((other) => !isOver(other)),
  );
  if (!call.policy) return found;
  const { caps, gapSeconds, afterConversationSeconds } = call.policy;
  const full = caps.flatMap(({ calls, perSeconds }) => {
    const first = earlier[earlier.length - calls];
    return first && first.at > call.at - perSeconds * 1_000 ? [first] : [];
  });
  breach('cap', full[0]);
  const since = (end: number | null, seconds: number | null) =>
    seconds !== null && end !== null && end <= call.at && end > call.at - seconds * 1_000;
  breach(
    'gap',
    earlier.find((other) => since(other.freeAt, gapSeconds)),
  );
  breach(
    'conversation',
    earlier.find((other) => other.answered && since(other.endedAt, afterConversationSeconds)),
  );
  return found;
}
