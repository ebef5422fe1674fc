import type { ServiceDescription } from './description.ts';
import type { PersonFields } from './faults.ts';
import { valuesAt } from './pointer.ts';
import { type Node, placesIn } from './template.ts';
import { isObject } from './values.ts';

/**
 * Finds the fields of a create's body that hold the person: a complaint about only these is about the person's data.
 */
export const ofPerson = ['phone', 'phone.digits', 'name', 'variables'];

export function personFields(body: unknown): PersonFields {
  const found = placesIn(body).filter(({ name }) => ofPerson.includes(name));
  const phone = found.find(({ name }) => name.startsWith('phone'))?.path ?? [];
  const within = phone.length > 1 ? phone[0]! : null;
  const names = found
    .filter(({ path }) => (within === null ? path.length === 1 : path[0] === within))
    .map(({ path }) => path.at(-1)!);
  return { within, phone: phone.at(-1) ?? null, names };
}

/** Places that say who is called, from where, by whom, and whose call it is. */
const deciding = /^(phone|from|caller|agent|stamp)(\.|$)/;

/** Why an override may not be sent; null for one that may. It changes how the agent speaks, and nothing else. */
export function overrideFault({ create }: ServiceDescription, override: unknown): string | null {
  const barred = [...besideOverride(create.body), ...(create.no_override ?? [])];
  const found = barred.find((pointer) => valuesAt(override, pointer).length > 0);
  return found === undefined ? null : `The override may not set ${found.slice(1).replaceAll('/', '.')}`;
}

/** The fields next to the override that the order decides, whether or not this order gives them. */
function besideOverride(node: Node): string[] {
  if (Array.isArray(node)) return node.flatMap(besideOverride);
  if (!isObject(node)) return [];
  const { $spread, ...fields } = node;
  const isHere = [$spread].flat().includes('{override}');
  return Object.entries(fields).flatMap(([name, part]) => {
    const decides = isHere && placesIn(part).some((place) => deciding.test(place.name));
    return decides ? [`/${name}`] : besideOverride(part);
  });
}
