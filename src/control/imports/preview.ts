import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { ColumnFault, type CsvHead } from '../../intake/columns.ts';
import type { Order } from '../../rules/order.ts';
import { type ForecastDeps, forecastAnswer, forecastPeople } from '../campaigns/forecast.ts';
import { keptList, listShape, openSent, type SentBody } from '../lists/body.ts';
import { orderInput, orderWords, readOrder, tellOrder } from '../order/order.ts';
import { read } from '../requests/input.ts';
import type { ServiceAccess } from '../service/access.ts';
import type { Onto } from './expect.ts';
import { countPlaces, readTrial, type TriedList, triedShape } from './try.ts';

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
