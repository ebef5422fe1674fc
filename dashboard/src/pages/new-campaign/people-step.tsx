import type { ImportPreview } from '../../api/description.ts';
import { Section } from '../../kit/card.tsx';
import { TextField } from '../../kit/field.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { count } from '../../kit/words.ts';
import { Beginning } from './beginning.tsx';
import { CheckedList, CheckProblem } from './check-state.tsx';
import { Columns } from './columns.tsx';
import { change, type Draft } from './draft.ts';
import { FilePicker } from './file-picker.tsx';
import { useListCheck } from './list-check.ts';

/** The people to call: the file, what each of its columns is taken for, and what comes of each row. */
export function PeopleStep({ draft }: { draft: Draft }) {
  const check = useListCheck(draft, 'hours');
  const { answer, problem } = check;
  return (
    <>
      {draft.file ? (
        <FilePicker draft={draft} check={check} />
      ) : (
        <Beginning draft={draft}>
          <FilePicker draft={draft} check={check} />
        </Beginning>
      )}
      <div aria-live="polite">
        {problem && !check.isRunning && <CheckProblem problem={problem} again={check.again} />}
      </div>
      {draft.file && check.file !== null && (
        <>
          {answer && !answer.problem && <CheckedList answer={answer} />}
          <Section id="reading" title="How the file is read">
            <div className="mb-4 max-w-sm">
              <TextField
                label="Country of national numbers"
                name="country"
                value={draft.country}
                onChange={(event) => change({ country: event.target.value.toUpperCase() })}
                maxLength={2}
                placeholder="US"
                className="max-w-24"
                error={draft.faults.country}
                help="Two letters. Only for numbers without a country code, such as (415) 555-0100."
              />
            </div>
            <Columns draft={draft} check={check} />
          </Section>
          {answer && <Rejects answer={answer} />}
        </>
      )}
    </>
  );
}

type Rejected = NonNullable<ImportPreview['rejects']>[number];
const rejectColumns: readonly Column<Rejected>[] = [
  { id: 'row', head: 'Row', cell: ({ row }) => count(row) },
  // The country is a field above, not an option of a command.
  { id: 'reason', head: 'Why', main: true, cell: ({ reason }) => reason.replace(/ \(--country[^)]*\)/, '') },
];

/** The rows that would be rejected, by line, so that the file can be put right. */
function Rejects({ answer: { rejected, rejects } }: { answer: ImportPreview }) {
  if (!rejects?.length) return null;
  return (
    <Section
      id="rejects"
      title="Rows that would be rejected"
      note={
        rejected > rejects.length &&
        `the first ${count(rejects.length)} of ${count(rejected)}; all of them can be read in the draft`
      }
      bare
    >
      <DataTable label="Rejected rows" rows={rejects} columns={rejectColumns} keyOf={({ row }) => `${row}`} />
    </Section>
  );
}
