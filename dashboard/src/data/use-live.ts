import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type AnswerOf, addressOf, type PlaceOf, type Problem, type ReadName } from '../api/ask.ts';
import { next, startLink, want } from '../live/link.ts';
import { queryClient } from './queries.ts';

/** Answers that stay up to date: the hub asks for them once for all tabs of this browser. */
type LiveOptions = {
  /** Asked for at least this often while the tab is visible, for what no event tells. */
  everyMs?: number | null;
  /** The first words of the types of events that make it old, such as `campaign.`. */
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
