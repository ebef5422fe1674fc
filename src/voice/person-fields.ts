import type { PersonFields } from './faults.ts';
import { placesIn } from './template.ts';

/**
 * Finds the fields of a create's body that hold the person: a complaint about only these is about the person's data.
 */
const ofPerson = ['phone', 'phone.digits', 'name', 'variables'];

export function personFields(body: unknown): PersonFields {
  const found = placesIn(body).filter(({ name }) => ofPerson.includes(name));
  const phone = found.find(({ name }) => name.startsWith('phone'))?.path ?? [];
  const within = phone.length > 1 ? phone[0]! : null;
  const names = found
    .filter(({ path }) => (within === null ? path.length === 1 : path[0] === within))
    .map(({ path }) => path.at(-1)!);
  return { within, phone: phone.at(-1) ?? null, names };
}
