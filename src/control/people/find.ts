import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { anyone, type PeopleFilter } from '../../ledger/search/search.ts';
import { readAnyPhone } from '../../rules/phone/readings.ts';
import { country, read } from '../requests/input.ts';
import { type Page, pageInput } from '../requests/page.ts';
import { listFilterShape, readParts, recipientId } from './filter.ts';
import { type FoundPerson, type SearchDeps, searchPeople } from './search.ts';

/**
 * Finds one person by a phone, the service's id of a call, or an attempt; or people by a part of the phone or the name.
 * A recipient's id is a bare number, like a part of a phone, so it is found only if the request says that it is one.
 */
type PersonQuery = { phone: string[] } | { recipient: string[] };

/** The query that finds every campaign of the person; null when nobody is meant. */
export async function queryFor(
  { search }: Pick<Ledger, 'search'>,
  given: string,
  where: string | undefined,
): Promise<PersonQuery | null> {
  const ref = given.trim();
  const reading = readAnyPhone(given, where);
  const named: Partial<PeopleFilter>[] = [{ call: ref }, ...(guid.test(ref) ? [{ attempt: ref }] : [])];
  for (const each of named) {
    const query = await queryOf(search, each);
    if (query) return query;
  }
  return 'phones' in reading ? { phone: reading.phones } : null;
}

async function queryOf(search: Ledger['search'], named: Partial<PeopleFilter>): Promise<PersonQuery | null> {
  const { ids } = await search.page({ ...anyone, ...named }, null, most);
  if (ids.length === 0) return null;
  const lines = await search.lines(ids);
  const phones = [...new Set(lines.map(({ phone }) => phone))].filter((phone) => phone.startsWith('+'));
  // An erased person no longer has a phone.
  return phones.length > 0 ? { phone: phones } : { recipient: ids.map(String) };
}

export const findQuery = z.strictObject({
  ...pageInput,
  // Not trimmed: the leading space may have been a "+".
  q: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,300}$/u, 'must be 1 to 300 characters, none of them a control character')
    .optional()
    .describe(
      'A phone in any form, a part of a phone or a name, the service’s id of a call, or an attempt’s id.',
    ),
  id: recipientId.optional().describe('A recipient’s id, in place of `q`.'),
  country: country.optional().describe('The country of a number in national form: `US`.'),
  state: listFilterShape.state,
  outcome: listFilterShape.outcome,
});

/** Everyone who is meant, in every campaign. */
export async function findPeople(deps: SearchDeps, input: unknown): Promise<Page<FoundPerson>> {
  const { q, id, country: where, ...page } = read(findQuery, input);
  if ((q === undefined) === (id === undefined))
    throw new CarillonError('request-invalid', 'q: give either q or id', {
      remedy: 'Search by one of them.',
    });
  if (q === undefined) {
    const query = await queryOf(deps.ledger.search, { people: [Number(id)] });
    return query ? searchPeople(deps, { ...query, ...page }) : { items: [], next: null };
  }
  return findByText(deps, q, where, page);
}

/**
 * First the people whom the text names whole; if there are none, everyone who has it as a part of the phone or the
 * name.
 */
async function findByText(
  deps: SearchDeps,
  given: string,
  where: string | undefined,
  page: object,
): Promise<Page<FoundPerson>> {
  const query = await queryFor(deps.ledger, given, where);
  const whole = query ? await searchPeople(deps, { ...query, ...page }) : null;
  if (whole && (whole.items.length > 0 || whole.next !== null)) return whole;
  if (readParts(given) === null) return { items: [], next: null };
  return searchPeople(deps, { name: given.trim().slice(0, mostLetters), ...page });
}

const mostLetters = 100;

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** People of one call: more than one only if services give the same id. */
const most = 100;
