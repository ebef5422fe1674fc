import { Section } from '../../kit/card.tsx';
import { TextField } from '../../kit/field.tsx';
import { CheckProblem } from './check-state.tsx';
import { CheckedList } from './checked-list.tsx';
import { Columns } from './columns.tsx';
import { change, type Draft } from './draft.ts';
import { FilePicker } from './file-picker.tsx';
import { useListCheck } from './list-check.ts';
import { Rejects } from './rejects.tsx';

/** The people to call: the file, what each of its columns is taken for, and what comes of each row. */
export function PeopleStep({ draft }: { draft: Draft }) {
  const check = useListCheck(draft, 'hours');
  const { answer, problem } = check;
  return (
    <>
      <FilePicker draft={draft} check={check} />
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
