import { z } from 'zod';
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

/** Throws when no key answered. */
export async function listNumbers(service: Service): Promise<Numbers> {
  const { lanes } = service;
  const read = await Promise.all(lanes.map((lane) => readNumbers(lane, service)));
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

/** Each page is a request like any other, and takes a token. */
async function readNumbers(
  lane: Lane,
  deps: AskDeps,
): Promise<{ numbers: ServiceNumber[]; fault: CarillonError | null }> {
  const numbers: ServiceNumber[] = [];
  if (!lane.client.can.numbers) return { numbers, fault: null };
  try {
    for await (const page of pagesOf((turn) => ask(lane, deps, (client) => client.numbers({ turn })))) {
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
