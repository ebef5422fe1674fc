import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { addressOf } from '../../../api/ask.ts';
import type { Campaign, ListedRecipient, Report } from '../../../api/description.ts';
import { useAsk } from '../../../data/queries.ts';
import { stateText } from '../../../kit/badge.tsx';
import { buttonClasses } from '../../../kit/button.tsx';
import { Section } from '../../../kit/card.tsx';
import { Empty } from '../../../kit/empty.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { usePageKeys } from '../../../kit/keys.ts';
import { Notice } from '../../../kit/notice.tsx';
import { count, counted, isOptOut } from '../../../kit/words.ts';
import { useMay } from '../../../shell/me.ts';
import { outcomes } from '../outcomes.ts';
import { Outcomes } from '../overview/outcomes.tsx';
import { useReport } from '../overview/report.tsx';
import { CameIn } from './came-in.tsx';
import { Preview } from './preview.tsx';

/** How the calls ended, the file with every row and the first of them; what did not come in is folded below. */
export function ResultsTab({ campaign }: { campaign: Campaign }) {
  const maySee = useMay('read_people');
  const report = useReport(campaign).data;
  if (maySee) return <Results campaign={campaign} report={report} />;
  return (
    <>
      <Outcomes id={campaign.id} report={report} />
      <Empty title="Results name people">They need the role “read people”.</Empty>
    </>
  );
}

const states = ['done', 'waiting', 'skipped', 'unknown', 'parked', 'rejected', 'queued', 'calling'] as const;
type State = (typeof states)[number];
type Wanted = { state: State | ''; outcome: (typeof outcomes)[number] | '' };
const shownRows = 10;

type ResultsProps = { campaign: Campaign; report: Report | undefined };

function Results({ campaign, report }: ResultsProps) {
  const { id, kind, balance } = campaign;
  const { people: optOuts } = campaign.opt_outs;
  const [wanted, setWanted] = useState<Wanted>({ state: '', outcome: '' });
  const isAll = wanted.state === '' && wanted.outcome === '';
  const { people_reached: reached } = report?.total ?? campaign.answers;
  // Of the whole file, those who answered are shown, or else all who have a result.
  const shown = isAll ? (balance.outcomes.answered ? { outcome: 'answered' } : { state: 'done' }) : wanted;
  const first = useAsk(
    'GET /api/campaigns/{id}/recipients',
    { params: { id }, query: { ...shown, order: 'moved', limit: shownRows } },
    { on: ['campaign.'], everyMs: 15_000 },
  );
  const readsOptOuts = campaign.opt_out !== null || campaign.opt_outs.read > 0;
  const asked = readsOptOuts ? 0 : (first.data?.items ?? []).filter(hasOptOut).length;
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
      <div className="grid gap-x-10 xl:grid-cols-2">
        <Outcomes id={id} report={report} />
        <Downloads
          id={id}
          wanted={wanted}
          onWant={setWanted}
          // A short file is counted as it was found.
          words={
            first.data?.next === null && !isAll
              ? counted(first.data.items.length, 'row')
              : rowsIn(balance, wanted)
          }
        />
      </div>
      <Preview
        found={first}
        title={'outcome' in shown && isAll ? 'Newest answered' : 'Newest results'}
        readsOptOuts={readsOptOuts}
      />
      {kind === 'list' && <CameIn of={campaign} />}
    </>
  );
}

const hasOptOut = ({ structured_data: data }: ListedRecipient) => isOptOut(data);

/** How many rows the file has, as far as the campaign's own counts tell it. */
function rowsIn({ rows, rejected, outcomes: ended, ...counts }: Campaign['balance'], want: Wanted): string {
  const { state, outcome } = want;
  if (outcome !== '') return state === 'done' ? counted(ended[outcome] ?? 0, 'row') : 'a row for each';
  // Rejected rows of a list have no person and are in a file of their own; a rejected person is in this one.
  if (state === 'rejected') return `at most ${counted(rejected, 'row')}`;
  if (state !== '') return counted(counts[state], 'row');
  return rejected === 0 ? counted(rows, 'row') : `at least ${counted(rows - rejected, 'row')}`;
}

type DownloadsProps = { id: string; wanted: Wanted; onWant(wanted: Wanted): void; words: string };

function Downloads({ id, wanted, onWant, words }: DownloadsProps) {
  const choices = (names: readonly string[]) => [
    { value: '', label: 'any' },
    ...names.map((name) => ({ value: name, label: stateText(name) })),
  ];
  const set = (field: keyof Wanted) => (event: { currentTarget: { value: string } }) =>
    onWant({ ...wanted, [field]: event.currentTarget.value });
  const csv = useRef<HTMLAnchorElement>(null);
  usePageKeys({ d: () => csv.current?.click() });
  return (
    <Section id="downloads" title="Download" note={`${words}, as they are now`}>
      <div className="mb-3 grid max-w-md grid-cols-2 gap-3">
        <SelectField label="State" value={wanted.state} choices={choices(states)} onChange={set('state')} />
        <SelectField
          label="Outcome"
          value={wanted.outcome}
          choices={choices(outcomes)}
          onChange={set('outcome')}
        />
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <a
          ref={csv}
          className={buttonClasses('main')}
          href={addressOf('GET /api/campaigns/{id}/results.csv', { params: { id }, query: wanted })}
          download
        >
          Download CSV
          <kbd className="key-in-button max-md:hidden">D</kbd>
        </a>
        <a
          className={buttonClasses()}
          href={addressOf('GET /api/campaigns/{id}/results.ndjson', { params: { id }, query: wanted })}
          download
        >
          Download NDJSON
        </a>
        <span className="text-sm text-quiet">NDJSON has more fields.</span>
      </div>
    </Section>
  );
}
