import { withDeadline } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Caller } from '../../rules/order.ts';
import { callerWord, numberWords } from '../../voice/directory.ts';
import { listNumbers, type Numbers } from '../numbers.ts';
import type { Service } from '../service.ts';

/**
 * Refuses a caller number that the service does not have, as the start of a campaign does. The list of numbers is kept, so
 * that a call costs no request for it. While the service does not answer, the call is taken: it waits for the service anyway.
 */
type Listing = { at: number; found: Promise<Known | null> };
/** `whole`: every key has answered. */
type Known = { callers: ReadonlySet<string>; whole: boolean };

/** How long a list is good for a number that is on it, and for one that is not. */
const keptMs = 600_000;
const freshMs = 10_000;
/** A call is not held up for longer. */
const waitMs = 2_000;

/** Those of one server's keys. */
const listings = new WeakMap<Service['lanes'], Listing>();

export async function callerFault(service: Service, caller: Caller | null): Promise<CarillonError | null> {
  if (caller === null || service.lanes.length === 0) return null;
  for (const mostMs of [keptMs, freshMs]) {
    const known = await withDeadline(listingOf(service, mostMs).found, waitMs, () => null);
    if (known === null || !known.whole || known.callers.has(callerWord(caller))) return null;
  }
  const shown = 'number' in caller ? caller.number : `with the id ${caller.numberId}`;
  return new CarillonError(
    'caller-unknown',
    `The caller number ${shown} is not among the account’s phone numbers`,
  );
}

function listingOf(service: Service, mostMs: number): Listing {
  const now = service.clock.now();
  const kept = listings.get(service.lanes);
  if (kept && now - kept.at < mostMs) return kept;
  const found = listNumbers(service).then(knownOf, () => null);
  const listing = { at: now, found };
  listings.set(service.lanes, listing);
  // One that failed is asked for again soon.
  void found.then((known) => {
    if (!known?.whole) listing.at = Math.min(listing.at, now - keptMs + freshMs);
  });
  return listing;
}

function knownOf({ items, failed }: Numbers): Known {
  const words = items.flatMap(({ id, phone_number }) => numberWords({ id, phone: phone_number }));
  return { callers: new Set(words), whole: failed.length === 0 };
}
