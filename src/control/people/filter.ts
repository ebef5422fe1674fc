import { z } from 'zod';
import { currentActor, isEnough } from '../../base/actor.ts';
import { CarillonError } from '../../base/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { PeopleFilter } from '../../ledger/search/search.ts';
import { type RecipientState, recipientStates } from '../../ledger/states.ts';
import { isReadEverywhere, mostReadEverywhere, readAnyPhone } from '../../rules/phone/readings.ts';
import { outcomes } from '../../voice/outcomes.ts';
import { country, text } from '../requests/input.ts';

/** The filter: which people are meant, the same in every list, search, export and bulk act. */
const mostPeople = 1_000;
const mostVariables = 10;

/** One value or several: a query repeats the name, JSON has a list. */
function oneOrMore<Each extends z.ZodType>(each: Each, most: number) {
  return z.union([each, z.array(each).min(1).max(most)]).optional();
}

/** One of these names or several, separated by commas or as a list. */
export function several<Name extends string>(names: readonly Name[]) {
  // Each may hold several too, separated by commas; described is the plain form, which gives clients its names.
  const oneOrSome = z
    .string()
    .max(100)
    .meta({ enum: [...names] });
  return z
    .union([z.string().max(500), z.array(oneOrSome).max(names.length)])
    .transform((given, context) => {
      const wanted = [given].flat().flatMap((each) => each.split(',').map((name) => name.trim()));
      const known = wanted.filter((each): each is Name => (names as readonly string[]).includes(each));
      if (known.length === wanted.length && known.length > 0) return known;
      context.addIssue(`must be of ${names.join(', ')}, separated by commas`);
      return z.NEVER;
    })
    .optional();
}

const time = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-03-01T09:00:00Z' })
  .transform((given) => new Date(given))
  .optional();

/** Not trimmed: the leading space may have been a "+". */
const phone = z.string().min(1).max(100);
/** Canonical form only: 0142 is part of a phone, not the recipient 142. */
export const recipientId = z.string().regex(/^[1-9]\d{0,14}$/, 'must be the id of a recipient');

/** The filters that a list of one campaign takes. */
export const listFilterShape = {
  phone: oneOrMore(phone, mostPeople).describe(
    'People with this number, in any form. Without `country`, a national form is read in every country, for at most 5 numbers.',
  ),
  country: country.optional().describe('The country of numbers in national form: `US`.'),
  recipient: oneOrMore(recipientId, mostPeople).describe('The recipients with these ids.'),
  call_id: text(300).optional().describe('The person of this call, by the service’s id.'),
  attempt: z.guid('must be the id of an attempt').optional().describe('The person of this attempt.'),
  state: several<RecipientState>(recipientStates).describe(
    `People in one of these states, separated by commas: ${recipientStates.join(', ')}.`,
  ),
  outcome: several(outcomes).describe(
    `People whose latest outcome is one of these, separated by commas: ${outcomes.join(', ')}.`,
  ),
  key: text(100).optional().describe('People with an attempt on this key.'),
  from: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('People with an attempt from this caller number, or its id at the service.'),
  since: time.describe('Rows that changed at this time or later.'),
  until: time.describe('Rows that last changed before this time.'),
  variable: oneOrMore(
    z
      .string()
      .regex(/^[^:]+:/, 'must be name:value')
      .max(2_000),
    mostVariables,
  ).describe('Rows with this value of a variable or a column, as text: `city:Boston`.'),
};

/** Filters for lists only: if very many people match a part, not all are looked at, so no act may use them. */
export const nameShape = {
  name: text(100)
    .optional()
    .describe(
      'People whose name or phone contains this: each of its words, of which one has three letters (case and accents do not matter), or digits of the phone. If very many match, only a thousand are looked at.',
    ),
};

/** The same with the campaign, for verbs over all of them. */
export const filterShape = {
  ...listFilterShape,
  campaign: text(300).optional().describe('The people of one campaign, by its name or its id.'),
};

const listFilter = z.object({ ...listFilterShape, ...nameShape });
const filter = z.object({ ...filterShape, ...nameShape });
type ListFilter = z.output<typeof listFilter>;
type WantedFilter = z.output<typeof filter>;

