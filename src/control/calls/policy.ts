import { CarillonError } from '../../base/errors.ts';
import type { Fitness } from '../../dispatch/fitness.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { PhoneRule } from '../../ledger/policies/verbs.ts';
import { judge, neverOpens } from '../../rules/time/calendar.ts';
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
  const calendar = ledger.calendarOf(null);
  const now = fitness.now();
  const hours = judge(calendar, place, now);
  if (!hours.open) {
    const never = neverOpens(calendar, place, now);
    if (never) throw new CarillonError('policy-holds', `${phone} ${never}`, { remedy: neverRemedy });
    throw held(phone, hours.source ? `${hours.text} (${hours.source})` : hours.text, new Date(hours.until!));
  }
  const hold = await ledger.policies.judge(phone, policy);
  if (hold) throw held(phone, words[hold.rule], hold.until);
}

/** A single call takes no state: the row of a file does. */
const neverRemedy =
  'Name the person’s state or time zone in a file (`carillon run FILE --map state=COL`), or add --ignore-policy to call anyway.';

function held(phone: string, why: string, until: Date): CarillonError {
  const end = `${until.toISOString().slice(0, 19).replace('T', ' ')}Z`;
  return new CarillonError('policy-holds', `${phone} is held back until ${end}: ${why}`);
}
