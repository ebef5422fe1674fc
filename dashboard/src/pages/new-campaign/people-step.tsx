import { useState } from 'react';
import type { ImportPreview } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Section } from '../../kit/card.tsx';
import { AreaField, SelectField, TextField } from '../../kit/field.tsx';
import { DataTable, left } from '../../kit/table/data-table.tsx';
import { count, counted } from '../../kit/words.ts';
import { CloneCampaign } from '../campaign/acts/dialogs.tsx';
import { Columns } from './columns.tsx';
import { change, type Draft } from './draft.ts';
import { FilePicker, take } from './file-picker.tsx';
import { Checked, useListCheck } from './list-check.tsx';
import { pastedList } from './pasted.ts';

/** The people to call: the file, what each of its columns is taken for, and what comes of each row. */
export function PeopleStep({ draft }: { draft: Draft }) {
  const check = useListCheck(draft, 'hours');
  const { answer } = check;
  const sheets = answer?.sheets;
  const isLost = draft.file !== null && check.file === null;
  const picker = <FilePicker file={draft.file} isLost={isLost} />;
  if (!draft.file || isLost) {
    return (
      <>
        <div className="mb-5 grid gap-4 md:grid-cols-2">
          {picker}
          <Paste />
        </div>
        <Earlier />
        <p className="text-sm text-quiet">
          Only <code>phone</code> is needed. The agent can say every other column by its name;{' '}
          <code>timezone</code> or <code>state</code> tells where the person is.{' '}
          <a href={sample} download="people.csv" className="link">
            Download a sample
          </a>
        </p>
      </>
    );
  }
  return (
    <>
      {picker}
      <Checked check={check} />
      <div className="mb-4 grid gap-4 sm:grid-cols-2">
        <TextField
          label="Country of national numbers"
          value={draft.country}
          onChange={({ target }) => change({ country: target.value.toUpperCase() })}
          maxLength={2}
          placeholder="US"
          error={draft.faults.country}
          help="Only for numbers without a country code."
        />
        {sheets && sheets.length > 1 && (
          <SelectField
            label="Sheet"
            value={draft.sheet || sheets[0]}
            choices={sheets.map((name) => ({ value: name, label: name }))}
            onChange={({ target: { value } }) => change({ sheet: value, map: {} })}
          />
        )}
      </div>
      {answer && <Columns draft={draft} answer={answer} />}
      {answer && <Rejects answer={answer} />}
    </>
  );
}

const sample = `data:text/csv,${encodeURIComponent(
  [
    'phone,name,clinic,visit',
    '+14155550101,Ada Fox,Brookside,Thursday 15:45',
    '+12125550103,Clara Nowak,Harbour,Friday 11:30',
  ].join('\r\n'),
)}`;

function Paste() {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        take(new File([pastedList(text)], 'pasted numbers'));
      }}
    >
      <AreaField
        label="Or paste numbers, one person a line"
        rows={3}
        value={text}
        onChange={({ target }) => setText(target.value)}
        placeholder={'+1 415 555 0101\n+1 415 555 0102, Ben Adler'}
        spellCheck={false}
      />
      <Button type="submit" className="mt-2" disabled={text.trim() === ''}>
        Use these numbers
      </Button>
    </form>
  );
}

/** Its order and its list can be copied into a draft. */
function Earlier() {
  const campaigns = useAsk('GET /api/campaigns', { query: { limit: 50 } }).data?.items ?? [];
  const lists = campaigns.filter(({ kind, balance }) => kind === 'list' && balance.rows > 0);
  const [chosen, setChosen] = useState('');
  const campaign = lists.find(({ id }) => id === chosen);
  if (lists.length === 0) return null;
  return (
    <div className="mb-5 max-w-sm">
      <SelectField
        label="Or call the people of an earlier campaign again"
        value={chosen}
        choices={[
          { value: '', label: 'Copy one into a draft' },
          ...lists.map(({ id, name, balance }) => ({
            value: id,
            label: `${name}: ${counted(balance.rows, 'person', 'people')}`,
          })),
        ]}
        onChange={({ target }) => setChosen(target.value)}
      />
      {campaign && <CloneCampaign campaign={campaign} withList onClose={() => setChosen('')} />}
    </div>
  );
}

type Rejected = NonNullable<ImportPreview['rejects']>[number];
const rejectColumns = [
  left<Rejected>('row', 'Row', ({ row }) => count(row)),
  // The country is a field above, not an option of a command.
  left<Rejected>('reason', 'Why', ({ reason }) => reason.replace(/ \(--country[^)]*\)/, '')),
];

/** The rows that would be rejected, by line, so that the file can be put right. */
function Rejects({ answer: { rejected, rejects } }: { answer: ImportPreview }) {
  if (!rejects?.length) return null;
  return (
    <Section
      id="rejects"
      title="Rows that would be rejected"
      note={rejected > rejects.length && `the first ${count(rejects.length)} of ${count(rejected)}`}
      bare
    >
      <DataTable label="Rejected rows" rows={rejects} columns={rejectColumns} keyOf={({ row }) => `${row}`} />
    </Section>
  );
}
