import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { judge, neverOpens } from '../../rules/time/calendar.ts';
import type { SingleOrder } from './read.ts';

/** What the contact rules say of a single call before it is stored. `now` is the ledger's time. */
type Rules = { ledger: Pick<Ledger, 'policies' | 'calendarOf'>; now: number };

/** Why no hour is ever open for the phone; null where one is. */
export function whyNever({ ledger, now }: Rules, { person, ignoresPolicy }: SingleOrder): string | null {
  if (ignoresPolicy || !ledger.policies.now()) return null;
  return neverOpens(ledger.calendarOf(null), person.place, now);
}

/** Throws for a phone that no hour is ever open for: such a call would wait for what cannot come. */
export function refuseNever(rules: Rules, order: SingleOrder): void {
  const never = whyNever(rules, order);
  if (never) throw new CarillonError('policy-holds', `${order.person.phone} ${never}`);
}

/** Whether its hours are closed now, so that it waits for the background workers. */
export function isShut({ ledger, now }: Rules, { person, ignoresPolicy }: SingleOrder): boolean {
  if (ignoresPolicy || !ledger.policies.now()) return false;
  return !judge(ledger.calendarOf(null), person.place, now).open;
}
