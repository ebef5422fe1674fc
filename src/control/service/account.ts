import { z } from 'zod';
import { untilAborted } from '../../base/deadline.ts';
import type { ErrorCode } from '../../base/error-catalogue.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Lane } from '../../lane/lane.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { knownNumber } from '../../rules/caller-numbers.ts';
import type { ListPage, ServiceAgent, ServiceNumber } from '../../voice/call.ts';
import type { Answer, PageAsk, RequestOptions, VoiceClient } from '../../voice/client.ts';
import { pagesOf } from '../../voice/lists.ts';
import { wholeOf } from '../requests/page.ts';
import { type AskDeps, ask, faultError, type ServiceAccess } from './access.ts';

/** The phone numbers and the agents of the keys' accounts, all pages of them. */
export const failedKeys = z
  .array(z.object({ key: z.string(), code: z.string(), detail: z.string() }))
  .describe('Keys that failed to answer; the answers of the others are shown.');

export const agentsAnswer = wholeOf(
  z.object({ key: z.string(), id: z.string(), name: z.string().nullable() }).meta({ id: 'Agent' }),
).extend({
  failed: failedKeys,
  listed: z.boolean().describe('Whether the service lists its agents at all.'),
});

export type Numbers = {
  items: { key: string; id: string; phone_number: string; [field: string]: unknown }[];
  next: null;
  failed: { key: string; code: ErrorCode; detail: string }[];
};

/** One listing of a key: while it is under way, everyone who asks waits for it. */
type Listing<Item> = {
  at: number;
  found: Promise<Found<Item>>;
  /** `none` while it is under way. */
  end: 'none' | 'whole' | 'failed';
  readers: number;
  /** Ends the listing when nobody waits for it any more. */
  left: AbortController;
};
type Found<Item> = { items: Item[]; fault: CarillonError | null };

/** How old a listing may be, and a failed one, in ms. */
type ListingAge = { whole: number; failed: number };
/** Someone who looks at the numbers wants to see the one that they have just rented. */
const shownAge: ListingAge = { whole: 10_000, failed: 0 };

/** Throws when no key answered. */
export async function listNumbers(service: ServiceAccess, age = shownAge): Promise<Numbers> {
  const { found, faults } = await readAll(service, numbers, age);
  return {
    items: found.flatMap(({ key, items }) =>
      items.map(({ id, phone, record }) => ({ key, ...record, id, phone_number: phone })),
    ),
    next: null,
    failed: faults,
  };
}

/** The agents, in the same way. An order may name an agent by its id, or by a name that no other agent has. */
export async function listAgents(service: ServiceAccess): Promise<z.output<typeof agentsAnswer>> {
  const { found, faults } = await readAll(service, agents, shownAge);
  const listed = service.lanes.some(({ client }) => client.can.agents);
  const items = found.flatMap(({ key, items: of }) => of.map(({ id, name }) => ({ key, id, name })));
  return { items, next: null, failed: faults, listed };
}

/** A list of the service, page by page. */
type Listed<Item> = {
  what: 'numbers' | 'agents';
  page(client: VoiceClient, ask: PageAsk, options: RequestOptions): Promise<Answer<ListPage<Item>>>;
  listings: WeakMap<Lane, Listing<Item>>;
  /** What to keep of a whole list. */
  keep?(ledger: Ledger, lane: Lane, items: readonly Item[]): Promise<void>;
};
const numbers: Listed<ServiceNumber> = {
  what: 'numbers',
  page: (client, turn, options) => client.numbers(turn, options),
  listings: new WeakMap(),
  // Orders may name numbers by what the list says of them, and each is used only with a key whose account has it.
  keep: (ledger, lane, items) => ledger.callerNumbers.learn(items.map(knownNumber), lane.id),
};
const agents: Listed<ServiceAgent> = {
  what: 'agents',
  page: (client, turn, options) => client.agents(turn, options),
  listings: new WeakMap(),
};

type ListDeps = AskDeps & Pick<ServiceAccess, 'ledger'>;

async function readAll<Item extends { id: string }>(
  service: ServiceAccess,
  list: Listed<Item>,
  age: ListingAge,
) {
  const { lanes } = service;
  const read = await Promise.all(lanes.map((lane) => listingOf(list, lane, service, age)));
  const faults = read.flatMap(({ fault }, at) => (fault ? [{ key: lanes[at]!.name, fault }] : []));
  const isNothing = read.every(({ items }) => items.length === 0);
  if (faults.length > 0 && faults.length === lanes.length && isNothing) throw faults[0]!.fault;
  return {
    found: read.map(({ items }, at) => ({ key: lanes[at]!.name, items })),
    faults: faults.map(({ key, fault }) => ({ key, code: fault.code, detail: fault.message })),
  };
}

async function listingOf<Item extends { id: string }>(
  list: Listed<Item>,
  lane: Lane,
  deps: ListDeps,
  age: ListingAge,
): Promise<Found<Item>> {
  const { listings, what } = list;
  const known = listings.get(lane);
  const isGood = known && (known.end === 'none' || deps.clock.now() - known.at < age[known.end]);
  const listing = isGood ? known : begin(list, lane, deps);
  listing.readers += 1;
  try {
    const found = await untilAborted(listing.found, deps.signal);
    if (found) return found;
    throw new CarillonError('interrupted', `Nobody waits for the ${what} any more`);
  } finally {
    listing.readers -= 1;
    if (listing.readers === 0 && listing.end === 'none') {
      listing.left.abort();
      listings.delete(lane);
    }
  }
}

function begin<Item extends { id: string }>(
  list: Listed<Item>,
  lane: Lane,
  { clock, note, patienceMs, ledger }: ListDeps,
): Listing<Item> {
  const left = new AbortController();
  const deps = {
    clock,
    note,
    ledger,
    signal: left.signal,
    ...(patienceMs === undefined ? {} : { patienceMs }),
  };
  const found = readList(list, lane, deps).then(
    (read) => {
      listing.end = read.fault ? 'failed' : 'whole';
      return read;
    },
    (error) => {
      list.listings.delete(lane);
      throw error;
    },
  );
  // It may fail when nobody waits for it any more.
  found.catch(() => undefined);
  const listing: Listing<Item> = { at: clock.now(), found, end: 'none', readers: 0, left };
  list.listings.set(lane, listing);
  return listing;
}

/** Each page is a request like any other, and takes a token. */
async function readList<Item extends { id: string }>(
  { what, page: pageOf, keep }: Listed<Item>,
  lane: Lane,
  deps: ListDeps & { signal: AbortSignal },
): Promise<Found<Item>> {
  const items: Item[] = [];
  if (!lane.client.can[what]) return { items, fault: null };
  const { signal } = deps;
  try {
    for await (const page of pagesOf((turn) =>
      ask(lane, deps, (client) => pageOf(client, { turn }, { signal })),
    )) {
      const told = `The ${what} of the key ${lane.name} cannot be listed`;
      if (!page.ok) return { items, fault: faultError(page.fault, lane.name, told) };
      items.push(...page.value.items);
      const { cut } = page.value;
      if (cut !== undefined)
        return { items, fault: new CarillonError('service-answer', `${told} to the end: ${cut}`) };
    }
    await keep?.(deps.ledger, lane, items);
    return { items, fault: null };
  } catch (error) {
    if (error instanceof CarillonError) return { items, fault: error };
    throw error;
  }
}
