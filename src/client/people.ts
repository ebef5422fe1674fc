import { unreachable } from './api-error.ts';
import type {
  Ask,
  AskOptions,
  OperationAnswer,
  OperationBody,
  OperationName,
  OperationQuery,
  PlainAsk,
  RawBody,
} from './ask.ts';
import type { AddedPeople, CampaignAttempt, Import, Recipient, TriedImport } from './description.ts';
import { jsonLines, linesOf, streamOf } from './lines.ts';
import { verbsOf } from './nouns.ts';

/** People and suppressions: lists that are sent and results that are read piece by piece, of any length. */
type Add = 'POST /api/campaigns/{id}/recipients';
export type NewPerson = Extract<OperationBody<Add>, unknown[]>[number];
/** An array is sent at once; what comes one by one is sent as it comes. */
export type NewPeople = readonly NewPerson[] | AsyncIterable<NewPerson> | Iterable<NewPerson>;
/** A result has the columns of its list too. */
export type RecipientResult = Recipient & InColumns;
export type AttemptResult = CampaignAttempt & InColumns;
type InColumns = { [column: `in_${string}`]: unknown };
/** The text of a CSV, or its pieces. */
export type CsvText = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<string | Uint8Array>;
type AddQuery = Omit<OperationQuery<Add>, 'dry_run' | 'list'>;
type ResultsQuery = OperationQuery<'GET /api/campaigns/{id}/results.ndjson'>;

export function createPeople(ask: Ask) {
  const { plain, withBody, search } = verbsOf(ask);
  const send = (campaign: string, list: List, asked: PlainAsk) =>
    upload(ask, 'POST /api/campaigns/{id}/recipients', list, { ...asked, params: { id: campaign } });
  const adds = (query: AddQuery | undefined, options: AskOptions | undefined): PlainAsk => ({
    ...options,
    query,
  });

  return {
    /** Adds people to a campaign, all or none. A phone that is on its list is not called a second time. */
    add: (campaign: string, people: NewPeople, query?: AddQuery, options?: AskOptions) =>
      send(campaign, { people }, adds(query, options)) as Promise<AddedPeople>,
    /** The same from a CSV with a header. */
    addCsv: (campaign: string, csv: CsvText, query?: AddQuery, options?: AskOptions) =>
      send(campaign, { csv }, adds(query, options)) as Promise<AddedPeople>,
    /** Answers what would happen; nothing is stored. */
    try: (campaign: string, list: List, query?: AddQuery, options?: AskOptions) =>
      send(campaign, list, { ...options, query: { ...query, dry_run: true } }) as Promise<TriedImport>,
    /** Answers when the list has arrived; the background workers store it. */
    import: (campaign: string, list: List, query?: AddQuery, options?: AskOptions) =>
      send(campaign, list, {
        ...adds(query, options),
        headers: { prefer: 'respond-async' },
      }) as Promise<Import>,
    /** How far an import is. */
    importOf: plain('GET /api/imports/{id}'),
    list: search('GET /api/campaigns/{id}/recipients'),
    get: plain('GET /api/campaigns/{id}/recipients/{rid}'),
    change: withBody('PATCH /api/campaigns/{id}/recipients/{rid}'),
    /** Takes one person off the list. */
    remove: plain('DELETE /api/campaigns/{id}/recipients/{rid}'),
    attempts: search('GET /api/campaigns/{id}/attempts'),
    rejects: search('GET /api/campaigns/{id}/rejects'),
    /** Every result, one after the other. If the connection ends early, it throws. */
    results: (campaign: string, query?: ResultsQuery, options?: AskOptions) =>
      items<RecipientResult>('GET /api/campaigns/{id}/results.ndjson', {
        ...options,
        params: { id: campaign },
        query,
      }),
    /** Every attempt, one after the other. */
    allAttempts: (campaign: string, options?: AskOptions) =>
      items<AttemptResult>('GET /api/campaigns/{id}/attempts.ndjson', {
        ...options,
        params: { id: campaign },
      }),
    /** The results as the bytes of a CSV. */
    resultsCsv: (campaign: string, query?: ResultsQuery, options?: AskOptions) =>
      bytes('GET /api/campaigns/{id}/results.csv', { ...options, params: { id: campaign }, query }),
    /** Every campaign’s history of one person. */
    find: search('GET /api/find'),
    erase: withBody('POST /api/erase'),
  };

  async function* items<T>(name: OperationName, asked: PlainAsk): AsyncGenerator<T, void, undefined> {
    try {
      for await (const line of linesOf(await bytes(name, asked))) yield JSON.parse(line) as T;
    } catch (error) {
      asked.signal?.throwIfAborted();
      throw error instanceof TypeError
        ? unreachable(error, 'The connection ended before the last result')
        : error;
    }
  }

  async function bytes(name: OperationName, asked: PlainAsk): Promise<ReadableStream<Uint8Array>> {
    return (await ask.open(name, asked)).body!;
  }
}

type ImportOfPhones = 'POST /api/suppressions/import';

export function createSuppressions(ask: Ask) {
  const { withBody, search } = verbsOf(ask);
  return {
    list: search('GET /api/suppressions'),
    /** Nobody calls these phones any more. */
    add: withBody('POST /api/suppressions'),
    remove: withBody('DELETE /api/suppressions'),
    import: (csv: CsvText, query?: OperationQuery<ImportOfPhones>, options?: AskOptions) =>
      upload(ask, 'POST /api/suppressions/import', { csv }, { ...options, query }) as Promise<
        OperationAnswer<ImportOfPhones>
      >,
    /** All of them as the bytes of a CSV. */
    exportCsv: async (options?: AskOptions): Promise<ReadableStream<Uint8Array>> =>
      (await ask.open('GET /api/suppressions.csv', { ...options })).body!,
  };
}

/** A list of people, or a CSV. */
export type List = { people: NewPeople } | { csv: CsvText };

async function upload(ask: Ask, name: OperationName, list: List, asked: PlainAsk): Promise<unknown> {
  const { raw, fault } = await rawOf(list);
  try {
    return await ask.upload(name, { ...asked, raw });
  } catch (error) {
    throw fault.error ?? error;
  }
}

/** `fault` keeps what a caller’s own source threw: `fetch` would only tell that the connection failed. */
async function rawOf(list: List): Promise<{ raw: RawBody; fault: { error?: unknown } }> {
  const fault: { error?: unknown } = {};
  const stream = (source: AsyncIterable<string | Uint8Array> | Iterable<string>) =>
    sendable(
      streamOf(source, (error) => {
        fault.error = error;
      }),
    );
  if ('csv' in list) {
    const { csv } = list;
    const isWhole = typeof csv === 'string' || csv instanceof Blob;
    const content = isWhole ? csv : csv instanceof ReadableStream ? await sendable(csv) : await stream(csv);
    return { raw: { type: 'text/csv', content }, fault };
  }
  const { people } = list;
  if (Array.isArray(people))
    return { raw: { type: 'application/json', content: JSON.stringify(people) }, fault };
  return { raw: { type: 'application/x-ndjson', content: await stream(jsonLines(people)) }, fault };
}

/** Browsers send a stream only over HTTP/2 or not at all: there the whole list is gathered first. */
async function sendable(stream: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array> | Blob> {
  const isBrowser = 'window' in globalThis || 'WorkerGlobalScope' in globalThis;
  return isBrowser ? new Response(stream).blob() : stream;
}
