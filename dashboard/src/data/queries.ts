import { QueryClient, useInfiniteQuery, useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import {
  type ActName,
  type AnswerOf,
  type AskOf,
  addressOf,
  ask,
  type PlaceOf,
  Problem,
  type ReadName,
  read,
} from '../api/ask.ts';
import { createStore } from '../kit/store.ts';
import { sendSoon, showToast } from '../kit/toast.tsx';
import { next, refreshAll, startLink, want } from '../live/link.ts';

/** How pages read once and act; data that stays up to date by itself is read with `useLive`. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream and the acts say when something is old.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // Also where the browser thinks that there is no network: an act is sent now, or fails.
      networkMode: 'always',
      retry: (count, error) => count < 2 && error instanceof Problem && error.status === 0,
    },
    mutations: { networkMode: 'always' },
  },
});

/** The name under which an answer, or a list with its pages so far, is kept. */
export const keyOf = (kind: 'one' | 'pages', address: string) => ['ask', kind, address];

const queryOf = <N extends ReadName>(name: N, place: PlaceOf<N>) => ({
  queryKey: keyOf('one', addressOf(name, place)),
  queryFn: ({ signal }: { signal: AbortSignal }) => read(name, place, signal),
});

/** An answer that is read when it is shown, again after an act, and as often as `everyMs` says. */
export const useAsk = <N extends ReadName>(
  name: N,
  place: PlaceOf<N>,
  { enabled = true, everyMs }: { enabled?: boolean; everyMs?: number } = {},
) =>
  useQuery<AnswerOf<N>, Problem>({
    ...queryOf(name, place),
    enabled,
    // Only while the tab is visible.
    refetchInterval: everyMs ?? false,
  });

/** The same answer of several things, such as of each key. */
export const useAsks = <N extends ReadName>(name: N, places: readonly PlaceOf<N>[], everyMs: number) =>
  useQueries({
    queries: places.map((place) => ({ ...queryOf(name, place), refetchInterval: everyMs })),
  });

export type ActOptions<N extends ActName> = {
  /** The message that the person is told when it is done; null leaves it to the caller. */
  done?: ((answer: AnswerOf<N>) => string | null) | undefined;
  onDone?: ((answer: AnswerOf<N>) => void) | undefined;
  /** The caller shows the failure itself, such as at the fields of a form. */
  quiet?: boolean;
};

/**
 * One act: `run` starts it, `isPending` disables its button, its end and its failure are told, and what is shown is read
 * again.
 */
export function useAct<N extends ActName>(name: N, { done, onDone, quiet }: ActOptions<N> = {}) {
  const mutation = useMutation<AnswerOf<N>, Problem, AskOf<N>>({
    mutationFn: (asked) => ask(name, asked),
    onSuccess: (answer) => {
      const words = done?.(answer);
      if (words) showToast({ kind: 'done', text: words });
      onDone?.(answer);
      refreshEverything();
    },
    onError: (problem) => {
      if (!quiet) tellProblem(problem);
    },
  });
  return { ...mutation, run: mutation.mutate };
}

/** How many an act would concern: it is only counted, each time anew. Null asks for nothing. */
export const useDryRun = <N extends ActName>(name: N, asked: AskOf<N> | null) =>
  useQuery<AnswerOf<N>, Problem>({
    queryKey: ['dry run', name, asked],
    queryFn: ({ signal }) => ask(name, { ...asked!, signal }),
    enabled: asked !== null,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });

/** An act that a dialog asks about: the dialog shows what went wrong, and goes when it is done. */
export const useDialogAct = <N extends ActName>(
  name: N,
  onDone: (answer: AnswerOf<N>) => void,
  done?: ActOptions<N>['done'],
) => useAct(name, { done, onDone, quiet: true });

/** A key of its own; none other has it. */
export const newKey = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

/** One key for what is typed: a request that was sent twice counts once. The words themselves may not stand in a header. */
// biome-ignore lint/correctness/useExhaustiveDependencies: what else is typed is another request.
export const useKeyOf = (typed: object) => useMemo(newKey, [typed]);

/** After an act, whatever is on the screen is read again. */
export function refreshEverything(): void {
  refreshAll();
  readAgain();
}

/** What the hub does not keep up to date. */
export function readAgain(): void {
  queryClient
    .invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind !== 'live' })
    .catch(() => undefined);
}

export function tellProblem(problem: Problem): void {
  showToast({ kind: 'failed', text: problem.message, more: problem.remedy });
}

/** Answers that stay up to date: the hub asks for them once for all tabs of this browser. */
type LiveOptions = {
  /** Asked for at least this often while the tab is visible, for what no event tells. */
  everyMs?: number | null;
  /** An event whose type begins with one of these makes the answer old: `campaign.`. */
  on?: readonly string[];
  enabled?: boolean;
  /** Shows the answer of the address before until the new one is there, such as while a span moves on. */
  keep?: boolean;
};

export function useLive<N extends ReadName>(
  name: N,
  place: PlaceOf<N>,
  { everyMs = null, on = [], enabled = true, keep = false }: LiveOptions,
) {
  const path = addressOf(name, place);
  const types = on.join(' ');
  useEffect(() => {
    if (!enabled) return;
    return want({ path, everyMs, on: types === '' ? [] : types.split(' ') });
  }, [path, everyMs, types, enabled]);
  return useQuery<AnswerOf<N>, Problem>({
    queryKey: ['live', path],
    queryFn: async () => {
      const isAgain = queryClient.getQueryState(['live', path])?.dataUpdatedAt !== 0;
      return (await next(path, isAgain)) as AnswerOf<N>;
    },
    enabled,
    placeholderData: (before) => (keep ? before : undefined),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

export function startLive(): void {
  startLink((path, body) => queryClient.setQueryData(['live', path], body));
}

/** A list that comes in pages: those that were asked for so far, as one list. */
type Paged = { items: readonly unknown[]; next: string | null };
type PagedName = { [N in ReadName]: AnswerOf<N> extends Paged ? N : never }[ReadName];
type ItemOf<N extends PagedName> = AnswerOf<N>['items'][number];

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
      read(name, { ...place, ...(pageParam && { cursor: pageParam }) }, signal),
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

/** Acts that are told as done at once and sent when no undo can come; one that is undone, or fails, is taken back. */
export function createSoon<Value>() {
  const told = createStore<ReadonlyMap<string, Value>>(new Map());
  const change = (by: (now: Map<string, Value>) => void) => {
    const now = new Map(told.get());
    by(now);
    told.set(now);
  };
  return {
    use: told.use,
    /** What was done already. */
    keep: (key: string, value: Value) => change((now) => now.set(key, value)),
    /** `send` answers the words that are told at the end, if there are any. */
    tell(key: string, value: Value, text: string, send: () => Promise<string | null>): void {
      const before = told.get().get(key);
      const takeBack = () => change((now) => (before === undefined ? now.delete(key) : now.set(key, before)));
      change((now) => now.set(key, value));
      sendSoon(text, {
        undone: takeBack,
        async send() {
          try {
            const words = await send();
            if (words) showToast({ kind: 'done', text: words });
            refreshEverything();
          } catch (error) {
            takeBack();
            tellProblem(error as Problem);
          }
        },
      });
    },
  };
}
