import { getRouteApi } from '@tanstack/react-router';
import type { PlaceOf } from '../../api/ask.ts';
import { usePages } from '../../data/pages.ts';
import { buttonClasses } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, SelectFilter, TextFilter } from '../../kit/filter.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table/data-table.tsx';
import { useMay } from '../../shell/me.ts';
import { columns } from './columns.tsx';
import { Lanes } from './lanes.tsx';
import { kinds, states } from './words.ts';

/** The contents of the queues: the lanes, and each call with whom it is to and why it waits. */
const address = getRouteApi('/jobs');
const everyMs = 5_000;

export function JobsPage() {
  const search = address.useSearch();
  const navigate = address.useNavigate();
  const maySeePeople = useMay('read_people');
  const query = { ...search, limit: 50 } as PlaceOf<'GET /api/jobs'>['query'];
  const list = usePages('GET /api/jobs', { query: query! }, { everyMs });
  const set = (name: 'q' | 'key' | 'kind' | 'state') => (value: string | undefined) =>
    void navigate({ search: { ...search, [name]: value }, replace: true });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <>
      <PageHead
        title="Queues"
        acts={
          maySeePeople && (
            <a href="/queues" className={buttonClasses()}>
              Queue board
            </a>
          )
        }
      />
      <Lanes chosen={search.key} onChoose={set('key')} />
      <Section
        id="jobs"
        title="Calls"
        note="each with why it waits; there is nothing to do here in daily work"
        bare
      >
        <Filters>
          <div className="col-span-2">
            <TextFilter
              label="Search"
              placeholder={maySeePeople ? 'phone, call, attempt, campaign' : 'call, attempt, campaign'}
              value={search.q}
              onChange={set('q')}
              error={search.q ? list.problem?.message : undefined}
            />
          </div>
          <SelectFilter label="What" all="Both" value={search.kind} choices={kinds} onChange={set('kind')} />
          <SelectFilter
            label="When"
            all="Any time"
            value={search.state}
            choices={states}
            onChange={set('state')}
          />
        </Filters>
        <Listing
          list={list}
          one="call"
          empty={
            <Empty title={isFiltered ? 'No call fits these filters' : 'The queues are empty'}>
              {isFiltered
                ? 'A person who waits for hours or a retry is in no queue yet: look for the person instead.'
                : 'People come into a queue when they may be called: start a campaign, and they pass through here.'}
            </Empty>
          }
        >
          {(rows) => (
            <DataTable
              label="Calls in the queues"
              rows={rows}
              columns={columns}
              keyOf={({ attempt, kind }) => `${attempt} ${kind}`}
            />
          )}
        </Listing>
      </Section>
    </>
  );
}
