import { useState } from 'react';
import type { ImportPreview } from '../../api/ask.ts';
import { countries } from '../../api/order-form.ts';
import { useAsk } from '../../data/queries.ts';
import { Button } from '../../kit/basics.tsx';
import { pill } from '../../kit/filter.tsx';
import { AreaField, Form, Options, SelectField } from '../../kit/form.tsx';
import { Notice, Section } from '../../kit/page.tsx';
import { Link } from '../../kit/router.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { count, counted } from '../../kit/words.ts';
import { CloneCampaign } from '../campaign/page.tsx';
import { type ColumnRole, change, type Draft, fieldOfDraft, roles } from './draft.ts';
import { FilePicker, take } from './file-picker.tsx';
import { Checked, type StepProps } from './list-check.tsx';
import { looksLikePhone, pastedList } from './pasted.ts';

/** The meaning of each column: found by its name, and changed where the name misleads. */
export function Columns({ draft, answer }: { draft: Draft; answer: ImportPreview }) {
  if (!answer.columns) return <p className="text-quiet">People are read from the JSON by the names in it.</p>;
  const likely = answer.problem ? likelyPhones(answer) : undefined;
  const fault = draft.faults.phone ?? draft.faults.state;
  return (
    <>
      {answer.problem && (
        <Notice
          isAlert
          title="Choose the column with the phones."
          act={
            likely && (
              <Button onClick={() => change({ map: { ...draft.map, phone: likely } })}>Use {likely}</Button>
            )
          }
        >
          {answer.problem.split(';')[0]!.replace(/^The input/, draft.file!.name)}.
        </Notice>
      )}
      {answer.hint && <Notice title={<span className="whitespace-pre-line">{answer.hint}</span>} />}
      {fault && <p className="mb-2 text-sm text-bad">{fault}</p>}
      <div className="mb-6">
        <DataTable
          label="Columns of the file"
          rows={answer.columns}
          columns={columnsFor(draft, answer)}
          keyOf={({ name }) => name}
        />
      </div>
    </>
  );
}

function likelyPhones({ columns }: ImportPreview): string | undefined {
  const found = (columns ?? []).filter(
    ({ values }) => values.filter(looksLikePhone).length > values.length / 2,
  );
  return found.length === 1 ? found[0]!.name : undefined;
}

const roleNames = Object.keys(roles) as ColumnRole[];
const roleChoices = roleNames.map((value) => ({ value, label: roles[value] }));
type Named = NonNullable<ImportPreview['columns']>[number];

const columnsFor = ({ map }: Draft, { mapping }: ImportPreview): readonly Column<Named>[] => [
  left('name', 'Column', ({ name }) => <span className="font-medium">{name}</span>),
  left('taken', 'Taken as', ({ name }) => {
    const role = roleNames.find((each) => (map[each] ?? mapping?.[each]) === name);
    // One that is found by its name is used: only another one can be named.
    const isFound = role !== undefined && map[role] === undefined;
    const rest = mapping?.more_phones.includes(name) ? 'Next phone' : 'Variable';
    const others = Object.entries(map).filter(([, column]) => column !== name);
    return (
      <select
        aria-label={`${name} is taken as`}
        className={pill(role !== undefined)}
        value={role ?? ''}
        onChange={({ target: { value } }) =>
          change({ map: { ...Object.fromEntries(others), ...(value && { [value]: name }) } })
        }
      >
        {!isFound && <option value="">{rest}</option>}
        <Options of={roleChoices} />
      </select>
    );
  }),
  left('values', 'First values', { from: 'sm' }, ({ values }) => (
    <span className="text-quiet">
      {values
        .filter((value) => value.trim() !== '')
        .slice(0, 3)
        .join(' · ') || 'empty'}
    </span>
  )),
];

export function PeopleStep({ draft, check }: StepProps) {
  const { answer } = check;
  const sheets = answer?.sheets;
  const isLost = draft.file !== null && check.file === null;
  const picker = <FilePicker file={draft.file} isLost={isLost} />;
  if (!draft.file || isLost)
    return (
      <>
        <div className="mb-5 grid gap-4 md:grid-cols-2">
          {picker}
          <Paste />
        </div>
        <Earlier />
        <p className="text-sm text-quiet">
          Only <code>phone</code> is needed. The agent can say every other column by its name;{' '}
          <code>timezone</code> or <code>state</code> tells where the person is. Wrong numbers, repeated
          phones and suppressed people are shown before anybody is called.{' '}
          <a href={sample} download="people.csv" className="link">
            Download a sample
          </a>
        </p>
      </>
    );
  return (
    <>
      {picker}
      <Checked check={check} />
      <div className="mb-4 grid gap-4 sm:grid-cols-2">
        {answer && (draft.country !== '' || draft.faults.country || mayBeNational(answer)) && (
          <SelectField
            {...fieldOfDraft(draft, 'country', 'Country of national numbers')}
            choices={[{ value: '', label: 'Choose a country' }, ...choices]}
            help={
              draft.country === ''
                ? 'Until then numbers without a country code cannot be read.'
                : `Numbers without a country code are read as those of ${regions.of(draft.country)}.`
            }
          />
        )}
        {sheets && sheets.length > 1 && (
          <SelectField
            label="Sheet"
            value={draft.sheet || sheets[0]}
            choices={sheets.map((name) => ({ value: name, label: name }))}
            onChange={({ target: { value } }) => change({ sheet: value, map: {}, fixes: {} })}
          />
        )}
      </div>
      {answer && <Columns draft={draft} answer={answer} />}
      {answer && <LeftOut answer={answer} draft={draft} />}
    </>
  );
}

