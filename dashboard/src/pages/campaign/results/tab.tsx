import { useRef } from 'react';
import { addressOf, type Campaign, type ListedRecipient } from '../../../api/ask.ts';
import { useAsk } from '../../../data/queries.ts';
import { Badge, buttonClasses, stateText } from '../../../kit/basics.tsx';
import { usePageKeys } from '../../../kit/keys.ts';
import { ActsMenu } from '../../../kit/menu.tsx';
import { Empty, Notice, Read, Section } from '../../../kit/page.tsx';
import { Link, navigate } from '../../../kit/router.tsx';
import { type Column, DataTable, left, right } from '../../../kit/table/data-table.tsx';
import { Time } from '../../../kit/values.tsx';
import { cost, count, counted, isOptOut, learnedText, percent } from '../../../kit/words.ts';
import { personAddress } from '../../../shell/people.tsx';
import { phone, talked, who } from '../../../shell/person-columns.tsx';
import { useMay } from '../../../shell/reads.ts';
import { Outcomes, useReport } from '../overview/report.tsx';
import type { CampaignSearch } from '../search.ts';
import { Imports, Rejects } from './came-in.tsx';
import { toldBy } from './told.ts';

/** How the calls ended, what was learned lately and the file with every row; then what did not come in. */
type TabProps = { campaign: Campaign; search: CampaignSearch };

export function ResultsTab({ campaign, search: { outcome } }: TabProps) {
  const { balance, answers, opt_outs: optOuts } = campaign;
  const maySee = useMay('read_people');
  const report = useReport(campaign).data;
  const cameIn = campaign.kind === 'list' && <Imports of={campaign} />;
  if (!maySee)
    return (
      <>
        {report && <Outcomes campaign={campaign} report={report} />}
        <Empty title="Results name people">They need the role “read people”.</Empty>
        {cameIn}
      </>
    );
  const { people_reached: reached } = report?.total ?? answers;
  const opted =
    optOuts.people > 0 &&
    `, ${count(optOuts.people)} asked for no more calls and ${optOuts.people === 1 ? 'is' : 'are'} suppressed`;
  return (
    <>
      <p className="mb-5 text-xl font-semibold">
        {count(balance.done)} of {counted(balance.rows, 'person is', 'people are')} done;{' '}
        {counted(reached, 'person', 'people')} answered{opted}.
      </p>
      {report && <Outcomes campaign={campaign} report={report} filters={{ chosen: outcome }} />}
      {(!outcome || outcome === 'answered') && reached > 0 && <Sums of={campaign} reached={reached} />}
      <Newest of={campaign} outcome={outcome} />
      {balance.rejected > 0 && <Rejects of={campaign} />}
      {cameIn}
    </>
  );
}

const mostSummed = 200;

