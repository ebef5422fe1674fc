import { z } from 'zod';
import type { ErrorCode } from '../base/error-catalogue.ts';
import { CarillonError } from '../base/errors.ts';
import { type AskDeps, ask, faultError } from '../lane/ask.ts';
import type { Lane } from '../lane/lane.ts';
import type { PhoneNumber } from '../voice/wire.ts';
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
  items: (PhoneNumber & { key: string })[];
  next: null;
  failed: { key: string; code: ErrorCode; detail: string }[];
};

const pageSize = 1_000;

/** Throws when no key answered. */
export async function listNumbers(service: Service): Promise<Numbers> {
  const { lanes } = service;
  const read = await Promise.all(lanes.map((lane) => readNumbers(lane, service)));
  const faults = read.flatMap(({ fault }, at) => (fault ? [{ key: lanes[at]!.name, fault }] : []));
  if (faults.length > 0 && faults.length === lanes.length) throw faults[0]!.fault;
  return {
    items: read.flatMap(({ numbers }, at) => numbers.map((number) => ({ key: lanes[at]!.name, ...number }))),
    next: null,
    failed: faults.map(({ key, fault }) => ({ key, code: fault.code, detail: fault.message })),
  };
}

/** Each page is a request like any other, and takes a token. */
async function readNumbers(
  lane: Lane,
  deps: AskDeps,
): Promise<{ numbers: PhoneNumber[]; fault: CarillonError | null }> {
  const numbers = new Map<string, PhoneNumber>();
  for (let offset = 0; ; ) {
    const page = await readPage(lane, deps, offset);
    if (page instanceof CarillonError) return { numbers: [...numbers.values()], fault: page };
    const before = numbers.size;
    for (const number of page) numbers.set(number.id, number);
    // Nothing new on a page: the service ignores the offset and would send the same page for ever.
    if (page.length < pageSize || numbers.size === before) {
      return { numbers: [...numbers.values()], fault: null };
    }
    offset += page.length;
  }
}

async function readPage(lane: Lane, deps: AskDeps, offset: number): Promise<PhoneNumber[] | CarillonError> {
  try {
    const page = await ask(lane, deps, (client) => client.listNumbers({ limit: pageSize, offset }));
    if (page.ok) return page.value;
    return faultError(page.fault, lane.name, `The numbers of the key ${lane.name} cannot be listed`);
  } catch (error) {
    if (error instanceof CarillonError) return error;
    throw error;
  }
}
