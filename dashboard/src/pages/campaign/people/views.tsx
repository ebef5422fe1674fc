import { useState } from 'react';
import { useAct, useAsk } from '../../../data/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Form, TextField } from '../../../kit/field.tsx';
import { useMay } from '../../../shell/me.ts';
import { ActButton } from '../../../shell/opens.tsx';
import { type PeopleSearch, readPeople } from '../search.ts';

/** Views: named filters of people, shared by everyone, for every campaign. */
type ViewsProps = { filter: PeopleSearch; onOpen(filter: PeopleSearch): void; onClose(): void };

const wordsOf = (filter: PeopleSearch) =>
  Object.entries(filter)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ') || 'everyone';

export function ViewsDialog({ filter, onOpen, onClose }: ViewsProps) {
  const { data } = useAsk('GET /api/views', { query: { limit: 200 } });
  const mayAct = useMay('operate');
  const [name, setName] = useState('');
  const keep = useAct('PUT /api/views/{name}', { onDone: () => setName(''), quiet: true });
  const remove = useAct('DELETE /api/views/{name}');
  const given = name.trim();
  const isAboutOne = filter.phone !== undefined || filter.name !== undefined;
  return (
    <Dialog onClose={onClose} title="Views">
      <p className="text-quiet">A view is a filter with a name: kept once, it is here for everyone.</p>
      <ul className="divide-y divide-line">
        {data?.items.map((view) => {
          // As the page's address has it: several values of a filter stand there with commas.
          const kept = readPeople(view.filter);
          return (
            <li key={view.name} className="flex items-center gap-2 py-1.5">
              <span className="min-w-0 flex-1">
                <span className="font-medium break-words">{view.name}</span>
                <span className="block truncate text-sm text-quiet">
                  {wordsOf(kept)} · by {view.made_by}
                </span>
              </span>
              <Button
                small
                aria-label={`Open ${view.name}`}
                onClick={() => {
                  onClose();
                  onOpen(kept);
                }}
              >
                Open
              </Button>
              <ActButton
                may="operate"
                small
                kind="quiet"
                aria-label={`Remove ${view.name}`}
                busy={remove.isPending}
                onClick={() => remove.run({ params: { name: view.name } })}
              >
                Remove
              </ActButton>
            </li>
          );
        })}
      </ul>
      {mayAct && (
        <Form
          onSend={() => keep.run({ params: { name: given }, body: { filter } })}
          className="mt-4 flex items-end gap-2"
        >
          <div className="flex-1">
            <TextField
              label="Name of a new view"
              value={name}
              onChange={(event) => setName(event.target.value)}
              disabled={isAboutOne}
              help={
                isAboutOne
                  ? 'A view is about many: clear the phone and the name to keep one.'
                  : `The filter of now: ${wordsOf(filter)}.`
              }
              error={keep.error?.message}
            />
          </div>
          <Button type="submit" className="mb-7" busy={keep.isPending} disabled={isAboutOne || given === ''}>
            Keep it
          </Button>
        </Form>
      )}
    </Dialog>
  );
}
