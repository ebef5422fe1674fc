import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import { ColumnFault, type ColumnMap, parseMap } from '../../intake/columns.ts';
import { openList, type PeopleList } from '../../intake/list.ts';
import type { CsvSource } from '../../intake/source.ts';
import type { BodyFormat } from '../../ledger/background/background.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { onKnowns } from '../../ledger/people/import.ts';
import { country, text } from '../requests/input.ts';

/** Reads a list that was sent, in any form: rows in batches, with flat memory. */
export type ListDeps = {
  ledger: Ledger;
  clock: Pick<Clock, 'now'>;
  /** The entry point, whose words errors use. */
  door?: Door | undefined;
};
type Door = 'cli' | 'api';

/** The options of a request about the list. */
export const listShape = {
  country: country.optional().describe('The country of numbers in national form, instead of the campaign’s.'),
  phone: text(500).optional().describe('The column of a CSV, or the key of JSON, with the phone.'),
  name: text(500).optional().describe('The column of a CSV, or the key of JSON, with the name.'),
  timezone: text(500).optional().describe('The column of a CSV, or the key of JSON, with the time zone.'),
  state: text(500)
    .optional()
    .describe(
      'The column of a CSV, or the variable of JSON, with the state, such as TX. The default is `state`, if it holds states.',
    ),
  agent: text(500).optional().describe('The column of a CSV, or the key of JSON, with the agent.'),
  map: text(2_000).optional().describe('The same as `--map`, with types of variables.'),
  fixes: text(12_000)
    .optional()
    .describe(
      'Cells of a CSV or a workbook that are read as something else, as JSON, by line and column: `{"5": {"phone": "+14155550123"}}`.',
    ),
  sheet: text(200)
    .optional()
    .describe('The sheet of an XLSX workbook, by its name or its number. The default is the first.'),
};
/** A list that was sent before. */
export const keptList = z
  .string()
  .regex(/^[\w.-]{8,100}$/, 'must be 8 to 100 letters, digits, "-", "_" or "."')
  .optional();
/** A list that is added to a campaign. */
export const sentShape = {
  ...listShape,
  on_known: z
    .enum(onKnowns)
    .default('keep')
    .describe(
      'What happens to people who are on the list and were not called yet: `keep` leaves them, `merge` updates the columns that this list has, `replace` replaces their whole row. People who were called keep what their call was made with.',
    ),
};
export const sentOptions = z.strictObject(sentShape);
export type SentOptions = z.output<typeof sentOptions>;
type ListOptions = Omit<SentOptions, 'on_known'>;

/** One person of a JSON body, for the description; the rows are read by src/intake. */
export const sentPerson = z
  .looseObject({
    phone: z.string().describe('Or `phone_number`.'),
    phones: z
      .array(z.string())
      .max(10)
      .optional()
      .describe('The person’s other numbers, in the order in which they are tried.'),
    name: z.string().optional(),
    timezone: z.string().optional(),
    agent: z.string().optional(),
    variables: z.record(z.string(), z.unknown()).optional(),
  })
  .describe('Any other key is a variable too.');

/** The same for lists, where a wrong person is a rejected row and not the request's fault. */
const { $schema: _, ...personSchema } = z.toJSONSchema(sentPerson, { io: 'input' });
export const anyPerson = z.unknown().meta(personSchema);

export type SentBody = { source: CsvSource; format: BodyFormat };

/** The body is on disk before this returns, so that a slow sender holds up nobody. */
export async function openSent(
  { ledger, clock, door = 'api' }: ListDeps,
  campaign: Pick<Campaign, 'country' | 'timezone' | 'times'>,
  { source, format }: SentBody,
  wanted: ListOptions,
): Promise<PeopleList> {
  // A wrong map is refused before a file is open that nobody would close.
  const map = mapOf(wanted, door);
  const options = {
    map,
    country: wanted.country ?? campaign.country ?? undefined,
    timezone: campaign.timezone ?? undefined,
    calendar: () => ledger.calendarOf(campaign.times),
    now: clock.now(),
    sheet: wanted.sheet,
    fixes: fixesOf(wanted),
  };
  return openList(source, format, options).catch((error: unknown) => inWordsOf(door, error));
}

const fixesShape = z.record(z.string(), z.record(z.string(), z.string()));

function fixesOf({ fixes = '{}' }: ListOptions): z.output<typeof fixesShape> {
  try {
    return fixesShape.parse(JSON.parse(fixes));
  } catch {
    throw new CarillonError(
      'request-invalid',
      'fixes: must be JSON such as {"5": {"phone": "+14155550123"}}',
    );
  }
}

/** The columns that a request names; wrong ones are refused before the body is read. */
export function mapOf(
  { map, phone, name, timezone, state, agent }: ListOptions,
  door: Door = 'api',
): ColumnMap {
  const named = Object.entries({ phone, name, timezone, state, agent }).filter(
    ([, column]) => column !== undefined,
  );
  try {
    return { ...(map === undefined ? {} : parseMap(map)), ...Object.fromEntries(named) };
  } catch (error) {
    return inWordsOf(door, error);
  }
}

/** The command line's --map is a request's query. */
function inWordsOf(door: Door, error: unknown): never {
  if (door === 'api' && error instanceof CarillonError && error.code === 'usage-invalid') {
    const told = new CarillonError('request-invalid', error.message.replace(/^--map/, 'map:'), {
      remedy:
        error.message.startsWith('--map') || !error.remedy.includes('--map')
          ? error.remedy
          : 'Give a header row, and say which column is which with ?phone=COL&name=COL&timezone=COL.',
    });
    throw error instanceof ColumnFault ? new ColumnFault(told, error.head) : told;
  }
  throw error;
}
