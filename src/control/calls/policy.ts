import { CarillonError } from '../../base/errors.ts';
import type { Fitness } from '../../dispatch/fitness.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { PhoneRule } from '../../ledger/policies/verbs.ts';
import { judge } from '../../rules/time/calendar.ts';
import type { SingleOrder } from './read.ts';

/** Whether the contact rules let a single call through now. */
const words: Record<PhoneRule, string> = {
  cap: 'it was called as often as a cap of the contact rules allows',
  gap: 'the gap of the contact rules after its last call is not over',
  conversation: 'the pause of the contact rules after a conversation is not over',
};

/** Throws one line with the rule and its end when they hold it back. */
export async function refuseHeld(
  { ledger, fitness }: { ledger: Ledger; fitness: Pick<Fitness, 'now'> },
  { person, ignoresPolicy }: SingleOrder,
): Promise<void> {
  const policy = ledger.policies.now();
  if (ignoresPolicy || !policy) return;
  const { phone, place } = person;
  const hours = judge(ledger.calendarOf(null), place, fitness.now());
  if (!hours.open) {
    const cited = hours.citation ? `${hours.text} (${hours.citation})` : hours.text;
    throw held(phone, cited, hours.until === null ? null : new Date(hours.until));
  }
  const hold = await ledger.policies.judge(phone, policy);
  if (hold) throw held(phone, words[hold.rule], hold.until);
}

function held(phone: string, why: string, until: Date | null): CarillonError {
  const end = until ? `until ${until.toISOString()}` : 'for longer than a year';
  return new CarillonError('policy-holds', `${phone} was not called: ${why}; it is held back ${end}`);
}