/** What the calls were made for, before the rows that say it one by one. */
function Sums({ of: { id }, reached }: { of: Campaign; reached: number }) {
  const answered = useAsk(
    'GET /api/campaigns/{id}/recipients',
    { id, state: 'done', outcome: 'answered', order: 'moved', limit: mostSummed },
    { everyMs: 60_000 },
  ).data;
  const told = toldBy(answered?.items.map(({ structured_data: data }) => data) ?? []);
  // What stands below does not move when it comes.
  if (!answered) return <div className="h-27" />;
  if (told.length === 0) return null;
  const { items, next } = answered;
  const n = count(items.length);
  const part = next ? `the latest ${n} of ` : items.length < reached ? `${n} of ` : '';
  return (
    <Section
      title="What was learned"
      note={`from ${part}the ${count(reached)} who answered${part && ', as far as they are done'}`}
    >
      <dl className="flex flex-wrap gap-x-10 gap-y-3 border-t border-line pt-3 text-sm">
        {told.map(({ name, n, values }) => (
          <div key={name}>
            <dt className="text-quiet">{titleOf(name)}</dt>
            <dd className="flex flex-wrap gap-x-4">
              {(values.length > 0 ? values : [['noted', n] as const]).map(([text, many]) => (
                <span key={text}>
                  {text} <b className="font-semibold">{count(many)}</b>{' '}
                  <span className="text-quiet">{percent(many / items.length)}</span>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

const titleOf = (name: string) => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());

const mostShown = 12;
const looksAt = 60;

type NewestProps = { of: Campaign; outcome: string | undefined };

/** Of the whole file, those who told something, else those who are done. */
function Newest({ of, outcome }: NewestProps) {
  const newest = useAsk(
    'GET /api/campaigns/{id}/recipients',
    { id: of.id, state: 'done', outcome, order: 'moved', limit: looksAt },
    { everyMs: 15_000 },
  );
  const items = newest.data?.items ?? [];
  const readsOptOuts = of.opt_out !== null || of.opt_outs.read > 0;
  const asked = readsOptOuts ? 0 : items.filter(({ structured_data: data }) => isOptOut(data)).length;
  const telling = items.filter(
    (row) => row.outcome === 'answered' && learnedText(row.structured_data) !== '',
  );
  const isAll = outcome !== undefined || telling.length === 0;
  const rows = (isAll ? items : telling).slice(0, mostShown);
  const ended = outcome ?? (isAll ? null : 'answered');
  // The file of those who are done, or who are filtered by. Rejected rows of a list are in a file of their own.
  const csv = useRef<HTMLAnchorElement>(null);
  usePageKeys({ d: () => csv.current?.click() });
  const fileOf = (kind: 'csv' | 'ndjson', query: { state?: string; outcome?: string | undefined }) =>
    addressOf(`GET /api/campaigns/{id}/results.${kind}`, { id: of.id, ...query });
  return (
    <Section
      title={outcome ? `Latest ${stateText(outcome)}` : 'Learned lately'}
      note={
        rows.length === mostShown && (
          <Link to={`/campaigns/${of.id}?tab=people&state=done${ended ? `&outcome=${ended}` : ''}`}>
            See everyone {isAll ? 'who is done' : 'whose last call was answered'}
          </Link>
        )
      }
      acts={
        <div className="flex flex-wrap items-center gap-2">
          <ActsMenu small acts={others} onChoose={(kind) => location.assign(fileOf(kind, {}))}>
            Other files
          </ActsMenu>
          <a
            ref={csv}
            className={buttonClasses('main', true)}
            href={fileOf('csv', outcome ? { outcome } : { state: 'done' })}
            download
          >
            Download {outcome ? stateText(outcome) : counted(of.balance.done, 'result')}
            <kbd className="key-in-button max-md:hidden">D</kbd>
          </a>
        </div>
      }
    >
      {asked > 0 && (
        <Notice
          title={`${counted(asked, 'person', 'people')} of the newest asked for no more calls, and may be called again.`}
        >
          Its settings do not read opt-outs from what people say.{' '}
          <Link to={`/campaigns/${of.id}?tab=order`}>Set Opt-out in the settings</Link>
        </Notice>
      )}
      <Read of={newest}>
        {() =>
          rows.length === 0 ? (
            <p className="border-t border-line py-2 text-sm text-quiet">No row yet.</p>
          ) : (
            <DataTable
              label="Newest results"
              rows={rows}
              columns={columnsOf(rows)}
              onOpen={(row) => void navigate({ to: personAddress(row), search: { row: row.id } })}
            />
          )
        }
      </Read>
    </Section>
  );
}

const mostNames = 3;

type Learned = Record<string, unknown>;
const learnedBy = ({ structured_data: data }: ListedRecipient): Learned => {
  const { opt_out: _, ...learned } = typeof data === 'object' ? { ...(data as Learned | null) } : {};
  return learned;
};

/** What most calls tell has a column each; of the rest, and of who wants no more calls, one tells all. */
function columnsOf(rows: readonly ListedRecipient[]): Column<ListedRecipient>[] {
  const names = toldBy(rows.map(learnedBy))
    .slice(0, mostNames)
    .map(({ name }) => name);
  const restOf = (row: ListedRecipient) => {
    const rest = Object.entries(learnedBy(row)).filter(([name]) => !names.includes(name));
    return learnedText(Object.fromEntries(rest));
  };
  return [
    who,
    phone,
    left('result', 'Result', { has: ({ outcome }) => outcome !== rows[0]!.outcome }, (row) => (
      <Badge state={row.outcome ?? row.state} />
    )),
    ...names.map((name) =>
      left<ListedRecipient>(name, titleOf(name), { from: 'sm', named: true }, (row) => {
        const text = learnedText(learnedBy(row)[name]);
        return (
          text && (
            <span title={text} className="inline-block max-w-64 truncate align-bottom">
              {text}
            </span>
          )
        );
      }),
    ),
    left<ListedRecipient>(
      'rest',
      names.length > 0 ? 'Other' : 'What was learned',
      { from: 'sm', has: (row) => isOptOut(row.structured_data) || restOf(row) !== '' },
      (row) => (
        <span
          title={restOf(row)}
          className={`block max-w-56 truncate text-quiet ${names.length > 0 ? 'xl:max-w-40 2xl:max-w-80' : 'xl:max-w-xl'}`}
        >
          {isOptOut(row.structured_data) ? <Badge state="opt-out" label="no more calls" soft /> : restOf(row)}
        </span>
      ),
    ),
    talked,
    right('cost', 'Cost', { from: 'lg', has: (row) => row.cost !== null }, (row) =>
      cost(row.cost, row.currency),
    ),
    right(
      'ended',
      'Ended',
      { has: ({ ended_at: at }) => at !== null },
      ({ ended_at: at }) => at && <Time at={at} />,
    ),
  ];
}

const others = [
  ['csv', 'Everyone, also without a result'],
  ['ndjson', 'Everyone as NDJSON, with all that the service told'],
] as const;
