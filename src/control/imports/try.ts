import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { ColumnFault, type CsvHead, type Mapping } from '../../intake/columns.ts';
import { encodings } from '../../intake/encoding.ts';
import { gatherColumns, type PeopleList } from '../../intake/list.ts';
import type { AcceptedRow, RejectedRow, RowBatch } from '../../intake/recipients.ts';
import { type Campaign, campaignStates } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { OnKnown } from '../../ledger/people/import.ts';
import type { Order } from '../../rules/order.ts';
import { readPlace } from '../../rules/phone/place.ts';
import { type ForecastDeps, forecastAnswer, forecastPeople } from '../campaigns/forecast.ts';
import { balanceShape } from '../campaigns/show.ts';
import { erasedReason, importAnswerShape, keepRejects, withoutErased } from '../lists/batches.ts';
import { keptList, listShape, openSent, type SentBody } from '../lists/body.ts';
import { orderInput, orderWords, readOrder, tellOrder } from '../order/order.ts';
import { read } from '../requests/input.ts';
import type { ServiceAccess } from '../service/access.ts';
import { expecting, type Onto } from './expect.ts';

/**
 * What an import would do, for the API and the command line: every check of it, and the balance as it would be, with
 * nothing stored.
 */
const column = z.string().nullable();
const sample = z.object({
  row: z.int(),
  phone: z.string(),
  name: z.string().nullable(),
  agent: z.string().nullable(),
  timezones: z
    .array(z.string())
    .describe('Where the person may be; the calling window must be open in all of them.'),
  variables: z.record(z.string(), z.unknown()),
});
/** The answer about a list that was only read. */
const triedShape = {
  ...importAnswerShape,
  rejects: z
    .array(z.object({ row: z.int(), reason: z.string(), input: z.record(z.string(), z.unknown()) }))
    .describe('The first 100, with their place in the body and what stands there.'),
  duplicates: z.int().describe('Rejected rows whose phone stands in an earlier row.'),
  never: z.int().describe('Rejected rows of people whom the order and the contact rules never let through.'),
  suppressed: z.int().describe('Accepted rows of people who must not be called, and are skipped.'),
  encoding: z.enum(encodings).nullable().describe('The encoding of a CSV.'),
  delimiter: z.string().nullable().describe('The delimiter of a CSV.'),
  sheets: z
    .array(z.string())
    .nullable()
    .describe(
      'The sheets of a workbook that are not hidden; the first is read, unless `sheet` names another.',
    ),
  mapping: z
    .object({
      phone: z.string(),
      more_phones: z.array(z.string()).describe('Columns of a person’s other numbers.'),
      name: column,
      timezone: column,
      state: column,
      agent: column,
      variables: z.array(z.object({ name: z.string(), type: z.string(), column: z.string() })),
    })
    .meta({
      examples: [
        {
          phone: 'Mobile',
          more_phones: ['Home'],
          name: 'Full name',
          timezone: null,
          state: 'State',
          agent: null,
          variables: [{ name: 'order', type: 'number', column: 'Order' }],
        },
      ],
    })
    .nullable()
    .describe('What each column of a CSV is used for.'),
  hint: z.string().nullable().describe('What may have been overlooked.'),
  samples: z.array(sample).describe('The first rows that are accepted, as they would be stored.'),
  balance: balanceShape.describe('The campaign’s balance, as it would be.'),
  skips: z
    .array(z.object({ reason: z.string(), rows: z.int() }))
    .describe('Why people of the campaign would be skipped, the most frequent reason first.'),
};
const tried = z.object(triedShape);
export type TriedList = z.output<typeof tried>;

export const triedAnswer = z
  .object({
    campaign: z.string(),
    state: z.enum(campaignStates),
    dry_run: z.literal(true),
    ...triedShape,
    columns: z.array(z.string()).nullable().describe('The columns of a CSV, in its order.'),
  })
  .meta({ id: 'TriedImport' });
export type TriedImport = z.output<typeof triedAnswer>;

const mostSamples = 5;

export async function tryList(
  ledger: Ledger,
  campaign: Campaign,
  list: PeopleList,
  onKnown: OnKnown,
): Promise<TriedImport> {
  const onto: Onto = { campaign, order: null, mode: 'more', onKnown };
  const told = await readTrial(ledger, onto, list);
  const { name, state } = campaign;
  return { campaign: name, state, dry_run: true, ...told, columns: list.columns };
}

type ReadList = { csv: PeopleList['csv']; batches: Iterable<RowBatch> | AsyncIterable<RowBatch> };

