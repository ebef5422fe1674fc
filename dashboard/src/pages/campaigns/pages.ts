import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ask, type Problem } from '../../api/ask.ts';
import type { CampaignItem } from '../../api/description.ts';
import { queryClient } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { follow } from '../../live/link.ts';
import type { CampaignsSearch } from './search.ts';

/** The newest campaigns live, and the older ones a page at a time, when someone wants to see them. */
const older = ['ask', 'older campaigns'];

export function useCampaigns({ state, kind }: Pick<CampaignsSearch, 'state' | 'kind'>) {
  const query = { limit: 200, state, kind };
  const newest = useLive('GET /api/campaigns', { query }, { everyMs: 2_000, on: ['campaign.'] });
  const start = newest.data?.next ?? null;
  const rest = useInfiniteQuery<{ items: CampaignItem[]; next: string | null }, Problem>({
    queryKey: [...older, state, kind, start],
    enabled: false,
    initialPageParam: start,
    queryFn: ({ pageParam, signal }) =>
      ask('GET /api/campaigns', { query: { ...query, cursor: pageParam as string }, signal }),
    getNextPageParam: ({ next }) => next,
  });
  useEffect(
    () =>
      follow(['campaign.'], () => queryClient.invalidateQueries({ queryKey: older }).catch(() => undefined)),
    [],
  );
  const pages = rest.data?.pages;
  const hasMore = pages ? rest.hasNextPage : start !== null;
  return {
    newest,
    items: [...(newest.data?.items ?? []), ...(pages ?? []).flatMap(({ items }) => items)],
    hasMore,
    isLoadingMore: rest.isFetching,
    more: () => void (pages ? rest.fetchNextPage() : rest.refetch()),
  };
}
