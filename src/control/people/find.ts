import { z } from 'zod';
import type { Ledger } from '../../ledger/ledger.ts';
import { anyone, type PeopleFilter } from '../../ledger/search/verbs.ts';
import { readAnyPhone } from '../../rules/phone/readings.ts';
import { country, read } from '../input.ts';
import { type Page, pageInput } from '../page.ts';
import { type FoundPerson, type SearchDeps, searchPeople } from './search.ts';

/** Finds one person by whatever is known: a phone, the service's id of a call, an attempt, or a recipient. */
export type PersonQuery = { phone: string[] } | { recipient: string[] };

/** The query to search by, so that every campaign of the person is found; null when nobody is meant. */
export async function queryFor(
  { search }: Pick<Ledger, 'search'>,
  given: string,
  where: string | undefined,
): Promise<PersonQuery | null> {
  const ref = given.trim();
  const reading = readAnyPhone(given, read(whereInput, { country: where }).country);
  const named: Partial<PeopleFilter>[] = [
    { call: ref },
    ...(guid.test(ref) ? [{ attempt: ref }] : []),
    ...(/^\d{1,15}$/.test(ref) && !('phones' in reading) ? [{ people: [Number(ref)] }] : []),
  ];
  for (const each of named) {
    const { ids } = await search.page({ ...anyone, ...each }, null, most);
    if (ids.length === 0) continue;
    const lines = await search.lines(ids);
    const phones = [...new Set(lines.map(({ phone }) => phone))].filter((phone) => phone.startsWith('+'));
    // A person who was erased has no phone any more.
    return phones.length > 0 ? { phone: phones } : { recipient: ids.map(String) };
  }
  return 'phones' in reading ? { phone: reading.phones } : null;
}

export const findQuery = z.strictObject({
  ...pageInput,
  // Not trimmed: the space in front may have been a "+".
  q: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,300}$/u, 'must be 1 to 300 characters, none of them a control character')
    .describe('A phone in any form, the service’s id of a call, an attempt’s id or a recipient’s.'),
  country: country.optional().describe('The country of a number in national form: `US`.'),
});

/** Everyone who is meant, in every campaign. */
export async function findPeople(deps: SearchDeps, input: unknown): Promise<Page<FoundPerson>> {
  const { q, country: where, ...page } = read(findQuery, input);
  const query = await queryFor(deps.ledger, q, where);
  return query ? searchPeople(deps, { ...query, ...page }) : { items: [], next: null };
}

const whereInput = z.strictObject({ country: country.optional() });
const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** People of one call: more than one only where services give the same id. */
const most = 100;
