import { useState } from 'react';
import { usePages } from '../../data/pages.ts';
import { useLive } from '../../data/use-live.ts';
import type { CampaignsSearch } from './search.ts';

/** The newest campaigns live, and the older ones a page at a time, when someone wants to see them. */
export function useCampaigns({ state, kind }: Pick<CampaignsSearch, 'state' | 'kind'>) {
  const query = { limit: 200, state, kind };
  const newest = useLive('GET /api/campaigns', { query }, { everyMs: 2_000, on: ['campaign.'] });
  const start = newest.data?.next ?? null;
  const [wanted, setWanted] = useState<string | null>(null);
  const isWanted = start !== null && wanted === start;
  const older = usePages(
    'GET /api/campaigns',
    { query: { ...query, cursor: start ?? undefined } },
    { on: ['campaign.'], enabled: isWanted },
  );
  const [shown, isFailed] = [isWanted ? older.rows : undefined, older.problem !== null];
  return {
    newest,
    items: [...(newest.data?.items ?? []), ...(shown ?? [])],
    hasMore: shown ? older.hasMore : start !== null,
    isLoadingMore: isWanted && !isFailed && (!shown || older.isMoreBusy),
    more: () => (isWanted ? (isFailed ? older.again() : older.more()) : setWanted(start)),
  };
}
