import type { AlertAddress } from '../../api/ask.ts';
import { useAct } from '../../data/queries.ts';
import { FormDialog, SelectField, ShownOnce, TextField, useForm } from '../../kit/form.tsx';

/** Without its scheme, and without the mark of what is not shown. */
export const addressText = ({ address }: AlertAddress) => address.replace(/^https?:\/\/|\/•+$/g, '');

const kinds: readonly { value: AlertAddress['kind']; label: string; placeholder: string; help: string }[] = [
  {
    value: 'slack',
    label: 'Slack',
    placeholder: 'https://hooks.slack.com/services/...',
    help: 'The URL of an incoming webhook, which Slack gives for a channel. It is a secret, and kept as one.',
  },
  {
    value: 'email',
    label: 'E-mail',
    placeholder: 'ops@example.com',
    help: 'One mailbox. The server that sends is set by ALERT_SMTP_URL.',
  },
  {
    value: 'url',
    label: 'A program (signed events)',
    placeholder: 'https://example.com/alerts',
    help: 'It gets each alert as an event, signed as webhooks are.',
  },
  {
    value: 'monitor',
    label: 'A monitor that raises an alarm when Carillon stops',
    placeholder: 'https://hc-ping.com/your-uuid',
    help: 'It is asked each minute while calls can be made, and told of no alert. Let it wait three minutes.',
  },
];
/** People read one message in a while, a program takes each. */
const at = (kind: string) => (kind === 'url' || kind === 'monitor' ? '' : '15m');
const what = [
  { value: '', label: 'Every alert' },
  { value: 'critical', label: 'Critical only: nobody is called on a key, or by a process' },
];
/** `of`: the only kind that may be chosen. */
export function AddAddress({ of, onClose }: { of?: 'monitor' | undefined; onClose(): void }) {
  const add = useAct('POST /api/alerts/addresses', {
    quiet: true,
    done: ({ secret }) => (secret === null ? 'The address is added. Send it a test.' : null),
    onDone({ secret }) {
      if (secret === null) onClose();
    },
  });
  const first = of ?? 'slack';
  const { typed, set, field, frame } = useForm(
    { kind: first as string, address: '', only: '', at_most: at(first) },
    add,
  );
  const { value: kind, placeholder, help } = kinds.find(({ value }) => value === typed.kind)!;
  if (add.data?.secret) {
    return (
      <ShownOnce title="The address is added" secret={add.data.secret} onClose={onClose}>
        Your program checks the signature of each event with this secret, as Standard Webhooks says.
      </ShownOnce>
    );
  }
  const body = {
    kind,
    address: typed.address.trim(),
    only: typed.only === '' || kind === 'monitor' ? null : [typed.only as 'critical'],
    at_most: typed.at_most.trim() || null,
  };
  return (
    <FormDialog
      title={of ? `Add a ${of}` : 'Add an address'}
      onClose={onClose}
      act="Add"
      onSend={() => add.run({ body })}
      {...frame}
    >
      {!of && (
        <SelectField
          choices={kinds}
          {...field('kind', 'Kind')}
          onChange={({ target: { value } }) => set({ kind: value, at_most: at(value) })}
        />
      )}
      <TextField placeholder={placeholder} {...field('address', 'Address', help)} />
      {kind !== 'monitor' && (
        <>
          <SelectField
            choices={what}
            {...field('only', 'What', 'Single kinds of alerts are chosen on the command line, by --only.')}
          />
          <TextField
            placeholder="each at once"
            {...field(
              'at_most',
              'How often at most',
              'A span such as 15m, in which what comes is told together. A critical alert goes at once.',
            )}
          />
        </>
      )}
    </FormDialog>
  );
}
