import { getRouteApi } from '@tanstack/react-router';
import { usePages } from '../../api/pages.ts';
import { Button } from '../../kit/button.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, SelectFilter, TextFilter, TimeFilter } from '../../kit/filter.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { useCampaignChoices } from '../../shell/campaign-choices.ts';
import { Entry } from './entry.tsx';

/** The record of who changed what, from where and when, and what it was before. */
const address = getRouteApi('/activity');

/** First words of the verbs: what was changed. */
const nouns = [
  ['campaign', 'campaigns'],
  ['call', 'single calls'],
  ['recipients', 'lists of people'],
  ['recipient', 'one person'],
  ['unknown', 'unknown attempts'],
  ['bulk', 'acts on many people'],
  ['key', 'keys'],
  ['suppression', 'suppressions'],
  ['policy', 'contact rules'],
  ['webhook', 'webhooks'],
  ['token', 'tokens'],
  ['view', 'views'],
].map(([value, label]) => ({ value: value!, label: label! }));

export function ActivityPage() {
  const search = address.useSearch();
  const navigate = address.useNavigate();
  const list = usePages('GET /api/activity', { query: search });
  const campaigns = useCampaignChoices();
  const set = (name: keyof typeof search) => (value: string | undefined) =>
    void navigate({ search: { ...search, [name]: value }, replace: true });
  const isFiltered = Object.keys(search).length > 0;
  const { verb } = search;
  // An address may name one verb, such as policy.set.
  const verbs =
    verb && !nouns.some(({ value }) => value === verb) ? [...nouns, { value: verb, label: verb }] : nouns;
  return (
    <>
      <PageHead
        title="Activity"
        acts={isFiltered && <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>}
      >
        Changes and who made them, the newest first. Phones are masked.
      </PageHead>
      <Filters>
        <SelectFilter label="What" all="Everything" value={verb} choices={verbs} onChange={set('verb')} />
        <TextFilter label="Who" placeholder="a token’s name" value={search.who} onChange={set('who')} />
        <SelectFilter
          label="Campaign"
          all="Every campaign"
          value={search.campaign}
          choices={campaigns}
          onChange={set('campaign')}
        />
        <TextFilter label="Id" placeholder="of the thing" value={search.subject} onChange={set('subject')} />
        <TimeFilter label="Since" value={search.since} onChange={set('since')} />
      </Filters>
      <Listing
        list={list}
        one="entry"
        many="entries"
        empty={
          <Empty title={isFiltered ? 'Nothing fits these filters' : 'Nobody has changed anything yet'}>
            {isFiltered
              ? 'Clear a filter to see more.'
              : 'Each act through the API, this page and the command line stands here, with who did it.'}
          </Empty>
        }
      >
        {(rows) => (
          <ol aria-label="Activity" className="divide-y divide-line border-y border-line">
            {rows.map((row) => (
              <Entry key={row.id} of={row} />
            ))}
          </ol>
        )}
      </Listing>
    </>
  );
}
