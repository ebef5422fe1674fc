import { useState } from 'react';
import type { AnswerOf } from '../../api/ask.ts';
import { typeOf } from '../../api/list-type.ts';
import { useAct } from '../../data/queries.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { AreaField, CheckField, SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { HangUpTold } from '../../kit/hang-up.tsx';
import { useForm } from '../../kit/use-fields.ts';
import { counted } from '../../kit/words.ts';

/** Suppresses phones: those that are pasted, those of a file of any length, or all numbers of one person. */
type AddProps = {
  campaigns: readonly { value: string; label: string }[];
  person?: readonly string[];
  onClose(): void;
};

export function AddPhones({ campaigns, person, onClose }: AddProps) {
  const [file, setFile] = useState<File | null>(null);
  const suppress = useAct('POST /api/suppressions', {
    quiet: true,
    done: ({ skipped }) =>
      person
        ? `No call to ${person.join(' or ')} begins any more; ${counted(skipped, 'row is', 'rows are')} skipped.`
        : null,
    onDone: () => person && onClose(),
  });
  const send = useAct('POST /api/suppressions/import', { quiet: true });
  const form = useForm(
    { phones: '', until: '', sheet: '', campaign: '', reason: '', country: '', hang_up: '' },
    { isPending: suppress.isPending || send.isPending, error: suppress.error ?? send.error },
  );
  const { phones: pasted = '', until, sheet, hang_up: hangUp, ...common } = form.given();
  const phones = person ? [...person] : pasted.split(/[\n,;]+/).flatMap((each) => each.trim() || []);
  const told = send.data ?? suppress.data;
  if (told && !person) return <Suppressed told={told} onClose={onClose} />;
  const run = () =>
    file
      ? send.run({
          query: { ...common, ...(sheet && { sheet }), ...(hangUp && { hang_up: '1' as const }) },
          body: file as never,
          contentType: typeOf(file.name),
        })
      : suppress.run({ body: { ...common, ...(until && { until }), phones, hang_up: Boolean(hangUp) } });
  const country = form.field('country');
  return (
    <FormDialog
      title={person ? 'Suppress this person?' : 'Suppress phones'}
      onClose={onClose}
      act={
        file
          ? 'Suppress everyone in it'
          : person
            ? 'Suppress 1 person'
            : `Suppress ${phones.length > 0 ? counted(phones.length, 'phone') : ''}`
      }
      danger={person !== undefined}
      onSend={run}
      isEmpty={phones.length === 0 && !file}
      {...form.frame}
    >
      <p>
        {person && `1 person, ${person.join(' and ')}. `}
        It acts at once: no call to them begins any more, and rows that wait are skipped.
      </p>
      {!person && (
        <>
          {!file && <AreaField label="Phones" help="One a line." rows={5} {...form.field('phones')} />}
          <TextField
            label="Or a file"
            type="file"
            accept=".csv,.xlsx,text/csv,text/plain"
            help="CSV or Excel, with a column of phones; its columns for reason, end and campaign are read too."
            onChange={(event) => setFile(event.target.files?.[0] ?? null)}
          />
        </>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Scope"
          choices={[{ value: '', label: 'Every campaign' }, ...campaigns]}
          {...form.field('campaign')}
        />
        <TextField label="Reason" {...form.field('reason')} />
        {file ? (
          <TextField label="Sheet" help="Of a workbook that has several." {...form.field('sheet')} />
        ) : (
          <TextField
            label="Until"
            help="A date or a span such as 30d. Empty: no end."
            {...form.field('until')}
          />
        )}
        {!person && (
          <TextField
            label="Country"
            help="Such as US, for phones without +."
            maxLength={2}
            {...country}
            onChange={({ target }) => country.onChange({ target: { value: target.value.toUpperCase() } })}
          />
        )}
      </div>
      <CheckField
        label="Hang up calls in progress with them"
        help="Who is talking now is cut off."
        {...form.box('hang_up')}
      />
    </FormDialog>
  );
}

/** What came of it: how many, who was known, whose rows and calls ended, and what could not be read. */
type Told = AnswerOf<'POST /api/suppressions'> & Partial<AnswerOf<'POST /api/suppressions/import'>>;

function Suppressed({ told, onClose }: { told: Told; onClose(): void }) {
  const { phones, added, known, skipped, hint, hang_ups: hangUps, rejected = 0, rejects } = told;
  return (
    <Dialog onClose={onClose} title={`${counted(phones, 'phone is', 'phones are')} suppressed`}>
      <p>
        {added} added, {known} already on the list.{' '}
        {counted(skipped, 'waiting row was skipped', 'waiting rows were skipped')}. {hint}
      </p>
      {hangUps && <HangUpTold told={hangUps} />}
      {rejected > 0 && (
        <>
          <p className="mt-3 font-medium text-warn">
            {counted(rejected, 'row')} could not be read, and {rejected === 1 ? 'is' : 'are'} not suppressed.
          </p>
          <ul className="mt-1 max-h-60 overflow-y-auto text-sm">
            {rejects?.map(({ row, reason }) => (
              <li key={row}>
                Line {row}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}
