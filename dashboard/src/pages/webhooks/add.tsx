import { eventTypes } from '../../api/description.ts';
import { useAct } from '../../data/queries.ts';
import { CheckField, TextField } from '../../kit/field.tsx';
import { FormDialog } from '../../kit/form-dialog.tsx';
import { ShownOnce } from '../../kit/shown-once.tsx';
import { useForm } from '../../kit/use-fields.ts';

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
