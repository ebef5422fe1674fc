import { useMemo, useState } from 'react';
import type { Campaign } from '../../../api/description.ts';
import { useAct, useDialogAct } from '../../../data/queries.ts';
import { Confirm } from '../../../kit/dialog.tsx';
import { CheckField, TextField } from '../../../kit/field.tsx';
import { FormDialog } from '../../../kit/form-dialog.tsx';
import { navigate } from '../../../kit/router.tsx';
import { useForm } from '../../../kit/use-fields.ts';
import { counted } from '../../../kit/words.ts';

/** The acts on a campaign behind its menu; each asks once. */
type ActProps = { campaign: Campaign; onClose(): void };

/** Gives the campaign another name. Its id, and so its address here, stay. */
export function RenameCampaign({ campaign: { id, name, revision }, onClose }: ActProps) {
  // Of when it was opened: a change by someone else is not overwritten unseen.
  const [version] = useState(revision);
  const rename = useDialogAct('PATCH /api/campaigns/{id}', onClose, (now) => `${name} is ${now.name} now.`);
  const { typed, field, frame } = useForm({ name }, rename);
  return (
    <FormDialog
      title={`Rename ${name}`}
      onClose={onClose}
      act="Rename"
      keep="Keep as it is"
      onSend={() => rename.run({ params: { id }, body: typed, ifMatch: version })}
      {...frame}
    >
      <TextField
        label="Name"
        help="Its files and its address in the API are named by it."
        {...field('name')}
      />
    </FormDialog>
  );
}

/** Makes a draft with the same settings, and opens it. */
type CloneProps = {
  campaign: Pick<Campaign, 'id' | 'name' | 'balance'>;
  withList?: boolean;
  onClose(): void;
};

export function CloneCampaign({ campaign: { id, name, balance }, withList = false, onClose }: CloneProps) {
  const clone = useAct('POST /api/campaigns/{id}/clone', {
    done: (made) => `${made.name} is a draft.`,
    onDone(made) {
      onClose();
      navigate({ to: '/campaigns/$id', params: { id: made.id } }).catch(() => undefined);
    },
    quiet: true,
  });
  const { typed, field, box, frame } = useForm({ name: `${name} 2`, people: withList ? 'yes' : '' }, clone);
  // One key for what is typed: a request that was sent twice makes one draft. The name itself may not stand in a header.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another name or list is another request.
  const key = useMemo(() => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`, [typed]);
  const body = { name: typed.name, people: typed.people !== '' };
  return (
    <FormDialog
      title={`Clone ${name}`}
      onClose={onClose}
      act="Make the draft"
      onSend={() => clone.run({ params: { id }, body, idempotencyKey: key })}
      {...frame}
    >
      <TextField label="Name of the draft" {...field('name')} />
      <CheckField
        label={`With its list: ${counted(balance.rows, 'row')}, as never called`}
        {...box('people')}
      />
    </FormDialog>
  );
}

/** Deletes the campaign with everything that was learned by it. */
export function DeleteCampaign({ campaign: { id, name, balance }, onClose }: ActProps) {
  const remove = useDialogAct(
    'DELETE /api/campaigns/{id}',
    () => void navigate({ to: '/campaigns' }),
    ({ rows, done }) =>
      done
        ? `${name} is deleted with ${counted(rows, 'row')}.`
        : `${name} is deleted; the rest of its rows follow within minutes.`,
  );
  const people = counted(balance.rows, 'row');
  return (
    <Confirm
      onClose={onClose}
      title={`Delete ${name}?`}
      act={`Delete ${people}`}
      danger
      onAct={() => remove.run({ params: { id } })}
      of={remove}
    >
      <p>
        {people} with every attempt, reject and result are deleted. This cannot be undone; download the
        results first. The contact rules’ counts by phone stay.
      </p>
    </Confirm>
  );
}
