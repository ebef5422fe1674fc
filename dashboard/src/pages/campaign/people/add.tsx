import { useState } from 'react';
import type { Campaign, TriedImport } from '../../../api/description.ts';
import { useAct } from '../../../api/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { AreaField, FormProblem, TextField } from '../../../kit/field.tsx';
import { counted } from '../../../kit/words.ts';

/** Adds people to the list: what would become of each row is told before anyone is added. */
type AddProps = { campaign: Campaign; onClose(): void; onAdded(): void };

export function AddPeople({ campaign: { id, name, state }, onClose, onAdded }: AddProps) {
  const [file, setFile] = useState<File | null>(null);
  const [text, setText] = useState('phone,name\n');
  const [country, setCountry] = useState('');
  const [tried, setTried] = useState<TriedImport | null>(null);
  const check = useAct('POST /api/campaigns/{id}/recipients', {
    onDone: (answer) => setTried('dry_run' in answer ? answer : null),
    quiet: true,
  });
  const add = useAct('POST /api/campaigns/{id}/recipients', {
    done: (answer) => `${counted(answer.accepted, 'person', 'people')} of the list are on ${name} now.`,
    onDone() {
      onAdded();
      onClose();
    },
    quiet: true,
  });
  const ask = (isTrial: boolean) => ({
    params: { id },
    query: { country, ...(isTrial ? { dry_run: '1' as const } : {}) },
    body: file ?? text,
    contentType: 'text/csv',
  });
  const isBusy = check.isPending || add.isPending;
  return (
    <Dialog
      open
      wide
      locked={isBusy}
      onClose={onClose}
      title={`Add people to ${name}`}
      acts={
        <>
          <Button onClick={onClose} disabled={isBusy}>
            Close
          </Button>
          <Button onClick={() => check.run(ask(true))} busy={isBusy}>
            Check the list
          </Button>
          <Button kind="main" disabled={!tried?.accepted} busy={isBusy} onClick={() => add.run(ask(false))}>
            {tried ? `Add ${counted(tried.accepted - tried.known, 'person', 'people')}` : 'Add'}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <p>
          A CSV with a header row and a column named <code>phone</code>. Other columns become variables.
          {state === 'running' && ' The campaign runs: they are called as the order allows.'}
        </p>
        <TextField
          label="A file"
          type="file"
          accept=".csv,text/csv"
          onChange={(event) => {
            setFile(event.currentTarget.files?.[0] ?? null);
            setTried(null);
          }}
        />
        {!file && (
          <AreaField
            label="Or its lines"
            rows={6}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setTried(null);
            }}
          />
        )}
        <TextField
          label="Country of numbers without a +"
          placeholder="US"
          value={country}
          onChange={(event) => {
            setCountry(event.currentTarget.value);
            setTried(null);
          }}
        />
        {tried && <Tried tried={tried} />}
        <FormProblem problem={check.error ?? add.error} fields={[]} />
      </div>
    </Dialog>
  );
}

function Tried({ tried }: { tried: TriedImport }) {
  const { accepted, known, rejected, suppressed, never, rejects, hint, balance } = tried;
  return (
    <div aria-live="polite" className="rounded-md bg-sunken p-3">
      <p className="font-medium">
        {counted(accepted - known, 'person', 'people')} would be added
        {known > 0 && `, ${counted(known, 'row is', 'rows are')} on the list already`}
        {suppressed > 0 && `, ${counted(suppressed, 'person is', 'people are')} suppressed and skipped`}
        {rejected > 0 && `, ${counted(rejected, 'row')} rejected`}
        {never > 0 && ` (${counted(never, 'person', 'people')} whom no rule ever lets through)`}. Then{' '}
        {counted(balance.waiting, 'person waits', 'people wait')} to be called, of{' '}
        {counted(balance.rows, 'row')}.
      </p>
      {hint && <p className="whitespace-pre-line">{hint}</p>}
      <ul className="text-sm text-quiet">
        {rejects?.slice(0, 8).map(({ row, reason }) => (
          <li key={row}>
            Row {row}: {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
