import { useInfiniteQuery } from '@tanstack/react-query';
import { type AnswerOf, addressOf, type PlaceOf, type Problem, type ReadName, read } from '../api/ask.ts';
import { keyOf } from './queries.ts';

/** A list that comes in pages: those that were asked for so far, as one list. */
type Paged = { items: readonly unknown[]; next: string | null };
export type PagedName = { [N in ReadName]: AnswerOf<N> extends Paged ? N : never }[ReadName];
export type ItemOf<N extends PagedName> = AnswerOf<N>['items'][number];

type Shown<N extends PagedName> = { rows: ItemOf<N>[]; first: AnswerOf<N> | undefined; pages: number };

const mostFollowed = 2;

/** The same function each time: otherwise a long list is put together and compared at each drawing. */
const shownOf = <N extends PagedName>({ pages }: { pages: AnswerOf<N>[] }): Shown<N> => ({
  rows: pages.flatMap((page) => (page as Paged).items) as ItemOf<N>[],
  first: pages[0],
  pages: pages.length,
});

/** Read again after each act, and as often as `everyMs` says. */
export function usePages<N extends PagedName>(
  name: N,
  place: PlaceOf<N>,
  { enabled = true, everyMs }: { enabled?: boolean; everyMs?: number } = {},
) {
  const address = addressOf(name, place);
  const query = useInfiniteQuery<AnswerOf<N>, Problem, Shown<N>, readonly string[], string | null>({
    queryKey: keyOf('pages', address),
    queryFn: ({ pageParam, signal }) =>
      read(name, { ...place, query: { ...place.query, ...(pageParam && { cursor: pageParam }) } }, signal),
    initialPageParam: null,
    getNextPageParam: (last) => (last as Paged).next,
    select: shownOf<N>,
    enabled,
    // A long list is not read whole again and again.
    refetchInterval: ({ state }) =>
      state.data && state.data.pages.length > mostFollowed ? false : (everyMs ?? false),
  });
  return {
    rows: query.data?.rows,
    first: query.data?.first,
    problem: query.error,
    again: () => void query.refetch(),
    hasMore: query.hasNextPage,
    /** It is too long to be read again by itself. */
    isLong: (query.data?.pages ?? 0) > mostFollowed,
    isMoreBusy: query.isFetchingNextPage,
    more: () => void query.fetchNextPage(),
  };
}
