import { useState } from 'react';
import type { Campaign } from '../../../api/description.ts';
import { useAct } from '../../../api/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { FormProblem, issueAt, TextField } from '../../../kit/field.tsx';

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
    <Dialog open onClose={onClose} title={`Rename ${name}`} locked={rename.isPending}>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          rename.run({ params: { id }, body: { name: typed }, ifMatch: version });
        }}
      >
        <TextField
          label="Name"
          help="Its files and its address in the API are named by it."
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={issueAt(rename.error, 'name')}
        />
        <FormProblem problem={rename.error} fields={['name']} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose} disabled={rename.isPending}>
            Keep as it is
          </Button>
          <Button type="submit" kind="main" busy={rename.isPending}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
