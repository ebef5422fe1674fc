import { Link, useNavigate } from '@tanstack/react-router';
import { TextFilter } from '../../kit/filter.tsx';
import { classes } from '../../kit/words.ts';
import { type CampaignState, type CampaignsSearch, campaignStates } from './search.ts';

/** Which campaigns are shown: by state and by a part of the name. */
export function Filters({ search }: { search: CampaignsSearch }) {
  const navigate = useNavigate();
  const { text, ...rest } = search;
  return (
    <div className="mb-3 flex flex-wrap items-end justify-between gap-x-4 gap-y-2">
      <nav aria-label="State" className="flex flex-wrap gap-1">
        <StateLink search={search} />
        {campaignStates.map((state) => (
          <StateLink key={state} search={search} state={state} />
        ))}
        <FilterLink search={{ kind: 'calls' }} isNow={search.kind === 'calls'} words="single calls" />
      </nav>
      <TextFilter
        label="Part of the name, or the id"
        value={text}
        onChange={(value) =>
          void navigate({ to: '/campaigns', search: value ? { ...rest, text: value } : rest, replace: true })
        }
        className="w-72"
      />
    </div>
  );
}

function StateLink({ search, state }: { search: CampaignsSearch; state?: CampaignState }) {
  const { state: now, kind, ...rest } = search;
  return (
    <FilterLink
      search={state ? { ...rest, state } : rest}
      isNow={kind === undefined && now === state}
      words={state ?? 'all'}
    />
  );
}

type FilterLinkProps = { search: CampaignsSearch; isNow: boolean; words: string };

function FilterLink({ search, isNow, words }: FilterLinkProps) {
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
      {words}
    </Link>
  );
}
