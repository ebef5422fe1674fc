import { eventTypes, type Webhook } from '../../api/description.ts';
import { useAct, useDialogAct } from '../../data/queries.ts';
import { CheckField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { navigate } from '../../kit/router.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';
import { showToast } from '../../kit/toast.tsx';
import { useForm } from '../../kit/use-fields.ts';
import { count, counted } from '../../kit/words.ts';
import { ActButton, AskFirst, Opens } from '../../shell/opens.tsx';

/** The acts on a webhook: test it, send again what it was told, remove it. */
export const WebhookActs = ({ of: webhook }: { of: Webhook }) => (
  <>
    <TestWebhook id={webhook.id} />
    <Opens words="Send events again…" may="admin" small>
      {(close) => <Replay id={webhook.id} onClose={close} />}
    </Opens>
    <Remove of={webhook} />
  </>
);

/** Sends one event now; an address that takes it is active again. */
function TestWebhook({ id }: { id: string }) {
  const test = useAct('POST /api/webhooks/{id}/test', {
    onDone({ delivered, status, error, ms }) {
      const took = `in ${count(ms)} ms`;
      if (delivered) showToast({ kind: 'done', text: `It took the test ${took}: it answered ${status}.` });
      else
        showToast({
          kind: 'failed',
          text: `It did not take the test: ${error ?? `it answered ${status}`}.`,
          more: 'Repair the receiver: it must answer with a status from 200 to 299 within its time.',
        });
    },
  });
  return (
    <ActButton may="operate" small busy={test.isPending} onClick={() => test.run({ params: { id } })}>
      Send a test
    </ActButton>
  );
}

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
      onSend={() => replay.run({ params: { id }, body: { since: typed.since.trim() } })}
      {...frame}
    >
      <p className="text-quiet">
        Everything since then is delivered again, with the ids that the events had: your receiver can tell
        what it knows.
      </p>
      <TextField
        label="Since"
        help="A span such as 2h for so long ago, a date, or a time such as 2026-12-01T09:00:00Z."
        {...field('since')}
      />
    </FormDialog>
  );
}

function Remove({ of: { id, url, behind } }: { of: Webhook }) {
  const remove = useAct('DELETE /api/webhooks/{id}', {
    quiet: true,
    done: () => 'The webhook is removed.',
    onDone: () => void navigate({ to: '/webhooks' }),
  });
  return (
    <AskFirst
      words="Remove"
      may="admin"
      kind="quiet"
      small
      title="Remove the webhook?"
      of={remove}
      onAct={() => remove.mutateAsync({ params: { id } })}
    >
      <p className="break-all">{url}</p>
      <p>
        It is told nothing any more
        {behind > 0 && `, and ${counted(behind, 'event that waits is', 'events that wait are')} forgotten`}.
      </p>
    </AskFirst>
  );
}

/** Adds an address, and shows once what its deliveries are signed with. */
export function AddWebhook({ onClose }: { onClose(): void }) {
  const add = useAct('POST /api/webhooks', { quiet: true });
  const { typed, field, box, chosen, frame } = useForm({ url: '', events: '' }, add);
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
    <FormDialog title="Add a webhook" onClose={onClose} act="Add" onSend={() => add.run({ body })} {...frame}>
      <TextField
        label="URL"
        help="It is told what happens from now on."
        placeholder="https://example.com/hook"
        {...field('url')}
      />
      <fieldset>
        <legend className="mb-1 font-medium">Events</legend>
        <p className="mb-2 text-sm text-quiet">All of them unless some are chosen.</p>
        <div className="grid gap-x-4 sm:grid-cols-2">
          {eventTypes.map((type) => (
            <CheckField key={type} label={type} {...box('events', type)} />
          ))}
        </div>
      </fieldset>
    </FormDialog>
  );
}
