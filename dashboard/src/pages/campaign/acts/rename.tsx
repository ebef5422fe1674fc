import { useState } from 'react';
import type { Campaign } from '../../../api/description.ts';
import { useAct } from '../../../data/queries.ts';
import { issueAt, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';

/** Gives the campaign another name. Its id, and so its address here, stay. */
type RenameProps = { campaign: Campaign; onClose(): void };

export function RenameCampaign({ campaign: { id, name, revision }, onClose }: RenameProps) {
  const [typed, setTyped] = useState(name);
  // Of when it was opened: a change by someone else is not overwritten unseen.
  const [version] = useState(revision);
  const rename = useAct('PATCH /api/campaigns/{id}', {
    done: (now) => `${name} is ${now.name} now.`,
    onDone: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title={`Rename ${name}`}
      onClose={onClose}
      act="Rename"
      keep="Keep as it is"
      onSend={() => rename.run({ params: { id }, body: { name: typed }, ifMatch: version })}
      busy={rename.isPending}
      problem={rename.error}
      fields={['name']}
    >
      <TextField
        label="Name"
        help="Its files and its address in the API are named by it."
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={issueAt(rename.error, 'name')}
      />
    </FormDialog>
  );
}
