import { useState } from 'react';
import { addressOf } from '../../../api/ask.ts';
import type { Campaign, Import, Reject } from '../../../api/description.ts';
import { usePages } from '../../../data/pages.ts';
import { Badge, stateText } from '../../../kit/badge.tsx';
import { buttonClasses } from '../../../kit/button.tsx';
import { Section } from '../../../kit/card.tsx';
import { Empty } from '../../../kit/empty.tsx';
import { SelectField } from '../../../kit/field.tsx';
import { Listing } from '../../../kit/listing.tsx';
import { Meter } from '../../../kit/meter.tsx';
import { type Column, DataTable } from '../../../kit/table/data-table.tsx';
import { Time } from '../../../kit/time.tsx';
import { count, counted } from '../../../kit/words.ts';
import { useMay } from '../../../shell/me.ts';
import { outcomes } from '../outcomes.ts';

/** What came out, and what did not come in: results as files, rejected rows, and imports. */
export function ResultsTab({ campaign }: { campaign: Campaign }) {
  const maySee = useMay('read_people');
  return (
    <>
      {maySee && <Downloads campaign={campaign} />}
      {campaign.kind === 'list' && maySee && <Rejects of={campaign} />}
      {campaign.kind === 'list' && maySee && <Imports id={campaign.id} />}
      {!maySee && <Empty title="Results name people">They need the role “read people”.</Empty>}
    </>
  );
}

const states = ['done', 'waiting', 'skipped', 'unknown', 'parked', 'rejected', 'queued', 'calling'];

function Downloads({ campaign: { id, balance } }: { campaign: Campaign }) {
  const [state, setState] = useState('');
  const [outcome, setOutcome] = useState('');
  const query = { state, outcome };
  const choices = (names: readonly string[]) => [
    { value: '', label: 'any' },
    ...names.map((name) => ({ value: name, label: stateText(name) })),
  ];
  return (
    <Section
      id="downloads"
      title={`Results of ${counted(balance.rows - balance.rejected, 'person', 'people')}`}
      note="a row each, as they are now; also while the campaign runs"
    >
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-40">
          <SelectField
            label="State"
            value={state}
            choices={choices(states)}
            onChange={(event) => setState(event.currentTarget.value)}
          />
        </div>
        <div className="w-40">
          <SelectField
            label="Outcome"
            value={outcome}
            choices={choices(outcomes)}
            onChange={(event) => setOutcome(event.currentTarget.value)}
          />
        </div>
        <a
          className={buttonClasses('main')}
          href={addressOf('GET /api/campaigns/{id}/results.csv', { params: { id }, query })}
          download
        >
          Download CSV
        </a>
        <a
          className={buttonClasses()}
          href={addressOf('GET /api/campaigns/{id}/results.ndjson', { params: { id }, query })}
          download
        >
          Download NDJSON
        </a>
        <span className="pb-1.5 text-sm text-quiet">NDJSON has more fields.</span>
      </div>
    </Section>
  );
}

function Imports({ id }: { id: string }) {
  const list = usePages('GET /api/imports', { query: { campaign: id } }, { on: ['import.'] });
  return (
    <Section id="imports" title="Imports" bare>
      <Listing
        list={list}
        one="import"
        empty={<p className="text-quiet">None: a long list is read in the background, and stands here.</p>}
      >
        {(rows) => (
          <ul className="divide-y divide-line border-y border-line">
            {rows.map((each) => (
              <ImportLine key={each.id} import={each} />
            ))}
          </ul>
        )}
      </Listing>
    </Section>
  );
}

function ImportLine({ import: each }: { import: Import }) {
  const { state, created_at: at, bytes, bytes_read: read, accepted, rejected, reason } = each;
  return (
    <li className="space-y-1 py-3">
      <p className="flex flex-wrap items-center gap-3">
        <Badge state={state} />
        <Time at={at} />
        <span>
          {counted(accepted, 'person', 'people')} taken, {counted(rejected, 'row')} rejected
        </span>
      </p>
      {reason && <p className="text-bad">{reason}</p>}
      {(state === 'running' || state === 'waiting') && (
        <Meter
          label="Read"
          value={read}
          most={bytes}
          words={`${count(Math.round(read / 1_024))} of ${count(Math.round(bytes / 1_024))} kB read`}
        />
      )}
    </li>
  );
}

const rejectColumns: readonly Column<Reject>[] = [
  { id: 'row', head: 'Row', number: true, cell: ({ row }) => count(row) },
  { id: 'reason', head: 'Why it was not taken', cell: ({ reason }) => reason },
  {
    id: 'input',
    head: 'What was given',
    from: 'sm',
    cell: ({ input }) => (
      <span className="block max-w-[40vw] truncate font-mono text-xs">
        {Object.entries(input ?? {})
          .map(([name, value]) => `${name}: ${String(value)}`)
          .join(', ')}
      </span>
    ),
  },
];

function Rejects({ of: { id, balance } }: { of: Campaign }) {
  const list = usePages('GET /api/campaigns/{id}/rejects', { params: { id } }, { on: ['import.'] });
  return (
    <Section
      id="rejects"
      title="Rejected rows"
      acts={
        balance.rejected > 0 && (
          <a
            className={buttonClasses()}
            href={addressOf('GET /api/campaigns/{id}/rejects.csv', { params: { id } })}
            download
          >
            Download to repair
          </a>
        )
      }
      bare
    >
      <Listing
        list={list}
        one="rejected row"
        empty={<p className="text-quiet">None: every phone can be read, and none repeats another.</p>}
      >
        {(rows) => (
          <DataTable
            label="Rejected rows"
            rows={rows}
            columns={rejectColumns}
            keyOf={({ row, reason }) => `${row} ${reason}`}
          />
        )}
      </Listing>
    </Section>
  );
}
