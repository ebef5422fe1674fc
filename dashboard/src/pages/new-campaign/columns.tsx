import type { ImportPreview } from '../../api/ask.ts';
import { Button } from '../../kit/basics.tsx';
import { pill } from '../../kit/filter.tsx';
import { Options } from '../../kit/form.tsx';
import { Notice } from '../../kit/page.tsx';
import { type Column, DataTable, left } from '../../kit/table/data-table.tsx';
import { type ColumnRole, change, type Draft, roles } from './draft.ts';
import { looksLikePhone } from './pasted.ts';

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

const words: Record<ColumnRole, string> = {
  phone: 'Phone',
  name: 'Name',
  timezone: 'Time zone',
  state: 'State',
  agent: 'Agent',
};
const choices = roles.map((value) => ({ value, label: words[value] }));
type Named = NonNullable<ImportPreview['columns']>[number];

const columnsFor = ({ map }: Draft, { mapping }: ImportPreview): readonly Column<Named>[] => [
  left('name', 'Column', ({ name }) => <span className="font-medium">{name}</span>),
  left('taken', 'Taken as', ({ name }) => {
    const role = roles.find((each) => (map[each] ?? mapping?.[each]) === name);
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
        <Options of={choices} />
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
