import { getRouteApi } from '@tanstack/react-router';
import { usePages } from '../../data/pages.ts';
import { useLive } from '../../data/use-live.ts';
import { Button } from '../../kit/button.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, SelectFilter, TextFilter, TimeFilter } from '../../kit/filter.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { useCampaignChoices } from '../../shell/campaign-choices.ts';
import { Entries, Line } from './entry.tsx';
import { sentenceOf } from './sentences.ts';

/** The record of who changed what, from where and when, and what it was before. */
const address = getRouteApi('/activity');

/** First words of the verbs: the things that were changed, as they stand in the navigation. */
const groups = [
  ['Campaigns', 'campaign,call,bulk'],
  ['People', 'recipients,recipient,person,suppression,view'],
  ['Safety', 'unknown,key,policy,ledger,secret'],
  ['Set-up', 'token,webhook,alert'],
] as const;

export function ActivityPage() {
  const search = address.useSearch();
  const navigate = address.useNavigate();
  const list = usePages('GET /api/activity', { query: search });
  const campaigns = useCampaignChoices();
  const set = (name: keyof typeof search) => (value: string | undefined) =>
    void navigate({ search: { ...search, [name]: value }, replace: true });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const { verb, subject } = search;
  return (
    <>
      <PageHead
        title="Activity"
        state={<span className="text-sm text-quiet max-sm:hidden">who changed what, from where</span>}
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
            {subject && <Chip on onClick={() => set('subject')(undefined)} label="all of one thing" />}
          </Chips>
        }
      >
        <TextFilter
          label="Who"
          placeholder="Everyone, or a token’s name"
          value={search.who}
          onChange={set('who')}
        />
        <SelectFilter
          label="Campaign"
          all="Every campaign"
          value={search.campaign}
          choices={campaigns}
          onChange={set('campaign')}
        />
        <TimeFilter label="Since" value={search.since} onChange={set('since')} />
      </Filters>
      {!isFiltered && <StillSo />}
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
        {(rows) => <Entries rows={rows} />}
      </Listing>
    </>
  );
}

/** What Carillon noticed by itself and still holds: it stands in no entry, as nobody did it. */
function StillSo() {
  const alerts = useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'] });
  const items = alerts.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className="mt-5 max-w-4xl">
      <h2 className="border-b border-line pb-2 font-semibold">Noticed, and still so</h2>
      <ol aria-label="Noticed by Carillon, still so" className="divide-y divide-line border-b border-line">
        {items.map(({ code, subject, since, title, message }) => (
          <Line key={`${code} ${subject}`} at={since}>
            <p>
              <b className="font-semibold">Carillon</b> noticed:{' '}
              {title.charAt(0).toLowerCase() + title.slice(1)}
            </p>
            <p className="text-sm text-quiet [overflow-wrap:anywhere]">{message}</p>
          </Line>
        ))}
      </ol>
    </section>
  );
}
