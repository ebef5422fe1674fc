import { useState } from 'react';
import { typeOf } from '../../api/list-type.ts';
import { useAct } from '../../data/queries.ts';
import { TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { useForm } from '../../kit/use-fields.ts';
import { type Choices, ScopeFields, scopeFields } from './scope-fields.tsx';
import { Suppressed } from './suppressed.tsx';

/** Suppresses every phone of a CSV file or a workbook of any length. */
export function ImportFile({ campaigns, onClose }: { campaigns: Choices; onClose(): void }) {
  const [file, setFile] = useState<File | null>(null);
  const send = useAct('POST /api/suppressions/import', { quiet: true });
  const form = useForm({ map: '', sheet: '', ...scopeFields }, send);
  const { hang_up: hangUp, ...typed } = form.typed;
  const query = { ...typed, ...(hangUp ? ({ hang_up: '1' } as const) : {}) };
  if (send.data) return <Suppressed told={send.data} onClose={onClose} />;
  return (
    <FormDialog
      title="Suppress the phones of a file"
      onClose={onClose}
      act="Suppress everyone in it"
      acting="Importing"
      onSend={() => file && send.run({ query, body: file as never, contentType: typeOf(file.name) })}
      isEmpty={file === null}
      {...form.frame}
    >
      <p className="text-quiet">
        A CSV file or an Excel workbook with a header row and a column of phones. Its columns reason, until,
        source and only_campaign are read where it has them, as an export writes them.
      </p>
      <TextField
        label="File"
        type="file"
        accept=".csv,.xlsx,text/csv,text/plain"
        onChange={(event) => setFile(event.target.files?.[0] ?? null)}
      />
      <ScopeFields form={form} campaigns={campaigns} reasonHelp="For rows without one of their own.">
        <TextField
          label="Columns"
          help="Only where they are not found: phone=NUMBER,until=EXPIRES"
          {...form.field('map')}
        />
        <TextField
          label="Sheet"
          help="Of a workbook that has several: the name of one."
          {...form.field('sheet')}
        />
      </ScopeFields>
    </FormDialog>
  );
}