/** The filter with the id of the campaign that it names. */
export async function findFilter(
  ledger: Pick<Ledger, 'campaigns'>,
  { campaign, ...wanted }: WantedFilter,
): Promise<PeopleFilter> {
  return filterOf(wanted, campaign === undefined ? null : (await ledger.campaigns.get(campaign)).id);
}

export function filterOf(wanted: ListFilter, campaign: string | null): PeopleFilter {
  const { since = null, until = null } = wanted;
  checkSight(wanted);
  if (since && until && until <= since) {
    throw new CarillonError('request-invalid', 'until: must be later than since');
  }
  const where = wanted.country;
  return {
    campaign,
    people: wanted.recipient === undefined ? null : [wanted.recipient].flat().map(Number),
    phones: wanted.phone === undefined ? null : allPhonesOf([wanted.phone].flat(), where),
    parts: wanted.name === undefined ? null : partsOf(wanted.name),
    call: wanted.call_id ?? null,
    attempt: wanted.attempt ?? null,
    states: wanted.state ?? null,
    outcomes: wanted.outcome ?? null,
    key: wanted.key ?? null,
    callers: wanted.from === undefined ? null : callersOf(wanted.from, where),
    since,
    until,
    variables: wanted.variable === undefined ? null : variablesOf([wanted.variable].flat()),
  };
}

/** A token that may not see people may not find out about them by searching either. */
function checkSight({ phone, variable, name }: ListFilter): void {
  if (
    (phone === undefined && variable === undefined && name === undefined) ||
    isEnough(currentActor().role, 'read_people')
  )
    return;
  throw new CarillonError('forbidden', 'A search by phone, name or variable needs the role read_people', {
    remedy: 'Send a token with the role read_people, or search by something else.',
  });
}

/** The words of a text as the ledger keeps them; null if none of them can be looked up. */
export function readParts(given: string): string[] | null {
  const folded = given
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  // Digits and the separators between them are one part of a phone.
  if (/^[\d\s()+./-]+$/.test(folded)) {
    const digits = folded.replace(/\D/g, '');
    return digits.length >= leastOfPart ? [digits] : null;
  }
  const words = folded.split(/[\s%_\\]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  // The longest come first: one of them is looked up, and the others only narrow what it found.
  const parts = words.toSorted((a, b) => b.length - a.length).slice(0, mostParts);
  if (parts.length > 0 && parts[0]!.length >= leastOfPart) return parts;
  // Of a short name that is given whole, such as Li Na, the words stand side by side.
  const whole = words.join(' ');
  return words.length > 1 && whole.length > leastOfPart ? [whole] : null;
}

function partsOf(given: string): string[] {
  const parts = readParts(given);
  if (parts) return parts;
  throw new CarillonError('request-invalid', 'name: has no part of three letters or digits', {
    remedy: 'Give three letters of the name, both words of a short one, or three digits of the phone.',
  });
}

/** An index of trigrams has no shorter parts. */
const leastOfPart = 3;
const mostParts = 5;

/** Whether everyone on the campaign is meant. */
export function isWhole({ campaign: _, ...rest }: PeopleFilter): boolean {
  return Object.values(rest).every((each) => each === null);
}

function allPhonesOf(given: readonly string[], where: string | undefined): string[] {
  const texts = [...new Set(given)];
  const national = texts.filter((each) => isReadEverywhere(each, where)).length;
  if (national > mostReadEverywhere) {
    throw new CarillonError(
      'request-invalid',
      `phone: has ${national} numbers in national form; without a country, at most ${mostReadEverywhere} are read in every country`,
      { remedy: 'Name the `country`, or write the numbers with their "+" and country code.' },
    );
  }
  return [...new Set(texts.flatMap((each) => phonesOf(each, where)))];
}

function phonesOf(given: string, where: string | undefined): string[] {
  const reading = readAnyPhone(given, where);
  if ('phones' in reading) return reading.phones;
  throw new CarillonError('request-invalid', `phone: ${reading.reason}`, {
    remedy: 'Write the number with its "+" and country code, for example +14155550123.',
  });
}

/** A caller number in any form, or its id at the service. */
function callersOf(given: string, where: string | undefined): string[] {
  const reading = /^[\d\s()+./-]+$/.test(given) ? readAnyPhone(given, where) : null;
  return [...(reading && 'phones' in reading ? reading.phones : []), given.trim()];
}

function variablesOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.indexOf(':');
      return [each.slice(0, at).trim(), each.slice(at + 1)];
    }),
  );
}
