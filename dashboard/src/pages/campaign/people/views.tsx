import { type FormEvent, useState } from 'react';
import type { View } from '../../../api/description.ts';
import { useAct, useAsk } from '../../../data/queries.ts';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { TextField } from '../../../kit/field.tsx';
import { useMay } from '../../../shell/me.ts';
import { type PeopleSearch, readPeople } from '../search.ts';

/** Views: named filters of people, shared by everyone, for every campaign. */
type ViewsProps = { filter: PeopleSearch; onOpen(filter: PeopleSearch): void; onClose(): void };

const most = 200;

export function ViewsDialog({ filter, onOpen, onClose }: ViewsProps) {
  const { data } = useAsk('GET /api/views', { query: { limit: most } });
  const mayAct = useMay('operate');
  const views = data?.items ?? [];
  return (
    <Dialog open onClose={onClose} title="Views">
      {data && views.length === 0 && (
        <p className="text-quiet">A view is a filter with a name: kept once, it is here for everyone.</p>
      )}
      <ul className="divide-y divide-line">
        {views.map((view) => (
          <Line key={view.name} view={view} mayAct={mayAct} onOpen={onOpen} onClose={onClose} />
        ))}
      </ul>
      {mayAct && <Keep filter={filter} views={views} />}
    </Dialog>
  );
}

function Line({
  view,
  mayAct,
  onOpen,
  onClose,
}: { view: View; mayAct: boolean } & Omit<ViewsProps, 'filter'>) {
  const { name, made_by: by } = view;
  // As the page's address has it: several values of a filter stand there with commas.
  const filter = readPeople(view.filter);
  const remove = useAct('DELETE /api/views/{name}', { done: () => `The view ${name} is removed.` });
  return (
    <li className="flex items-center gap-2 py-1.5">
      <span className="min-w-0 flex-1">
        <span className="font-medium break-words">{name}</span>
        <span className="block truncate text-sm text-quiet">
          {wordsOf(filter)} · by {by}
        </span>
      </span>
      <Button
        small
        aria-label={`Open ${name}`}
        onClick={() => {
          onClose();
          onOpen(filter);
        }}
      >
        Open
      </Button>
      {mayAct && (
        <Button
          small
          kind="quiet"
          aria-label={`Remove ${name}`}
          busy={remove.isPending}
          onClick={() => remove.run({ params: { name } })}
        >
          Remove
        </Button>
      )}
    </li>
  );
}

function Keep({ filter, views }: { filter: PeopleSearch; views: readonly View[] }) {
  const [name, setName] = useState('');
  const keep = useAct('PUT /api/views/{name}', {
    done: ({ name: kept }) => `The view ${kept} is kept for everyone.`,
    onDone: () => setName(''),
    quiet: true,
  });
  const given = name.trim();
  const isAboutOne = filter.phone !== undefined || filter.name !== undefined;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (given !== '' && !isAboutOne) void keep.run({ params: { name: given }, body: { filter } });
  };
  const help = views.some((each) => each.name === given)
    ? 'A view has this name: it takes the filter of now.'
    : `The filter of now: ${wordsOf(filter)}.`;
  return (
    <form onSubmit={submit} className="mt-4 flex items-end gap-2 border-t border-line pt-4">
      <div className="flex-1">
        <TextField
          label="Name of a new view"
          value={name}
          onChange={(event) => setName(event.target.value)}
          disabled={isAboutOne}
          help={isAboutOne ? 'A view is about many: clear the phone and the name to keep one.' : help}
          error={keep.error?.message}
        />
      </div>
      <Button type="submit" className="mb-7" busy={keep.isPending} disabled={isAboutOne}>
        Keep it
      </Button>
    </form>
  );
}

function wordsOf(filter: PeopleSearch): string {
  const parts = Object.entries(filter).map(([field, value]) => `${field} ${value}`);
  return parts.length > 0 ? parts.join(', ') : 'everyone';
}
