import { getRouteApi } from '@tanstack/react-router';
import type { PlaceOf } from '../../api/ask.ts';
import { usePages } from '../../data/pages.ts';
import { useAsk } from '../../data/queries.ts';
import { buttonClasses } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Chip, Chips } from '../../kit/chips.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Filters, TextFilter } from '../../kit/filter.tsx';
import { Listing } from '../../kit/listing.tsx';
import { PageHead } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table/data-table.tsx';
import { useMay } from '../../shell/me.ts';
import { columns, rowOfJob, rowOfPerson } from './columns.tsx';
import { Flow } from './flow.tsx';

/** What is dialled next, what is on the line, what waits and why; and each call of it. */
const address = getRouteApi('/jobs');
const everyMs = 5_000;

export function JobsPage() {
  const search = address.useSearch();
  const navigate = address.useNavigate();
  const maySeePeople = useMay('read_people');
  const { q, key } = search;
  // A search looks everywhere; without one, those who come next are shown, and behind them those who wait first.
  const kind = search.kind ?? (q ? undefined : 'dial');
  const query = { q, key, kind, limit: 50 } as PlaceOf<'GET /api/jobs'>['query'];
  const jobs = usePages('GET /api/jobs', { query: query! }, { everyMs });
  const isLine = kind === 'dial' && !q && !key;
  const people = useAsk('GET /api/next', {}, { everyMs, enabled: isLine }).data?.items ?? [];
  const rows = jobs.rows && [...jobs.rows.map(rowOfJob), ...(isLine ? people.map(rowOfPerson) : [])];
  const go = (change: typeof search) =>
    void navigate({ search: { ...search, ...change }, replace: true, resetScroll: false });
  return (
    <>
      <PageHead
        title="Queues"
        state={
          <span className="text-sm text-quiet max-sm:hidden">who is called next, and why others wait</span>
        }
        acts={
          maySeePeople && (
            <a href="/queues" className={buttonClasses()}>
              Queue board
            </a>
          )
        }
      />
      <Flow
        faults={jobs.problem?.code === 'queue-unreachable' ? jobs.problem.message : undefined}
        onChoose={(name) => go({ key: name, kind: 'track' })}
      >
        <Section id="jobs" title="Call by call" bare>
          <Filters
            before={
              <Chips label="Which calls">
                <Chip on={kind === 'dial'} onClick={() => go({ kind: 'dial' })} label="Next in line" />
                <Chip on={kind === 'track'} onClick={() => go({ kind: 'track' })} label="On the line" />
                {key && <Chip on onClick={() => go({ key: undefined })} label={`on the key ${key} ×`} />}
              </Chips>
            }
          >
            <TextFilter
              label="Search"
              wide
              placeholder={maySeePeople ? 'Phone, call id or campaign' : 'Call id or campaign'}
              value={q}
              onChange={(text) => go({ q: text, kind: undefined })}
              error={q ? jobs.problem?.message : undefined}
            />
          </Filters>
          <Listing
            list={{ ...jobs, rows }}
            one="call"
            {...(isLine && { ends: '' })}
            empty={
              <Empty title={q || key ? 'No call fits these filters' : 'Nobody is in line'}>
                A person who waits for hours or another try is not due yet: look for the person instead.
              </Empty>
            }
          >
            {(shown) => (
              <DataTable label="Calls in the queues" rows={shown} columns={columns} keyOf={({ id }) => id} />
            )}
          </Listing>
        </Section>
      </Flow>
    </>
  );
}
