import { useState } from 'react';
import { type Campaign, typeOf } from '../../../api/ask.ts';
import { useAct } from '../../../data/queries.ts';
import { Button } from '../../../kit/basics.tsx';
import { AreaField, Dialog, FormProblem, SelectField, TextField, useForm } from '../../../kit/form.tsx';
import { count, counted } from '../../../kit/words.ts';

/** Adds people to the list: what would become of each row is told before anyone is added. */
type AddProps = { campaign: Campaign; onClose(): void; onAdded(): void };

export function AddPeople({ campaign: { id, name, state }, onClose, onAdded }: AddProps) {
  const [file, setFile] = useState<File | null>(null);
  const send = useAct('POST /api/campaigns/{id}/recipients', {
    done: (answer) =>
      'dry_run' in answer
        ? null
        : `${counted(answer.new, 'person was', 'people were')} added to ${name}${answer.known > 0 ? `; ${counted(answer.known, 'person was', 'people were')} known, ${count(answer.changed)} of them changed` : ''}.`,
    onDone(answer) {
      if ('dry_run' in answer) return;
      onAdded();
      onClose();
    },
    quiet: true,
  });
  const { typed, field } = useForm({ text: 'phone,name\n', country: '', on_known: 'keep' });
  const told = send.data && 'dry_run' in send.data ? send.data : null;
  const run = (isTrial: boolean) =>
    send.run({
      id,
      country: typed.country,
      on_known: typed.on_known as OnKnown,
      ...(isTrial ? { dry_run: '1' as const } : {}),
      body: file ?? typed.text,
      contentType: file ? typeOf(file.name) : 'text/csv',
    });
  const isBusy = send.isPending;
  return (
    <Dialog
      wide
      locked={isBusy}
      onClose={onClose}
      title={`Add people to ${name}`}
      keep="Close"
      acts={
        <>
          <Button onClick={() => run(true)} busy={isBusy}>
            Check the list
          </Button>
          <Button kind="main" disabled={!told?.accepted} busy={isBusy} onClick={() => run(false)}>
            {told
              ? `Add ${counted(told.new, 'person', 'people')}${told.changed > 0 ? `, change ${count(told.changed)}` : ''}`
              : 'Add'}
          </Button>
        </>
      }
    >
      {/* An answer about another list, or about this one read another way, is not shown. */}
      <div className="space-y-3" onChange={send.reset}>
        <p>
          A CSV or an Excel workbook (.xlsx) with a header row and a column named <code>phone</code>. Other
          columns become variables.
          {state === 'running' && ' The campaign runs: they are called as its settings allow.'}
        </p>
        <TextField
          label="A file"
          type="file"
          accept=".csv,.xlsx,.json,.ndjson,.jsonl,text/csv"
          onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)}
        />
        {!file && <AreaField rows={6} {...field('text', 'Or its lines')} />}
        <TextField placeholder="US" {...field('country', 'Country of numbers without a +')} />
        <SelectField
          {...field(
            'on_known',
            'People who are on the list already',
            'Only people who were not called yet are changed; nobody is called twice.',
          )}
          choices={choices}
        />
        {told && (
          <div aria-live="polite" className="rounded-md bg-sunken p-3">
            <p className="font-medium">
              {counted(told.new, 'person', 'people')} would be added
              {told.known > 0 &&
                `, ${counted(told.known, 'row is', 'rows are')} on the list already (${count(told.changed)} would change)`}
              {told.suppressed > 0 &&
                `, ${counted(told.suppressed, 'person is', 'people are')} suppressed and skipped`}
              {told.rejected > 0 && `, ${counted(told.rejected, 'row')} rejected`}
              {told.never > 0 &&
                ` (${counted(told.never, 'person', 'people')} whom no rule ever lets through)`}
              . Then {counted(told.balance.waiting, 'person waits', 'people wait')} to be called, of{' '}
              {counted(told.balance.rows, 'row')}.
            </p>
            {told.hint && <p className="whitespace-pre-line">{told.hint}</p>}
            <ul className="text-sm text-quiet">
              {told.rejects?.slice(0, 8).map(({ row, reason }) => (
                <li key={row}>
                  Row {row}: {reason}
                </li>
              ))}
            </ul>
          </div>
        )}
        <FormProblem problem={send.error} fields={[]} />
      </div>
    </Dialog>
  );
}

type OnKnown = (typeof choices)[number]['value'];
const choices = [
  { value: 'keep', label: 'Keep them as they are' },
  { value: 'merge', label: 'Merge: take the columns of this list, keep the others' },
  { value: 'replace', label: 'Replace all that is known of them' },
] as const;
