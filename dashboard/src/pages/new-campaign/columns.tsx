import type { ImportPreview } from '../../api/description.ts';
import { Button } from '../../kit/button.tsx';
import { Loading } from '../../kit/empty.tsx';
import { SelectField } from '../../kit/field.tsx';
import { type Column, DataTable } from '../../kit/table/data-table.tsx';
import { counted } from '../../kit/words.ts';
import { type ColumnRole, change, type Draft, roles } from './draft.ts';
import type { ListCheck } from './list-check.ts';
import { looksLikePhone } from './pasted.ts';

/** The meaning of each column: found by its name, and changed where the name misleads. */
export function Columns({ draft, check: { answer, isRunning } }: { draft: Draft; check: ListCheck }) {
  if (!answer) return isRunning ? <Loading lines={4} /> : null;
  const likely = answer.problem ? likelyPhones(answer) : undefined;
  if (!answer.columns) return <p className="text-quiet">People are read from the JSON by the names in it.</p>;
  return (
    <>
      <p className="mb-4 text-sm text-quiet">{wayOf(answer)}</p>
      {answer.sheets && answer.sheets.length > 1 && (
        <div className="mb-4 max-w-xs">
          <SelectField
            label="Sheet"
            value={draft.sheet || answer.sheets[0]!}
            choices={answer.sheets.map((name) => ({ value: name, label: name }))}
            onChange={({ target: { value } }) => change({ sheet: value, map: {} })}
          />
        </div>
      )}
      {answer.problem && (
        <p role="alert" className="mb-4 rounded-md border border-warn bg-warn-soft px-3 py-2">
          {firstLine(answer.problem, draft)} Choose the column with the phones.
          {likely && (
            <Button small className="ml-2" onClick={() => change({ map: { ...draft.map, phone: likely } })}>
              Use {likely}
            </Button>
          )}
        </p>
      )}
      {answer.hint && (
        <p className="mb-4 whitespace-pre-line rounded-md border border-busy bg-busy-soft px-3 py-2">
          {answer.hint}
        </p>
      )}
      <div className="mb-4 grid gap-4 sm:grid-cols-2 lg:grid-cols-5">
        {roles.map((role) => (
          <RoleField key={role} role={role} draft={draft} answer={answer} />
        ))}
      </div>
      <ColumnTable answer={answer} />
    </>
  );
}

/** The column whose first values look like phones, when it is the only one. */
function likelyPhones({ columns }: ImportPreview): string | undefined {
  const found = (columns ?? []).filter(
    ({ values }) => values.filter(looksLikePhone).length > values.length / 2,
  );
  return found.length === 1 ? found[0]!.name : undefined;
}

const encodings: Record<string, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16, big end first',
  'windows-1252': 'Windows-1252',
};

const marks: Record<string, string> = { ',': 'a comma', ';': 'a semicolon', '\t': 'a tab', '|': 'a bar' };

/** `4 columns with a comma between them, UTF-8.` A workbook has neither. */
function wayOf({ columns, delimiter, encoding }: ImportPreview): string {
  const between = delimiter === null ? '' : ` with ${marks[delimiter] ?? delimiter} between them`;
  const coded = encoding === null ? '' : `, ${encodings[encoding] ?? encoding}`;
  return `${counted(columns?.length ?? 0, 'column')}${between}${coded}.`;
}

/** The columns stand below it. */
const firstLine = (problem: string, { file }: Draft) =>
  `${problem.split(';')[0]!.replace(/^The input/, file?.name ?? 'The file')}.`;

const asked: Record<ColumnRole, { label: string; none: string }> = {
  phone: { label: 'Phone', none: 'Choose a column' },
  name: { label: 'Name', none: 'None' },
  timezone: { label: 'Time zone', none: 'By the number' },
  state: { label: 'State', none: 'Not used' },
  agent: { label: 'Agent', none: 'The same for all' },
};

function RoleField({ role, draft, answer }: { role: ColumnRole; draft: Draft; answer: ImportPreview }) {
  const found = answer.mapping?.[role] ?? null;
  const chosen = draft.map[role];
  const { label, none } = asked[role];
  const columns = (answer.columns ?? []).map(({ name }) => ({ value: name, label: name }));
  // One that is found by its name is used: only another one can be named.
  const isFound = found !== null && chosen === undefined;
  return (
    <SelectField
      label={label}
      value={chosen ?? found ?? ''}
      choices={isFound ? columns : [{ value: '', label: none }, ...columns]}
      error={role === 'phone' || role === 'state' ? draft.faults[role] : undefined}
      onChange={({ target: { value } }) => {
        const { [role]: _, ...rest } = draft.map;
        change({ map: value === '' ? rest : { ...rest, [role]: value } });
      }}
    />
  );
}

type Named = NonNullable<ImportPreview['columns']>[number];

function ColumnTable({ answer: { columns = [], mapping } }: { answer: ImportPreview }) {
  const takenAs = (column: string) => {
    const role = roles.find((each) => mapping?.[each] === column);
    if (role) return asked[role].label;
    if (mapping?.more_phones.includes(column)) return 'Next phone';
    return mapping ? 'Variable' : '–';
  };
  const shown: readonly Column<Named>[] = [
    { id: 'name', head: 'Column', cell: ({ name }) => <span className="font-medium">{name}</span> },
    { id: 'taken', head: 'Taken as', cell: ({ name }) => takenAs(name) },
    {
      id: 'values',
      head: 'First values',
      from: 'sm',
      cell: ({ values }) => (
        <span className="text-quiet">
          {values.filter((value) => value.trim() !== '').join(' · ') || 'empty'}
        </span>
      ),
    },
  ];
  return (
    <DataTable label="Columns of the file" rows={columns ?? []} columns={shown} keyOf={({ name }) => name} />
  );
}
