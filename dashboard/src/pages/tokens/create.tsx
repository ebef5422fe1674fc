import type { Token } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';
import { useForm } from '../../kit/use-fields.ts';
import { roleText } from '../../shell/me.ts';
import { may } from './columns.tsx';

/** Makes a token, and shows it once. */
const roles = Object.keys(may).map((role) => ({ value: role, label: roleText(role as Token['role']) }));

export function CreateToken({ onClose }: { onClose(): void }) {
  const create = useAct('POST /api/tokens', { quiet: true });
  const { typed, field, given, frame } = useForm({ name: '', person: '', role: 'read', ends: '' }, create);
  const made = create.data;
  if (made) {
    return (
      <ShownOnce title={`The token ${made.name}`} secret={made.token} onClose={onClose}>
        Send it as <code>Authorization: Bearer …</code>, or log in with it on this page.
      </ShownOnce>
    );
  }
  return (
    <FormDialog
      title="Create a token"
      onClose={onClose}
      act="Create"
      onSend={() => create.run({ body: { name: '', ...(given() as { role: Token['role'] }) } })}
      {...frame}
    >
      <TextField label="Name" help="Its purpose, as the list of tokens shows it." {...field('name')} />
      <TextField
        label="Person"
        help="Its owner, whom the activity names. Empty for a program."
        {...field('person')}
      />
      <SelectField
        label="Role"
        choices={roles}
        help={`It ${may[typed.role as Token['role']]}.`}
        {...field('role')}
      />
      <TextField
        label="Ends"
        help="A date, a time or a span such as 90d. Empty is never."
        {...field('ends')}
      />
    </FormDialog>
  );
}
