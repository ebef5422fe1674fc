import { Link, useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { addressOf } from '../../../api/ask.ts';
import type { Campaign, ListedRecipient, Report } from '../../../api/description.ts';
import { useAsk } from '../../../data/queries.ts';
import { Badge, stateText } from '../../../kit/badge.tsx';
import { buttonClasses } from '../../../kit/button.tsx';
import { Section } from '../../../kit/card.tsx';
import { Empty, Read } from '../../../kit/empty.tsx';
import { SelectFilter } from '../../../kit/filter.tsx';
import { usePageKeys } from '../../../kit/keys.ts';
import { Notice } from '../../../kit/notice.tsx';
import { type Column, DataTable, left, right } from '../../../kit/table/data-table.tsx';
import { Time } from '../../../kit/time.tsx';
import { cost, count, counted, isOptOut, learnedText } from '../../../kit/words.ts';
import { personAddress } from '../../../shell/find.ts';
import { useMay } from '../../../shell/me.ts';
import { learnedOf, phone, talked, who } from '../../../shell/person-columns.tsx';
import { outcomes } from '../outcomes.ts';
import { Outcomes } from '../overview/outcomes.tsx';
import { useReport } from '../overview/report.tsx';
import type { CampaignSearch } from '../search.ts';
import { CameIn } from './came-in.tsx';

/** How the calls ended, what was learned lately and the file with every row; what did not come in is folded below. */
type TabProps = { campaign: Campaign; search: CampaignSearch };

export function ResultsTab({ campaign, search }: TabProps) {
  const maySee = useMay('read_people');
  const report = useReport(campaign).data;
  if (maySee) return <Results campaign={campaign} search={search} report={report} />;
  return (
    <>
      <Outcomes id={campaign.id} report={report} />
      <Empty title="Results name people">They need the role “read people”.</Empty>
    </>
  );
}

const states = ['done', 'waiting', 'skipped', 'unknown', 'parked', 'rejected', 'queued', 'calling'] as const;
type Wanted = Pick<CampaignSearch, 'state' | 'outcome'>;
const mostShown = 12;
const looksAt = 60;

function Results({ campaign, search, report }: TabProps & { report: Report | undefined }) {
  const { id, kind, balance } = campaign;
  const { people: optOuts } = campaign.opt_outs;
  const wanted: Wanted = {
    ...(search.state && { state: search.state }),
    ...(search.outcome && { outcome: search.outcome }),
  };
  const isAll = Object.keys(wanted).length === 0;
  const { people_reached: reached } = report?.total ?? campaign.answers;
  const newest = useAsk(
    'GET /api/campaigns/{id}/recipients',
    { params: { id }, query: { state: 'done', ...wanted, order: 'moved', limit: looksAt } },
    { on: ['campaign.'], everyMs: 15_000 },
  );
  const readsOptOuts = campaign.opt_out !== null || campaign.opt_outs.read > 0;
  const found = newest.data?.items ?? [];
  const asked = readsOptOuts ? 0 : found.filter(({ structured_data: data }) => isOptOut(data)).length;
  // A short file is counted as it was found.
  const rows = newest.data?.next === null && !isAll ? counted(found.length, 'row') : rowsIn(balance, wanted);
  return (
    <>
      <p className="mb-5 text-xl font-semibold">
        {balance.rows === 0
          ? 'Nobody is on the list yet.'
          : `${count(balance.done)} of ${counted(balance.rows, 'person is', 'people are')} done; ${counted(reached, 'person', 'people')} answered${optOuts > 0 ? `, ${count(optOuts)} asked for no more calls and ${optOuts === 1 ? 'is' : 'are'} suppressed` : ''}.`}
      </p>
      {asked > 0 && (
        <Notice
          title={`${counted(asked, 'person', 'people')} of the newest asked for no more calls, and may be called again.`}
        >
          Its settings do not read opt-outs from what people say.{' '}
          <Link to="/campaigns/$id" params={{ id }} search={{ tab: 'order' }} className="link">
            Set Opt-out in the settings
          </Link>
        </Notice>
      )}
      <Outcomes id={id} report={report} filters={{ chosen: wanted.outcome }} />
      <Section
        id="newest"
        title={isAll ? 'Learned lately' : 'Newest results'}
        note={`The file has ${rows}`}
        acts={<Downloads id={id} wanted={wanted} />}
        bare
      >
        <Read of={newest}>{({ items }) => <Newest items={items} of={campaign} isAll={isAll} />}</Read>
      </Section>
      {kind === 'list' && <CameIn of={campaign} />}
    </>
  );
}

/** How many rows the file has, as far as the campaign's own counts tell it. */
function rowsIn({ rows, rejected, outcomes: ended, ...counts }: Campaign['balance'], want: Wanted): string {
  const { state, outcome } = want;
  if (outcome)
    return state === 'done'
      ? counted(ended[outcome as 'busy'] ?? 0, 'row')
      : 'everyone whose last call ended so';
  // Rejected rows of a list have no person and are in a file of their own; a rejected person is in this one.
  if (state === 'rejected') return `at most ${counted(rejected, 'row')}`;
  if (state) return counted(counts[state as 'done'], 'row');
  return rejected === 0 ? counted(rows, 'row') : `at least ${counted(rows - rejected, 'row')}`;
}

type NewestProps = { items: readonly ListedRecipient[]; of: Campaign; isAll: boolean };

/** Of the whole file, those who told something, else those of whom something was learned. */
function Newest({ items, of, isAll }: NewestProps) {
  const navigate = useNavigate();
  const telling = items.filter(({ structured_data: data }) => learnedText(data) !== '');
  const answered = telling.filter(({ outcome }) => outcome === 'answered');
  const lists = isAll ? [answered, telling, items] : [items];
  const rows = (lists.find(({ length }) => length > 0) ?? []).slice(0, mostShown);
  if (rows.length === 0) return <p className="border-t border-line py-2 text-sm text-quiet">No row yet.</p>;
  return (
    <DataTable
      label="Newest results"
      rows={rows}
      columns={columnsOf(of, new Set(rows.map(({ outcome }) => outcome)).size > 1)}
      keyOf={({ id }) => id}
      onOpen={(row) => void navigate({ to: personAddress(row), search: { row: row.id } })}
    />
  );
}

const columnsOf = (
  { opt_out: field, opt_outs: { read } }: Campaign,
  isMixed: boolean,
): Column<ListedRecipient>[] => [
  who,
  phone,
  left('result', 'Result', (row) => <Badge state={row.outcome ?? row.state} />, { has: () => isMixed }),
  { ...learnedOf(field !== null || read > 0), from: 'sm' },
  talked,
  right('cost', 'Cost', (row) => (row.cost === null ? '–' : cost(row.cost, row.currency)), {
    from: 'lg',
    has: (row) => row.cost !== null,
  }),
  right('ended', 'Ended', ({ ended_at: at }) => at && <Time at={at} />, {
    has: ({ ended_at: at }) => at !== null,
  }),
];

/** The file of those who are filtered by. */
function Downloads({ id, wanted }: { id: string; wanted: Wanted }) {
  const navigate = useNavigate();
  const csv = useRef<HTMLAnchorElement>(null);
  usePageKeys({ d: () => csv.current?.click() });
  const of = (field: keyof Wanted, names: readonly string[]) => ({
    label: field === 'state' ? 'State' : 'Outcome',
    all: `Any ${field}`,
    value: wanted[field],
    choices: names.map((name) => ({ value: name, label: stateText(name) })),
    onChange(value: string | undefined) {
      const { [field]: _, ...other } = wanted;
      const search = { tab: 'results' as const, ...other, ...(value && { [field]: value }) };
      void navigate({ to: '/campaigns/$id', params: { id }, search, replace: true, resetScroll: false });
    },
  });
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SelectFilter {...of('state', states)} />
      <SelectFilter {...of('outcome', outcomes)} />
      <a
        ref={csv}
        className={buttonClasses('main', true)}
        href={addressOf('GET /api/campaigns/{id}/results.csv', { params: { id }, query: wanted as object })}
        download
      >
        Download CSV
        <kbd className="key-in-button max-md:hidden">D</kbd>
      </a>
      <a
        className={buttonClasses('plain', true)}
        title="It also has agent, key, from, provider_call_sid, direction, contact_id, org_id, agent_id and metadata."
        href={addressOf('GET /api/campaigns/{id}/results.ndjson', {
          params: { id },
          query: wanted as object,
        })}
        download
      >
        Download NDJSON
      </a>
    </div>
  );
}
