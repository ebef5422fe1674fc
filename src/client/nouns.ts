import type {
  Ask,
  AskOptions,
  OperationAnswer,
  OperationBody,
  OperationName,
  OperationQuery,
} from './ask.ts';

/** The nouns of the client, each with its verbs: an operation of the API with its own types. */
export type ItemOf<N extends OperationName> =
  OperationAnswer<N> extends { items: (infer T)[]; next: string | null } ? T : never;

/** Lists an operation's pages. */
export function createPages(ask: Ask) {
  return <N extends OperationName>(
    name: N,
    asked: { params?: Record<string, string>; query?: OperationQuery<N> | undefined },
    options: AskOptions = {},
  ): Listing<ItemOf<N>> =>
    createListing((cursor) => {
      const query = { ...asked.query, ...(cursor === undefined ? {} : { cursor }) };
      return ask(name, { ...options, ...asked, query } as never) as Promise<ListingPage<ItemOf<N>>>;
    });
}

export function createNouns(ask: Ask) {
  const pages = createPages(ask);
  return {
    campaigns: {
      /** Made once, however often it is sent. */
      create: (order: OperationBody<'POST /api/campaigns'>, options?: AskOptions) =>
        ask('POST /api/campaigns', { ...options, body: order }),
      list: (query?: OperationQuery<'GET /api/campaigns'>, options?: AskOptions) =>
        pages('GET /api/campaigns', { query }, options),
      get: (id: string, options?: AskOptions) =>
        ask('GET /api/campaigns/{id}', { ...options, params: { id } }),
      /** Changes what is named; null restores a default. */
      change: (id: string, change: OperationBody<'PATCH /api/campaigns/{id}'>, options?: AskOptions) =>
        ask('PATCH /api/campaigns/{id}', { ...options, params: { id }, body: change }),
      delete: (id: string, options?: AskOptions) =>
        ask('DELETE /api/campaigns/{id}', { ...options, params: { id } }),
      clone: (id: string, copy: OperationBody<'POST /api/campaigns/{id}/clone'>, options?: AskOptions) =>
        ask('POST /api/campaigns/{id}/clone', { ...options, params: { id }, body: copy }),
      start: (id: string, options?: AskOptions) =>
        ask('POST /api/campaigns/{id}/start', { ...options, params: { id } }),
      resume: (id: string, options?: AskOptions) =>
        ask('POST /api/campaigns/{id}/resume', { ...options, params: { id } }),
      pause: (id: string, query?: OperationQuery<'POST /api/campaigns/{id}/pause'>, options?: AskOptions) =>
        ask('POST /api/campaigns/{id}/pause', { ...options, params: { id }, query }),
      cancel: (id: string, query?: OperationQuery<'POST /api/campaigns/{id}/cancel'>, options?: AskOptions) =>
        ask('POST /api/campaigns/{id}/cancel', { ...options, params: { id }, query }),
      /** Calls people again whose calls have ended. */
      retry: (id: string, which: OperationBody<'POST /api/campaigns/{id}/retry'>, options?: AskOptions) =>
        ask('POST /api/campaigns/{id}/retry', { ...options, params: { id }, body: which }),
      refresh: (id: string, options?: AskOptions) =>
        ask('POST /api/campaigns/{id}/refresh', { ...options, params: { id } }),
      forecast: (
        id: string,
        query?: OperationQuery<'GET /api/campaigns/{id}/forecast'>,
        options?: AskOptions,
      ) => ask('GET /api/campaigns/{id}/forecast', { ...options, params: { id }, query }),
      report: (id: string, query?: OperationQuery<'GET /api/campaigns/{id}/report'>, options?: AskOptions) =>
        ask('GET /api/campaigns/{id}/report', { ...options, params: { id }, query }),
    },
    calls: {
      /** Calls one person. Without an `idempotencyKey` of yours, each request is a call of its own. */
      create: (order: OperationBody<'POST /api/calls'>, options?: AskOptions) =>
        ask('POST /api/calls', { ...options, body: order }),
      /** People of all campaigns and single calls, each with every attempt. */
      list: (query?: OperationQuery<'GET /api/calls'>, options?: AskOptions) =>
        pages('GET /api/calls', { query }, options),
      get: (id: string, options?: AskOptions) => ask('GET /api/calls/{id}', { ...options, params: { id } }),
      change: (id: string, change: OperationBody<'PATCH /api/calls/{id}'>, options?: AskOptions) =>
        ask('PATCH /api/calls/{id}', { ...options, params: { id }, body: change }),
      cancel: (id: string, options?: AskOptions) =>
        ask('POST /api/calls/{id}/cancel', { ...options, params: { id } }),
      refresh: (id: string, options?: AskOptions) =>
        ask('POST /api/calls/{id}/refresh', { ...options, params: { id } }),
      /** An attempt's whole course. */
      attempt: (id: string, options?: AskOptions) =>
        ask('GET /api/attempts/{id}', { ...options, params: { id } }),
    },
    keys: {
      list: (options?: AskOptions) => pages('GET /api/keys', {}, options),
      get: (name: string, options?: AskOptions) =>
        ask('GET /api/keys/{name}', { ...options, params: { name } }),
      resume: (name: string, options?: AskOptions) =>
        ask('POST /api/keys/{name}/resume', { ...options, params: { name } }),
      confirm: (name: string, options?: AskOptions) =>
        ask('POST /api/keys/{name}/confirm', { ...options, params: { name } }),
    },
    numbers: {
      list: (options?: AskOptions) => pages('GET /api/numbers', {}, options),
      /** No campaign calls from it until it is returned. */
      rest: (number: string, options?: AskOptions) =>
        ask('POST /api/numbers/{number}/rest', { ...options, params: { number } }),
      return: (number: string, options?: AskOptions) =>
        ask('POST /api/numbers/{number}/return', { ...options, params: { number } }),
    },
    unknown: {
      list: (query?: OperationQuery<'GET /api/unknown'>, options?: AskOptions) =>
        pages('GET /api/unknown', { query }, options),
      get: (attempt: string, query?: OperationQuery<'GET /api/unknown/{attempt}'>, options?: AskOptions) =>
        ask('GET /api/unknown/{attempt}', { ...options, params: { attempt }, query }),
      /** What became of one call, as a person found out. */
      resolve: (
        attempt: string,
        finding: OperationBody<'POST /api/unknown/{attempt}/resolve'>,
        options?: AskOptions,
      ) => ask('POST /api/unknown/{attempt}/resolve', { ...options, params: { attempt }, body: finding }),
      resolveMany: (finding: OperationBody<'POST /api/unknown/resolve'>, options?: AskOptions) =>
        ask('POST /api/unknown/resolve', { ...options, body: finding }),
    },
    policy: {
      get: (options?: AskOptions) => ask('GET /api/policy', { ...options }),
      set: (rules: OperationBody<'PUT /api/policy'>, options?: AskOptions) =>
        ask('PUT /api/policy', { ...options, body: rules }),
      check: (rules: OperationBody<'POST /api/policy/check'>, options?: AskOptions) =>
        ask('POST /api/policy/check', { ...options, body: rules }),
      /** Whether a phone may be called at a time, and why not. */
      test: (question: OperationBody<'POST /api/policy/test'>, options?: AskOptions) =>
        ask('POST /api/policy/test', { ...options, body: question }),
      packs: (options?: AskOptions) => pages('GET /api/policy/packs', {}, options),
    },
    alerts: {
      /** Those that are raised, the latest first. */
      list: (options?: AskOptions) => pages('GET /api/alerts', {}, options),
      addresses: (options?: AskOptions) => pages('GET /api/alerts/addresses', {}, options),
      add: (address: OperationBody<'POST /api/alerts/addresses'>, options?: AskOptions) =>
        ask('POST /api/alerts/addresses', { ...options, body: address }),
      remove: (id: string, options?: AskOptions) =>
        ask('DELETE /api/alerts/addresses/{id}', { ...options, params: { id } }),
      test: (id: string, options?: AskOptions) =>
        ask('POST /api/alerts/addresses/{id}/test', { ...options, params: { id } }),
    },
    webhooks: {
      list: (options?: AskOptions) => pages('GET /api/webhooks', {}, options),
      /** The answer has the secret, which is not shown again. */
      add: (webhook: OperationBody<'POST /api/webhooks'>, options?: AskOptions) =>
        ask('POST /api/webhooks', { ...options, body: webhook }),
      change: (id: string, change: OperationBody<'PATCH /api/webhooks/{id}'>, options?: AskOptions) =>
        ask('PATCH /api/webhooks/{id}', { ...options, params: { id }, body: change }),
      remove: (id: string, options?: AskOptions) =>
        ask('DELETE /api/webhooks/{id}', { ...options, params: { id } }),
      test: (id: string, options?: AskOptions) =>
        ask('POST /api/webhooks/{id}/test', { ...options, params: { id } }),
      /** Sends events again, with their ids. */
      replay: (id: string, which: OperationBody<'POST /api/webhooks/{id}/replay'>, options?: AskOptions) =>
        ask('POST /api/webhooks/{id}/replay', { ...options, params: { id }, body: which }),
      deliveries: (
        id: string,
        query?: OperationQuery<'GET /api/webhooks/{id}/deliveries'>,
        options?: AskOptions,
      ) => pages('GET /api/webhooks/{id}/deliveries', { params: { id }, query }, options),
    },
  };
}

/** A page of a list, as the API answers it. */
export type ListingPage<T> = { items: T[]; next: string | null };

/** Awaited, it is the first page; iterated, every item of all pages. */
export type Listing<T> = Promise<ListingPage<T>> & AsyncIterable<T>;

function createListing<T>(readPage: (cursor?: string) => Promise<ListingPage<T>>): Listing<T> {
  const first = readPage();
  async function* items(): AsyncGenerator<T, void, undefined> {
    for (let page = await first; ; page = await readPage(page.next)) {
      yield* page.items;
      // A search may answer a page without items before its last one.
      if (page.next === null) return;
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items });
}
