import { useState } from 'react';
import type { CampaignItem } from '../../api/description.ts';
import { useLive } from '../../data/use-live.ts';
import { Button } from '../../kit/button.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { Filters, TextFilter } from '../../kit/filter.tsx';
import { useNarrow } from '../../kit/narrow.ts';
import { PageHead } from '../../kit/page.tsx';
import { navigate, useSearch } from '../../kit/router.tsx';
import { DataTable } from '../../kit/table/data-table.tsx';
import { count, counted } from '../../kit/words.ts';
import { waitsForPerson } from '../../shell/needs.ts';
import { campaignColumns, isWhole } from './columns.tsx';
import { Compare, mostCompared } from './compare.tsx';
import { NewCampaign } from './new-button.tsx';
import { NoCampaigns } from './none.tsx';
import { type CampaignsSearch, campaignStates } from './search.ts';

/** Every campaign: those that wait for a person first, then those that run, each group the newest first. */
const fewCampaigns = 200;
const mostCampaigns = 1_000;

export function CampaignsPage() {
  const { text, state, kind }: CampaignsSearch = useSearch('/campaigns');
  const isNarrow = useNarrow();
  const [limit, setLimit] = useState(fewCampaigns);
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [isComparing, setComparing] = useState(false);
  const options = { everyMs: 2_000, on: ['campaign.'] };
  const answer = useLive('GET /api/campaigns', { query: { limit, kind } }, { ...options, keep: true });
  const items = answer.data?.items ?? [];
  const wanted = text?.toLowerCase();
  const shown = items
    .filter((each) => !state || each.state === state)
    .filter(({ name, id }) => !wanted || name.toLowerCase().includes(wanted) || id === wanted)
    .sort((a, b) => rankOf(a) - rankOf(b));
  const whole = shown.find(isWhole);
  const compared = items.filter(({ id }) => chosen.has(id)).slice(0, mostCompared);
  const isEmpty = items.length === 0 && kind === undefined;
  const go = (search: CampaignsSearch) => void navigate({ to: '/campaigns', search, replace: true });
  const kept = text ? { text } : {};
  return (
    <>
      <PageHead title="Campaigns" acts={!(answer.data && isEmpty) && <NewCampaign />} />
      <Read of={answer} lines={8}>
        {({ next }) =>
          isEmpty ? (
            <NoCampaigns />
          ) : (
            <>
              <Filters
                before={
                  <Chips label="State">
                    <Chip
                      on={!state && !kind}
                      onClick={() => go(kept)}
                      label="All"
                      n={next === null && !kind ? items.length : undefined}
                    />
                    {campaignStates.map((each) => {
                      const n = items.filter((item) => item.state === each).length;
                      if (n === 0 && each !== state) return null;
                      return (
                        <Chip
                          key={each}
                          on={each === state}
                          onClick={() => go({ ...kept, ...(kind && { kind }), state: each })}
                          label={<span className="first-letter:uppercase">{each}</span>}
                          n={next === null ? n : undefined}
                        />
                      );
                    })}
                    <Chip
                      on={kind === 'calls'}
                      onClick={() => go({ ...kept, kind: 'calls' })}
                      label="Single calls"
                    />
                  </Chips>
                }
              >
                <TextFilter
                  label="Part of a name, or id"
                  value={text}
                  onChange={(words) =>
                    go({ ...(state && { state }), ...(kind && { kind }), ...(words && { text: words }) })
                  }
                />
                {!isNarrow && compared.length > 1 && (
                  <Button small className="min-h-7" onClick={() => setComparing(true)}>
                    Compare {counted(compared.length, 'campaign')}
                  </Button>
                )}
              </Filters>
              {shown.length > 0 ? (
                <DataTable
                  label="Campaigns"
                  rows={shown}
                  columns={campaignColumns}
                  keyOf={keyOf}
                  headOf={(row) => row === whole}
                  // Nobody compares on a phone.
                  {...(isNarrow ? {} : { selected: chosen, onSelect: setChosen })}
                  onOpen={({ id }) => void navigate({ to: '/campaigns/$id', params: { id } })}
                />
              ) : (
                <Empty title={kind ? 'No single calls fit the filter' : 'No campaign fits the filter'} />
              )}
              {isComparing && compared.length > 1 && (
                <Compare campaigns={compared} onClose={() => setComparing(false)} />
              )}
              {next !== null && limit === fewCampaigns && (
                <Button small className="mt-3" onClick={() => setLimit(mostCampaigns)}>
                  Show older ones
                </Button>
              )}
              {next !== null && limit === mostCampaigns && (
                <p className="mt-3 text-sm text-quiet">
                  These are the latest {count(mostCampaigns)}. The API lists them all.
                </p>
              )}
            </>
          )
        }
      </Read>
    </>
  );
}

const keyOf = ({ id }: CampaignItem) => id;

const rankOf = (campaign: CampaignItem) => {
  const { state } = campaign;
  if (isWhole(campaign)) return 5;
  if (waitsForPerson(campaign)) return state === 'running' ? 1 : 0;
  return state === 'running' ? 2 : state === 'paused' ? 3 : 4;
};
