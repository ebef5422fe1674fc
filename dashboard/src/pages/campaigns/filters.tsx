import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLive } from '../../data/use-live.ts';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Filters as Bar, TextFilter } from '../../kit/filter.tsx';
import { type CampaignsSearch, campaignStates } from './search.ts';

/** Which campaigns are shown: by state and by a part of the name. */
type FiltersProps = { search: CampaignsSearch; children: ReactNode };

export function Filters({ search, children }: FiltersProps) {
  const navigate = useNavigate();
  const counts = useCounts();
  const { text, state: now, kind } = search;
  const go = ({ text: words, ...to }: CampaignsSearch) =>
    void navigate({ to: '/campaigns', search: { ...to, ...(words && { text: words }) }, replace: true });
  const kept = { text: text ?? '' };
  return (
    <Bar
      before={
        <Chips label="State">
          <Chip on={!now && !kind} onClick={() => go(kept)} label="All" n={counts?.all} />
          {campaignStates
            // A state that no campaign has is not asked for.
            .filter((state) => state === now || !counts || counts[state])
            .map((state) => (
              <Chip
                key={state}
                on={state === now}
                onClick={() => go({ ...kept, state })}
                label={<span className="first-letter:uppercase">{state}</span>}
                n={counts && (counts[state] ?? 0)}
              />
            ))}
          <Chip on={kind === 'calls'} onClick={() => go({ ...kept, kind: 'calls' })} label="Single calls" />
        </Chips>
      }
    >
      <TextFilter
        wide
        label="Part of a name, or id"
        value={text}
        onChange={(words) => go({ ...search, text: words ?? '' })}
      />
      {children}
    </Bar>
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
