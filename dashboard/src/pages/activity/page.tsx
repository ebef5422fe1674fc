import { getRouteApi } from '@tanstack/react-router';
import { usePages } from '../../data/pages.ts';
import { Button } from '../../kit/button.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, SelectFilter, TextFilter, TimeFilter } from '../../kit/filter.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { useCampaignChoices } from '../../shell/campaign-choices.ts';
import { useMe } from '../../shell/me.ts';
import { Entries } from './entry.tsx';
import { sentenceOf } from './sentences.ts';

/** The record of who changed what, from where and when, and of what Carillon noticed by itself. */
const address = getRouteApi('/activity');

/** First words of the verbs: the things that were changed, as they stand in the navigation. */
const groups = [
  ['Campaigns', 'campaign,call,bulk'],
  ['People', 'recipients,recipient,person,suppression,view'],
  ['Safety', 'unknown,key,number,policy,ledger,secret'],
  ['Noticed', 'alert.raise,alert.clear'],
  ['Set-up', 'token,webhook,alert.add,alert.remove'],
] as const;

export function ActivityPage() {
  const search = address.useSearch();
  const navigate = address.useNavigate();
  const list = usePages('GET /api/activity', { query: search }, { on: ['alert.', 'campaign.'] });
  const campaigns = useCampaignChoices();
  const me = useMe().data?.name;
  const set = (name: keyof typeof search) => (value: string | undefined) =>
    void navigate({ search: { ...search, [name]: value }, replace: true });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const { verb, subject } = search;
  return (
    <>
      <PageHead
        title="Activity"
        state={
          <span className="text-sm text-quiet max-sm:hidden">who did what, and what Carillon noticed</span>
        }
        acts={isFiltered && <Button onClick={() => void navigate({ search: {} })}>Clear the filters</Button>}
      />
      <Filters
        before={
          <Chips label="Kind of change">
            <Chip on={verb === undefined} onClick={() => set('verb')(undefined)} label="Everything" />
            {groups.map(([label, verbs]) => (
              <Chip key={label} on={verb === verbs} onClick={() => set('verb')(verbs)} label={label} />
            ))}
            {/* An address may name one verb, such as policy.set, or one thing. */}
            {verb && !groups.some(([, verbs]) => verbs === verb) && (
              <Chip
                on
                onClick={() => set('verb')(undefined)}
                label={sentenceOf({ verb, before: null, after: null }).replace('{campaign}', 'a campaign')}
              />
            )}
            {me && (
              <Chip
                on={search.who === me}
                onClick={() => set('who')(search.who === me ? undefined : me)}
                label="By me"
              />
            )}
            {subject && <Chip on onClick={() => set('subject')(undefined)} label="all of one thing" />}
          </Chips>
        }
      >
        <TextFilter label="Who" placeholder="Everyone, or a name" value={search.who} onChange={set('who')} />
        <SelectFilter
          label="Campaign"
          all="Every campaign"
          value={search.campaign}
          choices={campaigns}
          onChange={set('campaign')}
        />
        <TimeFilter label="Since" value={search.since} onChange={set('since')} />
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
    </>
  );
}
