import { z } from 'zod';
import { untilAborted } from '../base/deadline.ts';
import type { ErrorCode } from '../base/error-catalogue.ts';
import { CarillonError } from '../base/errors.ts';
import { type AskDeps, ask, faultError } from '../lane/ask.ts';
import type { Lane } from '../lane/lane.ts';
import type { ServiceNumber } from '../voice/call.ts';
import { pagesOf } from '../voice/lists.ts';
import { wholeOf } from './page.ts';
import type { Service } from './service.ts';

/** The phone numbers that each key can call from, all pages of them. */
export const numbersAnswer = wholeOf(
  z
    .looseObject({ key: z.string(), id: z.string(), phone_number: z.string() })
    .describe('The service’s own record of the number, with the key that sees it.'),
).extend({
  failed: z
    .array(z.object({ key: z.string(), code: z.string(), detail: z.string() }))
    .describe('Keys that failed to answer; the answers of the others are shown.'),
});
export type Numbers = {
  items: { key: string; id: string; phone_number: string; [field: string]: unknown }[];
  next: null;
  failed: { key: string; code: ErrorCode; detail: string }[];
};

/** One listing of a key's numbers: as long as it is under way, everyone who asks waits for it. */
type Listing = {
  at: number;
  found: Promise<Found>;
  /** `none` while it is under way. */
  end: 'none' | 'whole' | 'failed';
  readers: number;
  /** Ends it when nobody waits for it any more. */
  left: AbortController;
};
type Found = { numbers: ServiceNumber[]; fault: CarillonError | null };

/** How old a listing may be, and one that failed, in ms. */
export type ListingAge = { whole: number; failed: number };
/** Someone who looks at the numbers wants to see the one that they have just rented. */
const shownAge: ListingAge = { whole: 10_000, failed: 0 };

const listings = new WeakMap<Lane, Listing>();

/** Throws when no key answered. */
export async function listNumbers(service: Service, age = shownAge): Promise<Numbers> {
  const { lanes } = service;
  const read = await Promise.all(lanes.map((lane) => numbersOf(lane, service, age)));
  const faults = read.flatMap(({ fault }, at) => (fault ? [{ key: lanes[at]!.name, fault }] : []));
  if (faults.length > 0 && faults.length === lanes.length) throw faults[0]!.fault;
  return {
    items: read.flatMap(({ numbers }, at) =>
      numbers.map(({ id, phone, record }) => ({ key: lanes[at]!.name, ...record, id, phone_number: phone })),
    ),
    next: null,
    failed: faults.map(({ key, fault }) => ({ key, code: fault.code, detail: fault.message })),
  };
}

async function numbersOf(lane: Lane, deps: AskDeps, age: ListingAge): Promise<Found> {
  const known = listings.get(lane);
  const isGood = known && (known.end === 'none' || deps.clock.now() - known.at < age[known.end]);
  const listing = isGood ? known : begin(lane, deps);
  listing.readers += 1;
  try {
    const found = await untilAborted(listing.found, deps.signal);
    if (found) return found;
    throw new CarillonError('interrupted', 'Nobody waits for the numbers any more');
  } finally {
    listing.readers -= 1;
    if (listing.readers === 0 && listing.end === 'none') {
      listing.left.abort();
      listings.delete(lane);
    }
  }
}

function begin(lane: Lane, { clock, note, patienceMs }: AskDeps): Listing {
  const left = new AbortController();
  const deps = { clock, note, signal: left.signal, ...(patienceMs === undefined ? {} : { patienceMs }) };
  const found = readNumbers(lane, deps).then(
    (read) => {
      listing.end = read.fault ? 'failed' : 'whole';
      return read;
    },
    (error) => {
      listings.delete(lane);
      throw error;
    },
  );
  // It may fail when nobody waits for it any more.
  found.catch(() => undefined);
  const listing: Listing = { at: clock.now(), found, end: 'none', readers: 0, left };
  listings.set(lane, listing);
  return listing;
}

/** Each page is a request like any other, and takes a token. */
async function readNumbers(lane: Lane, deps: AskDeps): Promise<Found> {
  const numbers: ServiceNumber[] = [];
  if (!lane.client.can.numbers) return { numbers, fault: null };
  const { signal } = deps;
  try {
    for await (const page of pagesOf((turn) =>
      ask(lane, deps, (client) => client.numbers({ turn }, { signal })),
    )) {
      if (page.ok) numbers.push(...page.value.items);
      else {
        const what = `The numbers of the key ${lane.name} cannot be listed`;
        return { numbers, fault: faultError(page.fault, lane.name, what) };
      }
    }
    return { numbers, fault: null };
  } catch (error) {
    if (error instanceof CarillonError) return { numbers, fault: error };
    throw error;
  }
}
