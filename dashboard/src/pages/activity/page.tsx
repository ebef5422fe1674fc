import { useMemo } from 'react';
import { usePages } from '../../data/queries.ts';
import { Button } from '../../kit/basics.tsx';
import { Chip, Chips, Filters, SelectFilter, TextFilter } from '../../kit/filter.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { navigate, useFilters } from '../../kit/router.tsx';
import { Listing } from '../../kit/table/data-table.tsx';
import { timeText } from '../../kit/words.ts';
import { useCampaignChoices } from '../../shell/reads.ts';
import { Entries } from './entry.tsx';

/** The record of who changed what, from where and when, and of what Carillon noticed by itself. */

/** First words of the verbs: the things that were changed, as they stand in the navigation. */
const groups = [
  ['Campaigns', 'campaign,call,bulk'],
  ['People', 'recipients,recipient,person,suppression,view'],
  ['Safety', 'unknown,key,number,policy,ledger,secret'],
  ['By Carillon', 'alert.raise,alert.clear,campaign.pause'],
  ['Set-up', 'token,webhook,alert.add,alert.remove,keep'],
] as const;

const hourMs = 3_600_000;
const dayAgo = (days: number) => {
  const day = new Date();
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() - days).toISOString();
};
const times: readonly { value: string; label: string; span?(): { since: string; until?: string } }[] = [
  { value: 'hour', label: 'Last hour', span: () => ({ since: new Date(Date.now() - hourMs).toISOString() }) },
  { value: 'today', label: 'Today', span: () => ({ since: dayAgo(0) }) },
  { value: 'yesterday', label: 'Yesterday', span: () => ({ since: dayAgo(1), until: dayAgo(0) }) },
  { value: 'week', label: '7 days', span: () => ({ since: dayAgo(7) }) },
];

export function ActivityPage() {
  const { search, set, filter } = useFilters('/activity');
  const { verb, subject, since } = search;
  const isExact = since !== undefined && !times.some(({ value }) => value === since);
  const query = useMemo(
    () => ({ ...search, ...times.find(({ value }) => value === search.since)?.span?.() }),
    [search],
  );
  const list = usePages('GET /api/activity', query, { everyMs: 5_000 });
  const campaigns = useCampaignChoices();
  // Pauses by hand are not noticed by Carillon.
  const choose = (label?: string, verbs?: string) =>
    set({
      verb: verbs,
      who: label === 'By Carillon' ? 'carillon' : search.who === 'carillon' ? undefined : search.who,
    });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page
      title="Activity"
      state={
        <span className="text-sm text-quiet max-sm:hidden">who did what, and what Carillon noticed</span>
      }
      acts={isFiltered && <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>}
    >
      <Filters
        before={
          <Chips label="Kind of change">
            <Chip on={verb === undefined} onClick={() => choose()} label="Everything" />
            {groups.map(([label, verbs]) => (
              <Chip key={label} on={verb === verbs} onClick={() => choose(label, verbs)} label={label} />
            ))}
            {/* An address may name one verb, such as policy.set, or one thing. */}
            {(subject || (verb && !groups.some(([, verbs]) => verbs === verb))) && (
              <Chip
                on
                onClick={() => set({ verb: undefined, subject: undefined })}
                label={subject ? 'all of one thing' : `only ${verb}`}
              />
            )}
          </Chips>
        }
      >
        <TextFilter {...filter('who', 'Who')} placeholder="Everyone, or a name" />
        <SelectFilter {...filter('campaign', 'Campaign')} all="Every campaign" choices={campaigns} />
        <SelectFilter
          {...filter('since', 'When')}
          all="Any time"
          choices={isExact ? [...times, { value: since, label: `Since ${timeText(since)}` }] : times}
          onChange={(value) => set({ since: value, until: undefined })}
        />
      </Filters>
      <Listing
        list={list}
        empty={
          <Empty title={isFiltered ? 'Nothing fits these filters' : 'Nothing has been done yet'}>
            {isFiltered
              ? 'Clear a filter to see more.'
              : 'Each act stands here with who did it, whether on this page, by the API or in a terminal; and what Carillon notices by itself, such as a key without credit.'}
          </Empty>
        }
      >
        {(rows) => <Entries rows={rows} />}
      </Listing>
    </Page>
  );
}
