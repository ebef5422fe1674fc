import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { classes } from '../../kit/words.ts';
import { type CampaignState, type CampaignsSearch, campaignStates } from './search.ts';

/** Which campaigns are shown: by state and by a part of the name. */
export function Filters({ search }: { search: CampaignsSearch }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
      <nav aria-label="State" className="flex flex-wrap gap-1">
        <StateLink search={search} />
        {campaignStates.map((state) => (
          <StateLink key={state} search={search} state={state} />
        ))}
        <FilterLink search={{ kind: 'calls' }} isNow={search.kind === 'calls'} words="single calls" />
      </nav>
      <NameFilter search={search} />
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

/** The address follows while one types, without a place in the history for each letter. */
function NameFilter({ search: { text = '', ...rest } }: { search: CampaignsSearch }) {
  const [typed, setTyped] = useState(text);
  const navigate = useNavigate();
  useEffect(() => setTyped(text), [text]);
  const change = (to: string) => {
    setTyped(to);
    navigate({
      to: '/campaigns',
      search: to === '' ? rest : { ...rest, text: to },
      replace: true,
    }).catch(() => undefined);
  };
  const leave = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') event.currentTarget.blur();
  };
  return (
    <input
      type="search"
      aria-label="Part of the name, or the id"
      placeholder="Part of the name, or the id"
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={leave}
      className="min-h-9 w-full max-w-72 rounded-md border border-line-strong bg-card px-2.5"
    />
  );
}
