import { useState } from 'react';
import { useAct } from '../../data/queries.ts';
import { issueAt, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { type Choices, everyCampaign, ScopeFields, scopeFields } from './scope-fields.tsx';
import { Suppressed } from './suppressed.tsx';

/** Suppresses every phone of a CSV file of any length. */
const fields = ['map', ...scopeFields];

export function ImportFile({ campaigns, onClose }: { campaigns: Choices; onClose(): void }) {
  const [file, setFile] = useState<File | null>(null);
  const [map, setMap] = useState('');
  const [scope, setScope] = useState(everyCampaign);
  const send = useAct('POST /api/suppressions/import', { quiet: true });
  const problem = send.error;
  const { campaign, reason, country, hangUp } = scope;
  const query = { campaign, reason, country, map, ...(hangUp ? ({ hang_up: '1' } as const) : {}) };
  if (send.data) return <Suppressed told={send.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Suppress the phones of a file"
      onClose={onClose}
      act="Suppress everyone in it"
      acting="Importing"
      onSend={() => file && send.run({ query, body: file as never, contentType: 'text/csv' })}
      busy={send.isPending}
      isEmpty={file === null}
      problem={problem}
      fields={fields}
    >
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
      <ScopeFields
        scope={scope}
        onChange={setScope}
        campaigns={campaigns}
        problem={problem}
        reasonHelp="For rows without one of their own."
      >
        <TextField
          label="Columns"
          help="Only where they are not found: phone=NUMBER,until=EXPIRES"
          value={map}
          onChange={(event) => setMap(event.target.value)}
          error={issueAt(problem, 'map')}
        />
      </ScopeFields>
    </FormDialog>
  );
}
