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
import { createPages } from './nouns.ts';

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
  const pages = createPages(ask);
  const send = async (campaign: string, list: List, asked: PlainAsk): Promise<unknown> => {
    const { raw, fault } = await rawOf(list);
    try {
      return await ask.upload('POST /api/campaigns/{id}/recipients', {
        ...asked,
        params: { id: campaign },
        raw,
      });
    } catch (error) {
      throw fault.error ?? error;
    }
  };
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
    importOf: (id: string, options?: AskOptions) =>
      ask('GET /api/imports/{id}', { ...options, params: { id } }),
    list: (
      campaign: string,
      query?: OperationQuery<'GET /api/campaigns/{id}/recipients'>,
      options?: AskOptions,
    ) => pages('GET /api/campaigns/{id}/recipients', { params: { id: campaign }, query }, options),
    get: (campaign: string, id: string, options?: AskOptions) =>
      ask('GET /api/campaigns/{id}/recipients/{rid}', { ...options, params: { id: campaign, rid: id } }),
    change: (
      campaign: string,
      id: string,
      change: OperationBody<'PATCH /api/campaigns/{id}/recipients/{rid}'>,
      options?: AskOptions,
    ) =>
      ask('PATCH /api/campaigns/{id}/recipients/{rid}', {
        ...options,
        params: { id: campaign, rid: id },
        body: change,
      }),
    /** Takes one person off the list. */
    remove: (campaign: string, id: string, options?: AskOptions) =>
      ask('DELETE /api/campaigns/{id}/recipients/{rid}', { ...options, params: { id: campaign, rid: id } }),
    attempts: (
      campaign: string,
      query?: OperationQuery<'GET /api/campaigns/{id}/attempts'>,
      options?: AskOptions,
    ) => pages('GET /api/campaigns/{id}/attempts', { params: { id: campaign }, query }, options),
    rejects: (
      campaign: string,
      query?: OperationQuery<'GET /api/campaigns/{id}/rejects'>,
      options?: AskOptions,
    ) => pages('GET /api/campaigns/{id}/rejects', { params: { id: campaign }, query }, options),
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
    find: (query: OperationQuery<'GET /api/find'>, options?: AskOptions) =>
      pages('GET /api/find', { query }, options),
    erase: (person: OperationBody<'POST /api/erase'>, options?: AskOptions) =>
      ask('POST /api/erase', { ...options, body: person }),
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

export function createSuppressions(ask: Ask) {
  const pages = createPages(ask);
  return {
    list: (query?: OperationQuery<'GET /api/suppressions'>, options?: AskOptions) =>
      pages('GET /api/suppressions', { query }, options),
    /** Nobody calls these phones any more. */
    add: (phones: OperationBody<'POST /api/suppressions'>, options?: AskOptions) =>
      ask('POST /api/suppressions', { ...options, body: phones }),
    remove: (phones: OperationBody<'DELETE /api/suppressions'>, options?: AskOptions) =>
      ask('DELETE /api/suppressions', { ...options, body: phones }),
    import: async (
      csv: CsvText,
      query?: OperationQuery<'POST /api/suppressions/import'>,
      options?: AskOptions,
    ) => {
      const { raw, fault } = await rawOf({ csv });
      try {
        const told = await ask.upload('POST /api/suppressions/import', { ...options, query, raw });
        return told as OperationAnswer<'POST /api/suppressions/import'>;
      } catch (error) {
        throw fault.error ?? error;
      }
    },
    /** All of them as the bytes of a CSV. */
    exportCsv: async (options?: AskOptions): Promise<ReadableStream<Uint8Array>> =>
      (await ask.open('GET /api/suppressions.csv', { ...options })).body!,
  };
}

/** A list of people, or a CSV. */
export type List = { people: NewPeople } | { csv: CsvText };

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
