import { getRouteApi } from '@tanstack/react-router';
import type { PlaceOf } from '../../api/ask.ts';
import { usePages } from '../../data/pages.ts';
import { Button, buttonClasses } from '../../kit/button.tsx';
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

/** How full the queues are; and of a call that one looks for, why it waits. */
const address = getRouteApi('/jobs');
const everyMs = 5_000;

export function JobsPage() {
  const search = address.useSearch();
  const navigate = address.useNavigate();
  const maySeePeople = useMay('read_people');
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const query = { ...search, limit: 50 } as PlaceOf<'GET /api/jobs'>['query'];
  const list = usePages('GET /api/jobs', { query: query! }, { everyMs, enabled: isFiltered });
  const go = (change: typeof search) =>
    void navigate({ search: { ...search, ...change }, replace: true, resetScroll: false });
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
      <Lanes chosen={search.key} onChoose={({ key, kind }) => go({ key, kind })} />
      <Section
        id="jobs"
        title={search.key ? `Calls on ${search.key}` : 'Look for a call'}
        note={!isFiltered && 'why it waits; or press a number above'}
        acts={
          isFiltered && (
            <Button small onClick={() => void navigate({ search: {}, replace: true, resetScroll: false })}>
              Clear the filters
            </Button>
          )
        }
        bare
      >
        <Filters>
          <TextFilter
            label="Search"
            wide
            placeholder={maySeePeople ? 'Phone, call id or campaign' : 'Call id or campaign'}
            value={search.q}
            onChange={(q) => go({ q })}
            error={search.q ? list.problem?.message : undefined}
          />
          <SelectFilter
            label="What"
            all="To dial and to check"
            value={search.kind}
            choices={kinds}
            onChange={(kind) => go({ kind })}
          />
          <SelectFilter
            label="When"
            all="Any time"
            value={search.state}
            choices={states}
            onChange={(state) => go({ state })}
          />
        </Filters>
        {isFiltered && (
          <Listing
            list={list}
            one="call"
            empty={
              <Empty title="No call fits these filters">
                A person who waits for hours or a retry is in no queue yet: look for the person instead.
              </Empty>
            }
          >
            {(rows) => (
              <DataTable
                label="Calls in the queues"
                rows={rows.map((job) => ({ ...job, id: job.recipient }))}
                columns={columns}
                keyOf={({ attempt, kind }) => `${attempt} ${kind}`}
              />
            )}
          </Listing>
        )}
      </Section>
    </>
  );
}
