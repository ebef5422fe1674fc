import { useState } from 'react';
import type { Token } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { issueAt, SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';

/** Makes a token, and shows it once. */
const roles = [
  { value: 'read', label: 'read: numbers and states, no people' },
  { value: 'read_people', label: 'read people: people too' },
  { value: 'operate', label: 'operate: act on calls and campaigns' },
  { value: 'admin', label: 'admin: everything' },
];

const fields = ['name', 'person', 'role', 'ends'];

export function CreateToken({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [person, setPerson] = useState('');
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
  return (
    <FormDialog
      title="Create a token"
      onClose={onClose}
      act="Create"
      onSend={() => {
        const given = { person: person.trim(), ends: ends.trim() };
        const set = Object.entries(given).filter(([, value]) => value !== '');
        void create.run({ body: { name, role, ...Object.fromEntries(set) } });
      }}
      busy={create.isPending}
      problem={problem}
      fields={fields}
    >
      <TextField
        label="Name"
        help="Its purpose, as the list of tokens shows it."
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={issueAt(problem, 'name')}
      />
      <TextField
        label="Person"
        help="Its owner, whom the activity names. Empty for a program."
        value={person}
        onChange={(event) => setPerson(event.target.value)}
        error={issueAt(problem, 'person')}
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
    </FormDialog>
  );
}