/** Reads a list to its end. `each` is given the people who would be called, in batches. */
export function readTrial(
  ledger: Ledger | null,
  onto: Onto,
  { csv, batches }: ReadList,
  each: (called: readonly AcceptedRow[]) => void = () => undefined,
): Promise<TriedList> {
  const head = {
    encoding: csv?.encoding ?? null,
    delimiter: csv?.delimiter ?? null,
    sheets: csv?.sheets ?? null,
    mapping: csv ? mappingOf(csv.mapping) : null,
    hint: csv?.hint ?? null,
  };
  const told = { accepted: 0, rejected: 0, duplicates: 0, never: 0, suppressed: 0, known: 0, changed: 0 };
  const rejects: TriedList['rejects'] = [];
  const samples: TriedList['samples'] = [];
  return expecting(ledger, onto, async (counts) => {
    const known = ledger ? withoutErased(ledger, batches) : batches;
    // A list in JSON with too many fields is refused here as it is when it is stored.
    for await (const batch of csv ? known : gatherColumns(known, [])) {
      const { known, changed, suppressed, rejected, called } = await counts.add(batch);
      told.accepted += batch.accepted.length;
      told.known += known;
      told.changed += changed;
      told.suppressed += suppressed;
      told.rejected += rejected.length;
      told.duplicates += rejected.filter(({ isTwin }) => isTwin).length;
      told.never += rejected.filter(isNever).length;
      keepRejects(rejects, rejected, ({ row, reason, input }) => ({ row, reason, input }));
      keepSamples(samples, batch);
      each(called);
    }
    return { ...told, new: told.accepted - told.known, rejects, ...head, samples, ...(await counts.end()) };
  });
}

function mappingOf({ morePhones, ...mapping }: Mapping): TriedList['mapping'] {
  return { ...mapping, more_phones: morePhones };
}

/** Counts the people in each place, for a forecast. */
export function countPlaces(people: readonly AcceptedRow[], places: Map<string, number>): void {
  for (const { place } of people) places.set(place, (places.get(place) ?? 0) + 1);
}

const isNever = ({ phone, reason }: RejectedRow) => phone !== undefined && reason !== erasedReason;

function keepSamples(
  samples: TriedList['samples'],
  { accepted }: { accepted: readonly AcceptedRow[] },
): void {
  for (const { row, phone, name, agent = null, place, variables } of accepted) {
    if (samples.length === mostSamples) return;
    samples.push({ row, phone, name, agent, timezones: [...readPlace(place).zones], variables });
  }
}

/** A list that has no campaign yet: its columns, its rows, and when its calls would end. */
export const previewQuery = z.strictObject({
  ...listShape,
  list: keptList.describe(
    'An id that you choose. The process that answers keeps the list under it for 15 minutes; a request without a body reads the kept list.',
  ),
  order: z
    .string()
    .max(20_000)
    .optional()
    .describe('The order as JSON, as POST /api/campaigns takes it; here every field may be left out.'),
});

export const previewAnswer = z
  .object({
    ...triedShape,
    problem: z
      .string()
      .nullable()
      .describe(
        'Why no row could be read: no column has phones. Name the column, and send the request again.',
      ),
    columns: z
      .array(
        z.object({
          name: z.string(),
          values: z.array(z.string()).describe('The values of the first five rows.'),
        }),
      )
      .nullable()
      .describe('The columns of a CSV, in its order.'),
    forecast: forecastAnswer.nullable().describe('Null where nobody would be called.'),
    order_words: orderWords.describe('The order in short phrases, by the parts of a form.'),
  })
  .meta({ id: 'ImportPreview' });
export type ImportPreview = z.output<typeof previewAnswer>;

/** The campaign does not exist yet. */
const nowhere: Onto = { campaign: null, order: null, mode: 'whole', onKnown: 'replace' };

/** The agent does not affect how a list is read, and may be chosen later. */
const anyOrder = orderInput.partial();
const noAgent = 'none';

type PreviewDeps = ServiceAccess & ForecastDeps;

export async function previewList(deps: PreviewDeps, sent: SentBody, query: unknown): Promise<ImportPreview> {
  const { order: text, list: _, ...wanted } = read(previewQuery, query);
  const given = read(anyOrder, parseOrder(text));
  const order = readOrder({ ...given, agent: given.agent ?? noAgent });
  const order_words = tellOrder(order);
  const list = await openSent(deps, order, sent, wanted).catch(lookAtHead);
  if ('why' in list) return { ...(await withoutPhones(list)), order_words };
  try {
    const places = new Map<string, number>();
    const told = await readTrial(deps.ledger, nowhere, list, (called) => countPlaces(called, places));
    const columns = list.csv?.table ?? null;
    const forecast = await foretell(deps, order, told, places);
    return { ...told, problem: null, columns, forecast, order_words };
  } finally {
    await list.close();
  }
}

function parseOrder(text: string | undefined): unknown {
  if (text === undefined) return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new CarillonError('request-invalid', 'order: must be JSON');
  }
}

/** The person at the page says which column is which. */
function lookAtHead(error: unknown): CsvHead & { why: string } {
  if (error instanceof ColumnFault) return { ...error.head, why: error.message };
  throw error;
}

async function withoutPhones({
  why,
  encoding,
  delimiter,
  sheets,
  table,
}: CsvHead & { why: string }): Promise<Omit<ImportPreview, 'order_words'>> {
  const nothing = await readTrial(null, nowhere, { csv: null, batches: [] });
  return { ...nothing, encoding, delimiter, sheets, columns: table, problem: why, forecast: null };
}

async function foretell(
  deps: PreviewDeps,
  order: Order,
  { balance }: TriedList,
  places: ReadonlyMap<string, number>,
): Promise<ImportPreview['forecast']> {
  return balance.waiting > 0 ? forecastPeople(deps, order, places) : null;
}