const regions = new Intl.DisplayNames('en', { type: 'region' });
const choices = countries
  .map((value) => ({ value, label: regions.of(value)! }))
  .sort((a, b) => a.label.localeCompare(b.label));

/** Whether a number lacks its country code, or may: only the first lines that are left out are known. */
const mayBeNational = ({ rejected, rejects }: ImportPreview) =>
  rejected > (rejects ?? []).length || rejects?.some(({ reason }) => reason.includes('in national form'));

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
    <Form onSend={() => take(new File([pastedList(text)], 'pasted numbers'))}>
      <AreaField
        label="Or paste numbers, one person a line"
        rows={3}
        required
        value={text}
        onChange={({ target }) => setText(target.value)}
        placeholder={'+1 415 555 0101\n+1 415 555 0102, Ben Adler'}
        spellCheck={false}
      />
      <Button type="submit" className="mt-2">
        Use these numbers
      </Button>
    </Form>
  );
}

/** Its order and its list can be copied into a draft. */
function Earlier() {
  const campaigns = useAsk('GET /api/campaigns', { limit: 50 }).data?.items ?? [];
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
          { value: '', label: 'Choose a campaign to copy' },
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

/** Who would not be called, and why: rows by their line, each with the cell that is wrong, which can be mended here. */
function LeftOut({ answer, draft: { file, fixes } }: { answer: ImportPreview; draft: Draft }) {
  const { rejected, suppressed } = answer;
  const lines = answer.rejects ?? [];
  const mended = Object.keys(fixes).length;
  if (lines.length + suppressed + mended === 0) return null;
  const row =
    'grid grid-cols-[4.5rem_minmax(0,1fr)] items-center gap-x-3 gap-y-1 py-1.5 md:grid-cols-[6rem_minmax(0,1fr)_20rem]';
  return (
    <Section
      title="Left out"
      note={`by the lines of ${file!.name}${rejected > lines.length ? `: the first ${count(lines.length)} of ${count(rejected)}` : ''}`}
      acts={
        mended > 0 && (
          <Button small kind="quiet" onClick={() => change({ fixes: {} })}>
            {counted(mended, 'row is', 'rows are')} mended here: take the file’s again
          </Button>
        )
      }
    >
      <ul className="divide-y divide-line border-y border-line text-sm">
        {suppressed > 0 && (
          <li className={row}>
            <span>{counted(suppressed, 'person', 'people')}</span>
            <Link to="/suppressions" className="link w-fit">
              must not be called: suppressed
            </Link>
          </li>
        )}
        {lines.map(({ row: line, reason, input: cells }) => {
          const column = wrongColumn(reason, answer.mapping);
          return (
            <li key={line} className={row}>
              <span>line {count(line)}</span>
              {/* The country is a field above, not an option of a command. */}
              <span>{reason.replace(/ \(--country[^)]*\)/, '')}</span>
              {column && (
                <Mend
                  // Of what was read last.
                  key={String(cells?.[column])}
                  label={`${column} on line ${count(line)}`}
                  value={String(cells?.[column] ?? '')}
                  onMend={(cell) =>
                    change({ fixes: { ...fixes, [line]: { ...fixes[line], [column]: cell } } })
                  }
                />
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

/** The column that a reason is about; null where no cell can be put right, as when a row has too many. */
function wrongColumn(reason: string, mapping: ImportPreview['mapping']): string | null {
  if (!mapping || / cells, the header has /.test(reason)) return null;
  if (/ time zone/.test(reason)) return mapping.timezone;
  if (/ is not a state /.test(reason)) return mapping.state;
  return / is not an agent’s id/.test(reason) ? mapping.agent : mapping.phone;
}

/** The cell of a row that was not taken; Enter checks it again, without another upload. */
function Mend({ label, value, onMend }: { label: string; value: string; onMend(cell: string): void }) {
  const [typed, setTyped] = useState(value);
  return (
    <Form className="flex gap-2 max-md:col-start-2" onSend={() => typed !== value && onMend(typed)}>
      <input
        aria-label={label}
        className="min-h-7 w-full min-w-0 rounded-md border border-line-strong max-sm:min-h-10 bg-card px-2"
        value={typed}
        spellCheck={false}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button type="submit" small className="shrink-0" disabled={typed === value}>
        Check again
      </Button>
    </Form>
  );
}
