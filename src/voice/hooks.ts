import type { ServiceDescription } from './description.ts';
import { firstName } from './reading.ts';

/** Reads a service's webhook as a hint: only which call it is about. Its claims about the call are never believed. */
const common = ['/call/id', '/call_id', '/id'];

export function readHook(
  { webhook }: ServiceDescription,
  body: unknown,
): { id: string | null; places: readonly string[] } {
  const given = webhook?.id ?? common;
  return { id: firstName(body, given), places: typeof given === 'string' ? [given] : given };
}
