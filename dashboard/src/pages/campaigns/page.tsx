import { useState } from 'react';
import type { CampaignItem } from '../../api/ask.ts';
import { Ends, QuickAct } from '../../campaigns/line.tsx';
import {
  doneShare,
  hasEnded,
  peopleOf,
  StateBadge,
  stillWords,
  waitsForTime,
} from '../../campaigns/state.tsx';
import { useLive } from '../../data/queries.ts';
import { BalanceBar, toldParts } from '../../kit/bars.tsx';
import { Button } from '../../kit/basics.tsx';
import { Chip, Chips, Filters, TextFilter } from '../../kit/filter.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { Link, navigate, useFilters } from '../../kit/router.tsx';
import { useWidth } from '../../kit/store.ts';
import { type Column, DataTable, left, right } from '../../kit/table/data-table.tsx';
import { nextCallText } from '../../kit/their-time.tsx';
import { Since } from '../../kit/values.tsx';
import { cost, count, counted, rateText } from '../../kit/words.ts';
import { useNeeds, waitsForPerson } from '../../shell/needs.ts';
import { useAskedAct } from '../../shell/opens.tsx';
import { part } from '../../shell/part.tsx';
import { useMay } from '../../shell/reads.ts';
import { Compare, mostCompared } from './compare.tsx';
import { NewCampaign } from './new-button.tsx';
import { NoCampaigns } from './none.tsx';
import { campaignStates } from './search.ts';

/** The facts that the list tells of each campaign, and its next act: those of the overview, a line each, in fixed places. */
const campaignColumns: readonly Column<CampaignItem>[] = [
  left('name', 'Campaign', { px: 204 }, (campaign) => (
    <span className="flex flex-col justify-center pt-1 sm:min-h-8">
      <Link
        to="/campaigns/$id"
        params={{ id: campaign.id }}
        title={campaign.name}
        className="block truncate font-medium hover:underline"
      >
        {campaign.name}
      </Link>
      <Why of={campaign} />
    </span>
  )),
  left('state', 'State', { from: 'sm', px: 124 }, (campaign) => (
    <span className="flex flex-wrap gap-x-2 sm:flex-col">
      <StateBadge of={campaign} />
      <span className="text-xs whitespace-normal text-quiet">
        {campaign.state === 'paused' ? (
          <Since at={campaign.since} />
        ) : (
          <Ends campaign={campaign} brief={nextCallText} />
        )}
      </span>
    </span>
  )),
  right('done', 'Done', { px: 62 }, ({ balance }) => (
    <b className="font-semibold" title={`of ${counted(peopleOf(balance), 'person', 'people')}`}>
      {doneShare(balance)}%
    </b>
  )),
  left('balance', 'People', { from: 'lg', folds: true, px: 206 }, ({ balance }) => (
    <div className="max-w-full py-1 max-sm:w-64">
      <BalanceBar balance={balance} legend={toldParts} most={5} />
    </div>
  )),
  right(
    'answered',
    'Answered',
    { from: 'xl', folds: true, px: 84 },
    ({ answers: { connect_rate: rate, answered, calls, reach_rate: reached } }) => (
      <span
        title={`${count(answered)} of ${counted(calls, 'ended call')}; ${rateText(reached)} of the people reached`}
      >
        {rateText(rate)}
      </span>
    ),
  ),
  right(
    'cost',
    'Cost',
    { from: 'xl', folds: true, has: ({ balance }) => balance.cost !== null, px: 90 },
    ({ balance, currency }) => cost(balance.cost, currency),
  ),
  left('act', '', { number: true, px: 124 }, (campaign) => (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button in it takes the keys.
    // biome-ignore lint/a11y/noStaticElementInteractions: the row's own click opens the campaign.
    <span className="inline-grid" onClick={(event) => event.stopPropagation()}>
      <QuickAct campaign={campaign} />
    </span>
  )),
];

/** Why it stands still; else how many are not done because they were rejected. */
function Why({ of }: { of: CampaignItem }) {
  const { rejected } = of.balance;
  const words = stillWords(of) ?? (rejected > 0 && `${count(rejected)} rejected`);
  return words && <span className="text-xs whitespace-normal text-quiet">{words}</span>;
}

const CallPhone = part(() => import('./call-phone.tsx'), 'CallPhone');

/** Every campaign: those that wait for a person first, then those that run, each group the newest first. */
const fewCampaigns = 200;
const mostCampaigns = 1_000;

export function CampaignsPage() {
  const { search, set, filter } = useFilters('/campaigns');
  const { text, state, kind } = search;
  const isNarrow = useWidth() === 0;
  const [limit, setLimit] = useState(fewCampaigns);
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [isComparing, setComparing] = useState(false);
  const options = { everyMs: 2_000, on: ['campaign.'] };
  const answer = useLive('GET /api/campaigns', { limit, kind }, { ...options, keep: true });
  const items = answer.data?.items ?? [];
  const wanted = text?.toLowerCase();
  const shown = items
    .filter((each) => !state || each.state === state)
    .filter(({ name, id }) => !wanted || name.toLowerCase().includes(wanted) || id === wanted)
    .sort((a, b) => rankOf(a) - rankOf(b));
  const compared = items.filter(({ id }) => chosen.has(id)).slice(0, mostCompared);
  const isEmpty = items.length === 0 && kind === undefined;
  const mayAct = useMay('operate');
  const isCalm = useNeeds().items.length === 0;
  const [phone, setPhone] = useState<string | null>(null);
  useAskedAct((act) => setPhone(act.replace(/^call:?/, '')));
  const callNow = kind && mayAct && (
    <Button acts onClick={() => setPhone('')}>
      Call a phone
    </Button>
  );
  return (
    <Page
      title="Campaigns"
      acts={
        <>
          {callNow}
          {!(answer.data && isEmpty) && <NewCampaign isMain={isCalm} />}
          {phone !== null && <CallPhone phone={phone} onClose={() => setPhone(null)} />}
        </>
      }
      of={answer}
    >
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
                    onClick={() => set({ state: undefined, kind: undefined })}
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
                        onClick={() => set({ state: each })}
                        label={<span className="first-letter:uppercase">{each}</span>}
                        n={next === null ? n : undefined}
                      />
                    );
                  })}
                  <Chip
                    on={kind === 'calls'}
                    onClick={() => set({ state: undefined, kind: 'calls' })}
                    label="Single calls"
                  />
                </Chips>
              }
            >
              <TextFilter {...filter('text', 'Part of a name, or id')} />
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
                // Nobody compares on a phone.
                {...(isNarrow ? {} : { selected: chosen, onSelect: setChosen })}
                onOpen={({ id }) => void navigate({ to: '/campaigns/$id', params: { id } })}
              />
            ) : (
              <Empty
                title={kind ? 'No single calls fit the filter' : 'No campaign fits the filter'}
                act={callNow}
              />
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
    </Page>
  );
}

const rankOf = (campaign: CampaignItem) => {
  const { state, standstill: still } = campaign;
  if (hasEnded(campaign)) return waitsForPerson(campaign) ? 5 : 6;
  const stands = still && still.cause !== 'paused' && !waitsForTime(still);
  if (stands || waitsForPerson(campaign)) return 0;
  return state === 'running' ? 2 : state === 'paused' ? 3 : state === 'draft' ? 4 : 5;
};
