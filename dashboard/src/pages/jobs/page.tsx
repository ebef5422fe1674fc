import { getRouteApi } from '@tanstack/react-router';
import { usePages } from '../../data/pages.ts';
import { useAsk } from '../../data/queries.ts';
import { useLive } from '../../data/use-live.ts';
import { buttonClasses } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { Empty } from '../../kit/empty.tsx';
import { TextFilter } from '../../kit/filter.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Listing } from '../../kit/listing.tsx';
import { Opening, PageHead } from '../../kit/page.tsx';
import { DataTable } from '../../kit/table/data-table.tsx';
import { counted } from '../../kit/words.ts';
import { useActiveCampaigns } from '../../shell/campaigns.ts';
import { inProgress, useLiveCalls } from '../../shell/live-calls.ts';
import { useMay } from '../../shell/me.ts';
import { columnsOf, grouped, paceOf, rowOfJob, rowOfPerson } from './columns.tsx';
import { OnTheLine, useWaits, Way } from './way.tsx';

/** Everybody on the way to a call: why others wait, who is next, and who is on the line. */
const address = getRouteApi('/jobs');
const everyMs = 5_000;

export function JobsPage() {
  const { q } = address.useSearch();
  const navigate = address.useNavigate();
  const maySeePeople = useMay('read_people');
  const keys = useLive('GET /api/keys', {}, { everyMs: 4_000, on: ['key.'] });
  const live = useLiveCalls().data;
  const waits = useWaits();
  const campaigns = useActiveCampaigns().data?.items;
  // A search looks everywhere; without one, those who come next are shown, and behind them those who wait first.
  const query = { limit: 50, ...(q ? { q } : { kind: 'dial' as const }) };
  const jobs = usePages('GET /api/jobs', { query }, { everyMs });
  const next = useAsk('GET /api/next', { query: { limit: 40 } }, { everyMs, enabled: !q });
  if (!keys.data || !live) return <Opening title="Queues" of={{ ...keys, data: undefined }} />;
  const { items } = keys.data;
  const closed = items.filter(({ state, present }) => present && state !== 'open').map(({ name }) => name);
  const faults = jobs.problem?.code === 'queue-unreachable' ? jobs.problem.message : undefined;
  const waiting = waits?.reduce((sum, { n }) => sum + n, 0);
  const rows = jobs.rows && [
    ...jobs.rows.map(rowOfJob),
    ...((!q && next.data?.items) || []).map(rowOfPerson),
  ];
  const full = (campaigns ?? []).filter(
    ({ max_calls: most, balance: { waiting, calling } }) => most !== null && waiting > 0 && calling >= most,
  ).length;
  const columns = columnsOf((of) => campaigns?.find(({ name }) => name === of)?.max_attempts);
  return (
    <>
      <PageHead
        title="Queues"
        acts={
          maySeePeople && (
            <a href="/queues" className={`${buttonClasses()} max-sm:hidden!`}>
              BullMQ board
            </a>
          )
        }
      />
      <Glance
        level={faults ? 'act' : closed.length > 0 ? 'watch' : 'fine'}
        title={
          faults ??
          `${counted(inProgress(live), 'call is', 'calls are')} on the line${waiting === undefined ? '' : `, ${counted(waiting, 'person waits', 'people wait')}`}.`
        }
      >
        {closed.length > 0
          ? `No new calls on ${closed.join(', ')}: Keys says why.`
          : full > 0
            ? `${counted(full, 'campaign calls', 'campaigns call')} as many at once as ${full === 1 ? 'its' : 'their'} own limit allows: the next call begins when one ends.`
            : 'Whoever may be called is dialled as soon as a line is free and the pace of a key allows it.'}
      </Glance>
      <div className="mb-7 min-h-14">{waits && <Way keys={items} waits={waits} />}</div>
      <div className="grid grid-cols-1 items-start gap-x-10 xl:grid-cols-[2.4fr_1fr]">
        <Section
          id="jobs"
          title={q ? 'Found' : 'Next in line'}
          acts={
            <TextFilter
              label="Search"
              wide
              placeholder={maySeePeople ? 'Phone, call id or campaign' : 'Call id or campaign'}
              value={q}
              onChange={(text) => void navigate({ search: { q: text }, replace: true, resetScroll: false })}
              error={q ? jobs.problem?.message : undefined}
            />
          }
          bare
        >
          <Listing
            list={{ ...jobs, rows }}
            empty={
              <Empty title={q ? 'No call fits the search' : 'Nobody is in line'}>
                A person who waits for hours or another try is not due yet: look for the person instead.
              </Empty>
            }
          >
            {(shown) => (
              <DataTable
                label="Calls in the queues"
                rows={grouped(shown, waits ?? [], q ? null : paceOf(items, live))}
                columns={columns}
                keyOf={({ id }) => id}
                headOf={({ head }) => head}
              />
            )}
          </Listing>
        </Section>
        <OnTheLine keys={items} />
      </div>
    </>
  );
}
