import { CarillonError } from '../../base/errors.ts';
import type { Times } from '../../rules/calendar/calendar.ts';
import { value } from '../answers.ts';
import type { CampaignState, Driver } from '../campaigns/campaigns.ts';
import type { Database } from '../database.ts';
import { jsonOf } from '../json.ts';
import type { ShownRecord } from '../kept-record.ts';
import type { ResultLine, TryLine } from '../reports/reports.ts';
import { type Cut, createSaid, type Unsaid } from '../reports/said.ts';
import type { RecipientState } from '../states.ts';

/** Finds people by a filter, over all campaigns or in one, in bounded time. */

/** Null is any; all given conditions must hold. carillon.matching has the conditions, and reads this as JSON. */
export type PeopleFilter = {
  /** The campaign's id. */
  campaign: string | null;
  /** Recipients by their ids. */
  people: number[] | null;
  phones: string[] | null;
  /** Parts of the phone and the name, folded: all of them. */
  parts: string[] | null;
  /** The service's id of a call. */
  call: string | null;
  attempt: string | null;
  states: RecipientState[] | null;
  outcomes: string[] | null;
  /** The key of one of their attempts, and its caller number or the number's id: one of these. */
  key: string | null;
  callers: string[] | null;
  /** Rows that moved at this time or later, and before the other. */
  since: Date | null;
  until: Date | null;
  /** Variables and columns of the input, compared as text. */
  variables: Record<string, string> | null;
};

export const anyone: PeopleFilter = {
  campaign: null,
  people: null,
  phones: null,
  parts: null,
  call: null,
  attempt: null,
  states: null,
  outcomes: null,
  key: null,
  callers: null,
  since: null,
  until: null,
  variables: null,
};

/** A campaign's people come in input order; others by id, by their last move or by their last call, latest first. */
export const searchOrders = ['row', 'id', 'moved', 'called'] as const;
type SearchOrder = (typeof searchOrders)[number];
/** The orders that a reader may ask for. */
export type ListOrder = Extract<SearchOrder, 'row' | 'moved'>;

/** A cursor in an order: `at` is the row, or the time of the move in microseconds. */
export type SearchCursor = { order: SearchOrder; at: number; id: number };

/**
 * `next` is where the search continues: null at its end, and set after few people or none when much is left to look
 * through.
 */
type FoundPage = {
  ids: number[];
  next: SearchCursor | null;
  /** The cursor after the first `count` of these. */
  after(count: number): SearchCursor;
};

/** A recipient with the result, and what the campaign says about waiting. */
export type FoundLine = ResultLine & {
  campaignId: string;
  campaign: string;
  campaignState: CampaignState;
  driver: Driver;
  runLives: boolean;
  times: Times | null;
};

/** An attempt without what was said in it. */
export type FoundTry = Omit<
  TryLine,
  'phone' | 'status' | 'startedAt' | 'error' | Exclude<keyof ShownRecord, 'provider_call_sid' | 'cost'>
> & { ofRecipient: number };

type Id = { id: number };
type Placed = Id & { at: number };
type Met = Id & { at?: number };

/**
 * A page that has somebody ends after looking at so many people; a page without anyone continues until its time is up.
 */
const mostSeen = 20_000;
const longestMs = 1_500;
const largestBatch = 5_000;
/** A large campaign's recently moved people are found by their moves if there are no more than this. */
const fewMoves = 5_000;

const inProgress: ReadonlySet<RecipientState> = new Set(['queued', 'calling', 'unknown']);

