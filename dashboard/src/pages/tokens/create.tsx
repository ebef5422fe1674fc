import { type FormEvent, useId, useState } from 'react';
import type { Token } from '../../api/description.ts';
import { useAct } from '../../api/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { FormProblem, issueAt, SelectField, TextField } from '../../kit/field.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';

/** Makes a token, and shows it once. */
const roles = [
  { value: 'read', label: 'read: numbers and states, no people' },
  { value: 'read_people', label: 'read people: people too' },
  { value: 'operate', label: 'operate: act on calls and campaigns' },
  { value: 'admin', label: 'admin: everything' },
];

export function CreateToken({ onClose }: { onClose(): void }) {
  const form = useId();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Token['role']>('read');
  const [ends, setEnds] = useState('');
  const create = useAct('POST /api/tokens', { quiet: true });
  const problem = create.error;
  const made = create.data;
  if (made) {
    return (
      <ShownOnce title={`The token ${made.name}`} secret={made.token} onClose={onClose}>
        Send it as <code>Authorization: Bearer …</code>, or log in with it on this page.
      </ShownOnce>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.run({ body: { name, role, ...(ends.trim() && { ends: ends.trim() }) } });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      held={create.isPending}
      title="Create a token"
      acts={
        <>
          <Button onClick={onClose} disabled={create.isPending}>
            Close
          </Button>
          <Button type="submit" form={form} kind="main" busy={create.isPending}>
            Create
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="space-y-3">
        <TextField
          label="Name"
          help="Who or what uses it; the activity names it."
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={issueAt(problem, 'name')}
        />
        <SelectField
          label="Role"
          value={role}
          choices={roles}
          onChange={(event) => setRole(event.target.value as Token['role'])}
          error={issueAt(problem, 'role')}
        />
        <TextField
          label="Ends"
          help="A date, a time or a span such as 90d. Empty is never."
          value={ends}
          onChange={(event) => setEnds(event.target.value)}
          error={issueAt(problem, 'ends')}
        />
        <FormProblem problem={problem} fields={['name', 'role', 'ends']} />
      </form>
    </Dialog>
  );
}
