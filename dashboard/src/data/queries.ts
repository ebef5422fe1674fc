import { QueryClient, useMutation, useQueries, useQuery } from '@tanstack/react-query';
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
import { showToast } from '../kit/toast.tsx';
import { refreshAll } from '../live/link.ts';

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
