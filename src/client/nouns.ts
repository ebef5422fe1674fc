import type {
  Ask,
  AskOptions,
  OperationAnswer,
  OperationBody,
  OperationName,
  OperationQuery,
  PlainAsk,
} from './ask.ts';

/** The nouns of the client, each with its verbs: an operation of the API with its own types. */
type ItemOf<N extends OperationName> =
  OperationAnswer<N> extends { items: (infer T)[]; next: string | null } ? T : never;

/** A verb takes the names in its path first, in their order. */
type Ids<Name extends string> = Name extends `${string}{${string}}${infer Rest}`
  ? [id: string, ...Ids<Rest>]
  : [];
type Plain<N extends OperationName> = [...Ids<N>, options?: AskOptions];
type WithBody<N extends OperationName> = [...Ids<N>, body: OperationBody<N>, options?: AskOptions];
type WithQuery<N extends OperationName> = [...Ids<N>, query?: OperationQuery<N>, options?: AskOptions];

function readGiven(name: OperationName, takes: 'body' | 'query' | null, given: readonly unknown[]): PlainAsk {
  const names = [...name.matchAll(/\{(\w+)\}/g)].map(([, each]) => each!);
  const params = Object.fromEntries(names.map((each, nth) => [each, String(given[nth] ?? '')]));
  const [first, second] = given.slice(names.length) as [object?, object?];
  return takes === null ? { ...first, params } : { ...second, params, [takes]: first };
}

/** Makes the verbs of operations: what each takes besides ids, and whether it answers a list. */
export function verbsOf(ask: Ask) {
  const one = <N extends OperationName>(name: N, asked: PlainAsk) =>
    ask(name, asked as never) as Promise<OperationAnswer<N>>;
  const pages = <N extends OperationName>(name: N, asked: PlainAsk): Listing<ItemOf<N>> =>
    createListing((cursor) => {
      const query = { ...asked.query, ...(cursor === undefined ? {} : { cursor }) };
      return ask(name, { ...asked, query } as never) as Promise<ListingPage<ItemOf<N>>>;
    });
  return {
    plain:
      <N extends OperationName>(name: N) =>
      (...given: Plain<N>) =>
        one(name, readGiven(name, null, given)),
    withBody:
      <N extends OperationName>(name: N) =>
      (...given: WithBody<N>) =>
        one(name, readGiven(name, 'body', given)),
    withQuery:
      <N extends OperationName>(name: N) =>
      (...given: WithQuery<N>) =>
        one(name, readGiven(name, 'query', given)),
    list:
      <N extends OperationName>(name: N) =>
      (...given: Plain<N>) =>
        pages(name, readGiven(name, null, given)),
    search:
      <N extends OperationName>(name: N) =>
      (...given: WithQuery<N>) =>
        pages(name, readGiven(name, 'query', given)),
  };
}

export function createNouns(ask: Ask) {
  const { plain, withBody, withQuery, list, search } = verbsOf(ask);
  return {
    campaigns: {
      /** Made once, however often it is sent. */
      create: withBody('POST /api/campaigns'),
      list: search('GET /api/campaigns'),
      get: plain('GET /api/campaigns/{id}'),
      /** Changes what is named; null restores a default. */
      change: withBody('PATCH /api/campaigns/{id}'),
      delete: plain('DELETE /api/campaigns/{id}'),
      clone: withBody('POST /api/campaigns/{id}/clone'),
      start: plain('POST /api/campaigns/{id}/start'),
      resume: plain('POST /api/campaigns/{id}/resume'),
      pause: withQuery('POST /api/campaigns/{id}/pause'),
      cancel: withQuery('POST /api/campaigns/{id}/cancel'),
      /** Calls people again whose calls have ended. */
      retry: withBody('POST /api/campaigns/{id}/retry'),
      refresh: plain('POST /api/campaigns/{id}/refresh'),
      forecast: withQuery('GET /api/campaigns/{id}/forecast'),
      report: withQuery('GET /api/campaigns/{id}/report'),
    },
    calls: {
      /** Calls one person. Without an `idempotencyKey` of yours, each request is a call of its own. */
      create: withBody('POST /api/calls'),
      /** People of all campaigns and single calls, each with every attempt. */
      list: search('GET /api/calls'),
      get: plain('GET /api/calls/{id}'),
      change: withBody('PATCH /api/calls/{id}'),
      cancel: plain('POST /api/calls/{id}/cancel'),
      refresh: plain('POST /api/calls/{id}/refresh'),
      /** An attempt's whole course. */
      attempt: plain('GET /api/attempts/{id}'),
    },
    keys: {
      list: list('GET /api/keys'),
      get: plain('GET /api/keys/{name}'),
      resume: plain('POST /api/keys/{name}/resume'),
      confirm: plain('POST /api/keys/{name}/confirm'),
    },
    numbers: {
      list: list('GET /api/numbers'),
      /** No campaign calls from it until it is returned. */
      rest: plain('POST /api/numbers/{number}/rest'),
      return: plain('POST /api/numbers/{number}/return'),
    },
    unknown: {
      list: search('GET /api/unknown'),
      get: withQuery('GET /api/unknown/{attempt}'),
      /** What became of one call, as a person found out. */
      resolve: withBody('POST /api/unknown/{attempt}/resolve'),
      resolveMany: withBody('POST /api/unknown/resolve'),
    },
    policy: {
      get: plain('GET /api/policy'),
      set: withBody('PUT /api/policy'),
      check: withBody('POST /api/policy/check'),
      /** Whether a phone may be called at a time, and why not. */
      test: withBody('POST /api/policy/test'),
      packs: list('GET /api/policy/packs'),
    },
    alerts: {
      /** Those that are raised, the latest first. */
      list: list('GET /api/alerts'),
      addresses: list('GET /api/alerts/addresses'),
      add: withBody('POST /api/alerts/addresses'),
      remove: plain('DELETE /api/alerts/addresses/{id}'),
      test: plain('POST /api/alerts/addresses/{id}/test'),
    },
    webhooks: {
      list: list('GET /api/webhooks'),
      /** The answer has the secret, which is not shown again. */
      add: withBody('POST /api/webhooks'),
      change: withBody('PATCH /api/webhooks/{id}'),
      remove: plain('DELETE /api/webhooks/{id}'),
      test: plain('POST /api/webhooks/{id}/test'),
      /** Sends events again, with their ids. */
      replay: withBody('POST /api/webhooks/{id}/replay'),
      deliveries: search('GET /api/webhooks/{id}/deliveries'),
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
