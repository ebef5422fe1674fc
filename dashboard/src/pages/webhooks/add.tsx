import { useState } from 'react';
import { eventTypes } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { CheckField, issueAt, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';
import { eventWords } from './events.tsx';

/** Adds an address, and shows once what its deliveries are signed with. */
type EventType = (typeof eventTypes)[number];

const fields = ['url', 'events'];

export function AddWebhook({ onClose }: { onClose(): void }) {
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
  const body = { url: url.trim(), events: wanted.length === 0 ? null : [...wanted] };
  return (
    <FormDialog
      title="Add a webhook"
      onClose={onClose}
      act="Add"
      onSend={() => add.run({ body })}
      busy={add.isPending}
      problem={problem}
      fields={fields}
    >
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
              label={eventWords(type)}
              checked={wanted.includes(type)}
              onChange={({ target }) =>
                setWanted(target.checked ? [...wanted, type] : wanted.filter((each) => each !== type))
              }
            />
          ))}
        </div>
      </fieldset>
    </FormDialog>
  );
}
