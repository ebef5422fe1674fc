import { type FormEvent, useId, useState } from 'react';
import { eventTypes } from '../../api/description.ts';
import { useAct } from '../../api/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { CheckField, FormProblem, issueAt, TextField } from '../../kit/field.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';

/** Adds an address, and shows once what its deliveries are signed with. */
type EventType = (typeof eventTypes)[number];

export function AddWebhook({ onClose }: { onClose(): void }) {
  const form = useId();
  const [url, setUrl] = useState('');
  const [wanted, setWanted] = useState<readonly EventType[]>([]);
  const add = useAct('POST /api/webhooks', { quiet: true });
  const problem = add.error;
  if (add.data) {
    return (
      <ShownOnce title="The webhook is added" secret={add.data.secret} onClose={onClose}>
        Your receiver checks the signature of each delivery with this secret, as Standard Webhooks says.
      </ShownOnce>
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.run({ body: { url: url.trim(), events: wanted.length === 0 ? null : [...wanted] } });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      held={add.isPending}
      title="Add a webhook"
      acts={
        <>
          <Button onClick={onClose} disabled={add.isPending}>
            Close
          </Button>
          <Button type="submit" form={form} kind="main" busy={add.isPending}>
            Add
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="space-y-3">
        <TextField
          label="URL"
          help="It is told what happens from now on."
          placeholder="https://example.com/hook"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
          error={issueAt(problem, 'url')}
        />
        <fieldset>
          <legend className="mb-1 font-medium">Events</legend>
          <p className="mb-2 text-sm text-quiet">All of them unless some are chosen.</p>
          <div className="grid gap-x-4 sm:grid-cols-2">
            {eventTypes.map((type) => (
              <CheckField
                key={type}
                label={type}
                checked={wanted.includes(type)}
                onChange={({ target }) =>
                  setWanted(target.checked ? [...wanted, type] : wanted.filter((each) => each !== type))
                }
              />
            ))}
          </div>
        </fieldset>
        <FormProblem problem={problem} fields={['url', 'events']} />
      </form>
    </Dialog>
  );
}
