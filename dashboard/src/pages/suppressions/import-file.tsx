import { useState } from 'react';
import { useAct } from '../../api/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { CheckField, FormProblem, issueAt, SelectField, TextField } from '../../kit/field.tsx';
import { Suppressed } from './suppressed.tsx';

/** Suppresses every phone of a CSV file of any length. */
type Choices = readonly { value: string; label: string }[];
const fields = ['campaign', 'reason', 'country', 'map'];

export function ImportFile({ campaigns, onClose }: { campaigns: Choices; onClose(): void }) {
  const [file, setFile] = useState<File | null>(null);
  const [campaign, setCampaign] = useState('');
  const [reason, setReason] = useState('');
  const [country, setCountry] = useState('');
  const [map, setMap] = useState('');
  const [hangUp, setHangUp] = useState(false);
  const send = useAct('POST /api/suppressions/import', { quiet: true });
  const problem = send.error;
  const query = {
    campaign,
    reason,
    country: country.toUpperCase(),
    map,
    ...(hangUp ? ({ hang_up: '1' } as const) : {}),
  };
  if (send.data) return <Suppressed told={send.data} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      held={send.isPending}
      title="Suppress the phones of a file"
      acts={
        <>
          <Button onClick={onClose} disabled={send.isPending}>
            Close
          </Button>
          <Button
            kind="main"
            disabled={file === null}
            busy={send.isPending}
            onClick={() => file && send.run({ query, body: file as never, contentType: 'text/csv' })}
          >
            {send.isPending ? 'Importing' : 'Suppress everyone in it'}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        <p className="text-quiet">
          A CSV file with a header row and a column of phones. Its columns reason, until, source and
          only_campaign are read where it has them, as an export writes them.
        </p>
        <TextField
          label="File"
          type="file"
          accept=".csv,text/csv,text/plain"
          onChange={(event) => setFile(event.target.files?.[0] ?? null)}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <SelectField
            label="Scope"
            value={campaign}
            choices={[{ value: '', label: 'Every campaign' }, ...campaigns]}
            onChange={(event) => setCampaign(event.target.value)}
            error={issueAt(problem, 'campaign')}
          />
          <TextField
            label="Reason"
            help="For rows without one of their own."
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            error={issueAt(problem, 'reason')}
          />
          <TextField
            label="Country"
            help="Such as US, for phones without +."
            maxLength={2}
            value={country}
            onChange={(event) => setCountry(event.target.value)}
            error={issueAt(problem, 'country')}
          />
          <TextField
            label="Columns"
            help="Only where they are not found: phone=NUMBER,until=EXPIRES"
            value={map}
            onChange={(event) => setMap(event.target.value)}
            error={issueAt(problem, 'map')}
          />
        </div>
        <CheckField
          label="Hang up calls in progress with them"
          checked={hangUp}
          onChange={(event) => setHangUp(event.target.checked)}
        />
        <FormProblem problem={problem} fields={fields} />
      </div>
    </Dialog>
  );
}
