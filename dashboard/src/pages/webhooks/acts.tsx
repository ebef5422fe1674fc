import { eventTypes, type Webhook } from '../../api/description.ts';
import { useAct, useDialogAct } from '../../data/queries.ts';
import { CheckField, FormDialog, ShownOnce, TextField, useForm } from '../../kit/form.tsx';
import { navigate } from '../../kit/router.tsx';
import { showToast } from '../../kit/toast.tsx';
import { count, counted, groupsOf } from '../../kit/words.ts';
import { Act, AskFirst, Opens } from '../../shell/opens.tsx';
import { eventText } from '../activity/sentences.ts';

/** Where a webhook goes and what it is told: of a new one, which shows its secret once, or of one that is changed. */
export function WebhookForm({ of, onClose }: { of?: Webhook; onClose(): void }) {
  const add = useAct('POST /api/webhooks', { quiet: true });
  const change = useDialogAct('PATCH /api/webhooks/{id}', onClose, () => 'The webhook is changed.');
  const form = useForm({ url: of?.url ?? '', events: of?.events?.join(' ') ?? '' }, of ? change : add);
  const { typed, set, field, box, chosen, frame } = form;
  if (add.data) {
    return (
      <ShownOnce title="The webhook is added" secret={add.data.secret} onClose={onClose}>
        Your receiver checks the signature of each delivery with this secret, as Standard Webhooks says.
      </ShownOnce>
    );
  }
  const events = eventTypes.filter((type) => chosen('events').includes(type));
  const body = { url: typed.url.trim(), events: events.length === 0 ? null : events };
  return (
    <FormDialog
      wide
      title={of ? 'Change the webhook' : 'Add a webhook'}
      onClose={onClose}
      act={of ? 'Change' : 'Add'}
      onSend={() => (of ? change.run({ id: of.id, body }) : add.run({ body }))}
      {...frame}
    >
      <TextField
        placeholder="https://example.com/hook"
        {...field(
          'url',
          'URL',
          of
            ? 'Another address gets what waits at once. The secret stays.'
            : 'It is told what happens from now on.',
        )}
      />
      <CheckField
        label="Tell it everything, also what is added later"
        checked={events.length === 0}
        onChange={() => set({ events: '' })}
      />
      <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        {[...groups].map(([title, types]) => (
          <fieldset key={title}>
            <legend className="mb-1 font-medium">{title}</legend>
            {types.map((type) => (
              <CheckField key={type} title={type} label={eventText(type)} {...box('events', type)} />
            ))}
          </fieldset>
        ))}
      </div>
    </FormDialog>
  );
}

const titles: Readonly<Record<string, string>> = {
  attempt: 'Calls',
  recipient: 'People',
  campaign: 'Campaigns',
  key: 'Keys and numbers',
  number: 'Keys and numbers',
};
const groups = groupsOf(eventTypes, (type) => titles[type.split('.')[0]!] ?? 'Lists, acts and alerts');

export const WebhookActs = ({ of: webhook }: { of: Webhook }) => (
  <>
    {/* One event is sent now; an address that takes it is active again. */}
    <Act
      may="operate"
      small
      name="POST /api/webhooks/{id}/test"
      asked={{ id: webhook.id }}
      onDone={({ delivered, status, error, ms }) => {
        const took = `in ${count(ms)} ms`;
        if (delivered) showToast({ kind: 'done', text: `It took the test ${took}: it answered ${status}.` });
        else
          showToast({
            kind: 'failed',
            text: `It did not take the test: ${error ?? `it answered ${status}`}.`,
            more: 'Repair the receiver: it must answer with a status from 200 to 299 within its time.',
          });
      }}
    >
      Send a test
    </Act>
    <Opens words="Change…" may="admin" small>
      {(close) => <WebhookForm of={webhook} onClose={close} />}
    </Opens>
    <Opens words="Send events again…" may="admin" small>
      {(close) => <Replay id={webhook.id} onClose={close} />}
    </Opens>
    <AskFirst
      words="Remove"
      may="admin"
      kind="quiet"
      small
      title="Remove the webhook?"
      name="DELETE /api/webhooks/{id}"
      asked={{ id: webhook.id }}
      done={() => 'The webhook is removed.'}
      onDone={() => void navigate({ to: '/webhooks' })}
    >
      <p className="break-all">{webhook.url}</p>
      <p>
        It is told nothing any more
        {webhook.behind > 0 &&
          `, and ${counted(webhook.behind, 'event that waits is', 'events that wait are')} forgotten`}
        .
      </p>
    </AskFirst>
  </>
);

function Replay({ id, onClose }: { id: string; onClose(): void }) {
  const replay = useDialogAct(
    'POST /api/webhooks/{id}/replay',
    onClose,
    ({ behind }) => `${counted(behind, 'event is', 'events are')} gone through again.`,
  );
  const { typed, field, frame } = useForm({ since: '1h' }, replay);
  return (
    <FormDialog
      title="Send events again"
      onClose={onClose}
      act="Send again"
      onSend={() => replay.run({ id, body: { since: typed.since.trim() } })}
      {...frame}
    >
      <p className="text-quiet">
        Everything since then is delivered again, with the ids that the events had: your receiver can tell
        what it knows.
      </p>
      <TextField
        {...field(
          'since',
          'Since',
          'A span such as 2h for so long ago, a date, or a time such as 2026-12-01T09:00:00Z.',
        )}
      />
    </FormDialog>
  );
}
