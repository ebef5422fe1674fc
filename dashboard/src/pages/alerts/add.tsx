import { useState } from 'react';
import type { AlertAddress } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { issueAt, SelectField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';

/** Adds an address: where, what it is told, how often. */
type Kind = AlertAddress['kind'];

const fields = ['kind', 'address', 'only', 'at_most'];
const kinds: { value: Kind; label: string }[] = [
  { value: 'slack', label: 'Slack' },
  { value: 'email', label: 'E-mail' },
  { value: 'url', label: 'A program (signed events)' },
];
const where: Record<Kind, { label: string; placeholder: string; help: string }> = {
  slack: {
    label: 'Address',
    placeholder: 'https://hooks.slack.com/services/...',
    help: 'The URL of an incoming webhook, which Slack gives for a channel. It is a secret, and kept as one.',
  },
  email: {
    label: 'Address',
    placeholder: 'ops@example.com',
    help: 'One mailbox. The server that sends is set by ALERT_SMTP_URL.',
  },
  url: {
    label: 'Address',
    placeholder: 'https://example.com/alerts',
    help: 'It gets each alert as an event, signed as webhooks are.',
  },
};
const what = [
  { value: '', label: 'Every alert' },
  { value: 'critical', label: 'Critical only: nobody is called on a key, or by a process' },
];
const often = [
  { value: '', label: 'Each at once' },
  { value: '5m', label: 'One message in 5 minutes' },
  { value: '15m', label: 'One message in 15 minutes' },
  { value: '1h', label: 'One message in an hour' },
  { value: '1d', label: 'One message a day' },
];

export function AddAddress({ onClose }: { onClose(): void }) {
  const [kind, setKind] = useState<Kind>('slack');
  const [address, setAddress] = useState('');
  const [only, setOnly] = useState('');
  const [atMost, setAtMost] = useState<string | null>(null);
  const most = atMost ?? (kind === 'url' ? '' : '15m');
  const add = useAct('POST /api/alerts/addresses', {
    quiet: true,
    done: ({ secret }) => (secret === null ? 'The address is added. Send it a test.' : null),
    onDone({ secret }) {
      if (secret === null) onClose();
    },
  });
  const problem = add.error;
  if (add.data?.secret) {
    return (
      <ShownOnce title="The address is added" secret={add.data.secret} onClose={onClose}>
        Your program checks the signature of each event with this secret, as Standard Webhooks says.
      </ShownOnce>
    );
  }
  const body = {
    kind,
    address: address.trim(),
    only: only === '' ? null : [only as 'critical'],
    at_most: most === '' ? null : most,
  };
  return (
    <FormDialog
      title="Add an address"
      onClose={onClose}
      act="Add"
      onSend={() => add.run({ body })}
      busy={add.isPending}
      problem={problem}
      fields={fields}
    >
      <SelectField
        label="Kind"
        choices={kinds}
        value={kind}
        onChange={(event) => setKind(event.target.value as Kind)}
        error={issueAt(problem, 'kind')}
      />
      <TextField
        {...where[kind]}
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        error={issueAt(problem, 'address')}
      />
      <SelectField
        label="What"
        choices={what}
        value={only}
        onChange={(event) => setOnly(event.target.value)}
        help="Single kinds of alerts are chosen on the command line, by --only."
        error={issueAt(problem, 'only')}
      />
      <SelectField
        label="How often at most"
        choices={often}
        value={most}
        onChange={(event) => setAtMost(event.target.value)}
        help="What comes meanwhile is told together, with the next message. A critical alert goes at once."
        error={issueAt(problem, 'at_most')}
      />
    </FormDialog>
  );
}