export function createSearch(db: Database) {
  const candidates = createCandidates(db);

  const orderOf = async (filter: PeopleFilter, wish: ListOrder | null): Promise<SearchOrder> => {
    if (isByParts(filter)) return 'called';
    if (isNarrow(filter)) return 'id';
    if (wish !== null) return wish;
    if (filter.campaign === null) return isInProgress(filter) ? 'id' : 'moved';
    if (filter.since === null || isInProgress(filter)) return 'row';
    const moves = await candidates.moved(filter, null, fewMoves + 1);
    return moves.length > fewMoves ? 'row' : 'moved';
  };

  const page = async (
    filter: PeopleFilter,
    after: SearchCursor | null,
    most: number,
    ordered: ListOrder | null = null,
  ): Promise<FoundPage> => {
    const order = after?.order ?? (await orderOf(filter, ordered));
    if (!hasOrder(filter, order)) {
      throw new CarillonError('request-invalid', 'cursor: belongs to another search', {
        remedy: 'Send a cursor with the filter of the page that gave it.',
      });
    }
    const end = performance.now() + longestMs;
    const wish = jsonOf(filter);
    const found: Met[] = [];
    const pageOf = (met: Met[], next: SearchCursor | null): FoundPage => ({
      ids: idsOf(met),
      next,
      after: (count) => cursorOf(order, met[count - 1]!),
    });
    let cursor = after;
    let size = most + 1;
    for (let seen = 0; ; ) {
      const met = await candidates[order](filter, cursor, size);
      const fits: Id[] = await db.query('search/matching', { people: met.map(({ id }) => id), filter: wish });
      const fitting = new Set(fits.map(({ id }) => id));
      found.push(...met.filter(({ id }) => fitting.has(id)));
      if (found.length > most) return pageOf(found.slice(0, most), cursorOf(order, found[most - 1]!));
      if (met.length < size) return pageOf(found, null);
      seen += met.length;
      cursor = cursorOf(order, met.at(-1)!);
      const enough = seen >= mostSeen && found.length > 0;
      if (enough || performance.now() > end) return pageOf(found, cursor);
      size = Math.min(size * 4, largestBatch);
    }
  };

  const said = createSaid(db);
  const unsaid = async (ids: number[]): Promise<Unsaid<FoundLine>[]> =>
    ids.length > 0 ? db.query('search/results', { ids }) : [];
  const partsOf = async function* (ids: number[]): AsyncGenerator<FoundLine[]> {
    yield* said.parts<FoundLine>(await unsaid(ids));
  };

  return {
    /**
     * The next people who fit, at most `most`, in the order asked for unless a few people are named; with no order, the
     * fastest is used.
     */
    page,

    /** All people who fit, a batch at a time. */
    async *all(filter: PeopleFilter, wish: ListOrder | null = null): AsyncGenerator<number[]> {
      let cursor: SearchCursor | null = null;
      for (;;) {
        const { ids, next }: FoundPage = await page(filter, cursor, 1_000, wish);
        if (ids.length > 0) yield ids;
        if (next === null) return;
        cursor = next;
      }
    },

    /** Returned in the order of the ids. */
    async lines(ids: number[]): Promise<FoundLine[]> {
      const all: FoundLine[] = [];
      for await (const part of partsOf(ids)) all.push(...part);
      return all;
    },

    /** The same, in parts that fit in memory. */
    linesInParts: partsOf,

    /** As many of the first as can be held at once: see reports/said.ts. */
    firstLines: async (ids: number[]): Promise<Cut<FoundLine>> => said.first<FoundLine>(await unsaid(ids)),

    /** The people of a service's campaigns who are taken next; `openPlaces` by campaign, all where it names none. */
    async next(
      baseUrl: string,
      openPlaces: Readonly<Record<string, readonly string[]>>,
      ofEach: number,
      most: number,
    ): Promise<number[]> {
      const met: Id[] = await db.query('search/next', {
        baseUrl,
        openPlaces: JSON.stringify(openPlaces),
        ofEach,
        most,
      });
      return idsOf(met);
    },

    /** Whether people can be found by parts of their phones and names. */
    hasParts: (): Promise<boolean> => value(db, 'search/has_parts'),

    /** Indexes some of the people whose words are not indexed yet; returns whether more may be left. */
    fillWords: (most: number): Promise<boolean> => value(db, 'search/fill_words', { most }),

    /** The attempts of these people. */
    tries: (ids: number[]): Promise<FoundTry[]> => db.query('search/tries', { ids }),
  };
}

/** Candidates in each order: found by an index, after a cursor. */
function createCandidates(db: Database) {
  const latest = { at: 0, id: Number.MAX_SAFE_INTEGER };
  return {
    async id(filter: PeopleFilter, after: SearchCursor | null, most: number): Promise<Met[]> {
      const { id } = after ?? latest;
      const { call, attempt, people, phones, states } = filter;
      const met: Id[] =
        call !== null || attempt !== null
          ? await db.query('search/by_call', { call, attemptId: attempt, id, most })
          : people !== null
            ? await db.query('search/by_id', { people, id, most })
            : phones !== null
              ? await db.query('search/by_phone', { phones, id, most })
              : await db.query('search/in_progress', { states, id, most });
      return met;
    },

    async called(
      { parts, campaign }: PeopleFilter,
      after: SearchCursor | null,
      most: number,
    ): Promise<Met[]> {
      const { at, id } = after ?? { ...latest, at: Number.MAX_SAFE_INTEGER };
      const met: Placed[] = await db.query('search/by_parts', { parts: parts!, campaign, at, id, most });
      return met;
    },

    async row(filter: PeopleFilter, after: SearchCursor | null, most: number): Promise<Met[]> {
      const { at, id } = after ?? { at: -1, id: -1 };
      const { campaign, states } = filter;
      const met: Placed[] = isInProgress(filter)
        ? await db.query('search/in_progress_of', { campaignId: campaign, states, at, id, most })
        : await db.query('search/of_campaign', { campaignId: campaign, at, id, most });
      return met;
    },

    async moved(filter: PeopleFilter, after: SearchCursor | null, most: number): Promise<Met[]> {
      // Starts after any possible time if there is no end.
      const first = { at: (filter.until?.getTime() ?? 2 ** 42) * 1_000, id: 0 };
      const { at, id } = after ?? first;
      const met: Placed[] = await db.query('search/moved', { at, id, since: filter.since, most });
      return met;
    },
  };
}

/** Whether an index leads to the few people whom it names. */
function isNarrow({ call, attempt, people, phones, parts }: PeopleFilter): boolean {
  return [call, attempt, people, phones, parts].some((each) => each !== null);
}

/** Whether only parts of phones and names lead to them. */
const isByParts = (filter: PeopleFilter) => filter.parts !== null && !isNarrow({ ...filter, parts: null });

/** Whether only people with a live attempt are wanted. */
function isInProgress({ states }: PeopleFilter): boolean {
  return states?.every((state) => inProgress.has(state)) ?? false;
}

function hasOrder(filter: PeopleFilter, order: SearchOrder): boolean {
  if (order === 'row') return filter.campaign !== null;
  if (order === 'called') return isByParts(filter);
  return order === 'moved' || isNarrow(filter) || isInProgress(filter);
}

function cursorOf(order: SearchOrder, { id, at = 0 }: Met): SearchCursor {
  return { order, at, id };
}

function idsOf(met: readonly Met[]): number[] {
  return met.map(({ id }) => id);
}
