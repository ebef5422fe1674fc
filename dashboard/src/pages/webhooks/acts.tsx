import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Webhook } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { issueAt, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { showToast } from '../../kit/toast.tsx';
import { count, counted } from '../../kit/words.ts';
import { useMay } from '../../shell/me.ts';

/** The acts on a webhook: test it, replay what it was told, remove it. */
export function WebhookActs({ of: webhook }: { of: Webhook }) {
  const { id } = webhook;
  const mayChange = useMay('admin');
  const [open, setOpen] = useState<'replay' | 'remove' | null>(null);
  return (
    <>
      <TestWebhook id={id} kind="main" />
      {mayChange && (
        <>
          <Button onClick={() => setOpen('replay')}>Replay</Button>
          <Button onClick={() => setOpen('remove')}>Remove</Button>
        </>
      )}
      {open === 'replay' && <Replay id={id} onClose={() => setOpen(null)} />}
      {open === 'remove' && <Remove of={webhook} onClose={() => setOpen(null)} />}
    </>
  );
}

/** Sends one event now; an address that takes it is active again. */
export function TestWebhook({ id, kind }: { id: string; kind: 'main' | 'plain' }) {
  const mayTest = useMay('operate');
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
  if (!mayTest) return null;
  return (
    <Button kind={kind} busy={test.isPending} onClick={() => test.run({ params: { id } })}>
      Send a test
    </Button>
  );
}

function Replay({ id, onClose }: { id: string; onClose(): void }) {
  const [since, setSince] = useState('1h');
  const replay = useAct('POST /api/webhooks/{id}/replay', {
    quiet: true,
    done: ({ behind }) => `${counted(behind, 'event is', 'events are')} gone through again.`,
    onDone: onClose,
  });
  const problem = replay.error;
  return (
    <FormDialog
      title="Replay"
      onClose={onClose}
      act="Replay"
      onSend={() => replay.run({ params: { id }, body: { since: since.trim() } })}
      busy={replay.isPending}
      problem={problem}
      fields={['since']}
    >
      <p className="text-quiet">
        Everything since then is delivered again, with the ids that the events had: your receiver can tell
        what it knows.
      </p>
      <TextField
        label="Since"
        help="A span such as 2h for so long ago, a date, or a time such as 2026-12-01T09:00:00Z."
        value={since}
        onChange={(event) => setSince(event.target.value)}
        error={issueAt(problem, 'since')}
      />
    </FormDialog>
  );
}

function Remove({ of: { id, url, behind }, onClose }: { of: Webhook; onClose(): void }) {
  const navigate = useNavigate();
  const remove = useAct('DELETE /api/webhooks/{id}', {
    done: () => 'The webhook is removed.',
    onDone: () => void navigate({ to: '/webhooks' }),
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title="Remove the webhook?"
      act="Remove"
      danger
      busy={remove.isPending}
      onAct={() => remove.run({ params: { id } })}
    >
      <p className="break-all">{url}</p>
      <p>
        It is told nothing any more
        {behind > 0 && `, and ${counted(behind, 'event that waits is', 'events that wait are')} forgotten`}.
      </p>
    </Confirm>
  );
}
