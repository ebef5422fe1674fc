import { withDeadline } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Caller } from '../../rules/order.ts';
import { isCaller } from '../../voice/numbers-and-agents.ts';
import type { ServiceAccess } from '../service/access.ts';
import { listNumbers } from '../service/account.ts';

/**
 * Refuses a caller number that the service does not have, as the start of a campaign does. The list of numbers is kept,
 * so that a call costs no request for it. If the service does not answer, the call is accepted: it waits for the
 * service anyway.
 */
/** How old the list may be if it has the number, and if it does not. A listing that failed is soon asked for again. */
const ages = [600_000, 10_000].map((whole) => ({ whole, failed: 10_000 }));
/** The longest that a call is held up for this check. */
const waitMs = 2_000;

export async function callerFault(
  service: ServiceAccess,
  caller: Caller | null,
): Promise<CarillonError | null> {
  if (caller === null || service.lanes.length === 0) return null;
  for (const age of ages) {
    const listed = listNumbers(service, age).catch(() => null);
    const known = await withDeadline(listed, waitMs, () => null);
    const isKnown = known?.items.some(({ id, phone_number }) =>
      isCaller({ id, phone: phone_number }, caller),
    );
    if (!known || known.failed.length > 0 || isKnown) return null;
  }
  const shown = 'number' in caller ? caller.number : `with the id ${caller.numberId}`;
  return new CarillonError(
    'caller-unknown',
    `The caller number ${shown} is not among the account’s phone numbers`,
  );
}
