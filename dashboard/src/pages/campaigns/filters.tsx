import { Link, useNavigate } from '@tanstack/react-router';
import { useLive } from '../../data/use-live.ts';
import { TextFilter } from '../../kit/filter.tsx';
import { classes, count } from '../../kit/words.ts';
import { type CampaignState, type CampaignsSearch, campaignStates } from './search.ts';

/** Which campaigns are shown: by state and by a part of the name. */
export function Filters({ search }: { search: CampaignsSearch }) {
  const navigate = useNavigate();
  const counts = useCounts();
  const { text, ...rest } = search;
  return (
    <div className="mb-3 flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
      <nav aria-label="State" className="flex flex-wrap gap-1">
        <StateLink search={search} n={counts?.all} />
        {campaignStates.map((state) => (
          <StateLink key={state} search={search} state={state} n={counts && (counts[state] ?? 0)} />
        ))}
        <FilterLink search={{ kind: 'calls' }} isNow={search.kind === 'calls'} words="single calls" />
      </nav>
      <TextFilter
        label="Part of the name, or the id"
        placeholder="Part of the name, or the id"
        value={text}
        onChange={(value) =>
          void navigate({ to: '/campaigns', search: value ? { ...rest, text: value } : rest, replace: true })
        }
        className="w-72 [&>label]:sr-only"
      />
    </div>
  );
}

/** How many there are of each state; nothing while there are more than one page of them. */
function useCounts(): { [state: string]: number } | undefined {
  const all = useLive('GET /api/campaigns', { query: { limit: 200 } }, { everyMs: 5_000, on: ['campaign.'] });
  if (!all.data || all.data.next !== null) return undefined;
  const counts: { [state: string]: number } = { all: all.data.items.length };
  for (const { state } of all.data.items) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

type StateProps = { search: CampaignsSearch; state?: CampaignState; n: number | undefined };

function StateLink({ search, state, n }: StateProps) {
  const { state: now, kind, ...rest } = search;
  return (
    <FilterLink
      search={state ? { ...rest, state } : rest}
      isNow={kind === undefined && now === state}
      words={state ?? 'all'}
      n={n}
    />
  );
}

type FilterLinkProps = { search: CampaignsSearch; isNow: boolean; words: string; n?: number | undefined };

function FilterLink({ search, isNow, words, n }: FilterLinkProps) {
  return (
    <Link
      to="/campaigns"
      search={search}
      aria-current={isNow ? 'true' : undefined}
      className={classes(
        'rounded-md px-2 py-1 text-sm',
        isNow ? 'bg-accent-soft font-medium' : 'text-quiet hover:bg-quiet-soft hover:text-text',
      )}
    >
      {words} {n !== undefined && <span className="text-xs">{count(n)}</span>}
    </Link>
  );
}
