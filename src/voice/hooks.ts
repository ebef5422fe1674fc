import type { ServiceDescription } from './description.ts';
import { valuesAt } from './pointer.ts';
import { nameOf } from './values.ts';

/** Reads a service's webhook as a hint: only which call it is about. Its claims about the call are never believed. */
const common = ['/call/id', '/call_id', '/id'];

export function readHook(
  { webhook }: ServiceDescription,
  body: unknown,
): { id: string | null; places: readonly string[] } {
  const given = webhook?.id ?? common;
  const places = typeof given === 'string' ? [given] : given;
  for (const place of places) {
    for (const found of valuesAt(body, place)) {
      const id = nameOf(found);
      if (id !== null) return { id, places };
    }
  }
  return { id: null, places };
}
