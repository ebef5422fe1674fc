import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { CampaignItem } from '../../api/description.ts';
import { Button } from '../../kit/button.tsx';
import { Command } from '../../kit/copy.tsx';
import { Empty, Read } from '../../kit/empty.tsx';
import { useNarrow } from '../../kit/narrow.ts';
import { PageHead } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table/data-table.tsx';
import { counted } from '../../kit/words.ts';
import { waitsForPerson } from '../../shell/needs.ts';
import { campaignColumns } from './columns.tsx';
import { Compare, mostCompared } from './compare.tsx';
import { Filters } from './filters.tsx';
import { NewCampaign } from './new-button.tsx';
import { useCampaigns } from './pages.ts';
import type { CampaignsSearch } from './search.ts';

/** Every campaign: those that wait for a person first, then those that run, each group the newest first. */
export function CampaignsPage() {
  const search: CampaignsSearch = useSearch({ from: '/campaigns' });
  const navigate = useNavigate();
  const isNarrow = useNarrow();
  const { newest, items, hasMore, isLoadingMore, more } = useCampaigns(search);
  const wanted = search.text?.toLowerCase();
  const rows = items
    .filter(({ name, id }) => !wanted || name.toLowerCase().includes(wanted) || id === wanted)
    .sort((a, b) => rankOf(a) - rankOf(b));

  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [isComparing, setComparing] = useState(false);
  const compared = items.filter(({ id }) => chosen.has(id)).slice(0, mostCompared);
  const isEmpty = items.length === 0 && search.state === undefined && search.kind === undefined;

  return (
    <>
      <PageHead title="Campaigns" acts={!(newest.data && isEmpty) && <NewCampaign />} />
      <Read of={newest} lines={8}>
        {() =>
          isEmpty ? (
            <NoCampaigns />
          ) : (
            <>
              <Filters search={search}>
                {!isNarrow && rows.length > 1 && (
                  <Button
                    className="ml-auto"
                    disabled={compared.length < 2}
                    title="Two to four that are ticked, side by side"
                    onClick={() => setComparing(true)}
                  >
                    Compare {compared.length > 1 && counted(compared.length, 'campaign')}
                  </Button>
                )}
              </Filters>
              {rows.length > 0 ? (
                <DataTable
                  label="Campaigns"
                  rows={rows}
                  columns={campaignColumns}
                  keyOf={keyOf}
                  // Nobody compares on a phone.
                  {...(isNarrow ? {} : { selected: chosen, onSelect: setChosen })}
                  onOpen={({ id }) => void navigate({ to: '/campaigns/$id', params: { id } })}
                />
              ) : (
                <Empty title={search.kind ? 'No single calls fit the filter' : 'No campaign fits the filter'}>
                  {hasMore ? 'Older ones are not looked at yet.' : 'Choose another state, or clear the text.'}
                </Empty>
              )}
              {isComparing && compared.length > 1 && (
                <Compare campaigns={compared} onClose={() => setComparing(false)} />
              )}
              <div className="mt-3 flex flex-wrap items-center gap-3 text-sm text-quiet">
                {search.kind && 'Single calls, by agent and caller number'}
                {hasMore && (
                  <Button small busy={isLoadingMore} onClick={more}>
                    Show older ones
                  </Button>
                )}
              </div>
            </>
          )
        }
      </Read>
    </>
  );
}

const keyOf = ({ id }: CampaignItem) => id;

function NoCampaigns() {
  return (
    <Empty title="No campaign yet" act={<NewCampaign />}>
      <p>
        A campaign calls a list of people: who speaks, when, and how often someone is tried. Make one here, or
        from a file with a column named <code>phone</code>:
      </p>
      <Command>carillon run people.csv --agent AGENT_ID</Command>
    </Empty>
  );
}

const rankOf = (campaign: CampaignItem) =>
  waitsForPerson(campaign) ? 0 : campaign.state === 'running' ? 1 : campaign.state === 'paused' ? 2 : 3;
