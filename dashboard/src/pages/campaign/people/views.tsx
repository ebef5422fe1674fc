import { type FormEvent, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { TextField } from '../../../kit/field.tsx';
import type { PeopleSearch } from '../search.ts';

/** Filters with a name, kept by this browser, for every campaign. */
type View = { name: string; filter: PeopleSearch };
type ViewsProps = { filter: PeopleSearch; onOpen(filter: PeopleSearch): void; onClose(): void };

const kept = 'carillon.people.views';

export function ViewsDialog({ filter, onOpen, onClose }: ViewsProps) {
  const [views, setViews] = useState(readViews);
  const keep = (now: View[]) => {
    setViews(now);
    try {
      localStorage.setItem(kept, JSON.stringify(now));
    } catch {
      // Without a store they hold until the page is left.
    }
  };
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    if (name === '') return;
    keep([...views.filter((view) => view.name !== name), { name, filter }]);
    event.currentTarget.reset();
  };
  return (
    <Dialog open onClose={onClose} title="Views" acts={<Button onClick={onClose}>Close</Button>}>
      {views.length === 0 && (
        <p className="text-quiet">
          A view is a filter with a name. This browser keeps it, for every campaign.
        </p>
      )}
      <ul className="divide-y divide-line">
        {views.map((view) => (
          <li key={view.name} className="flex items-center gap-2 py-1.5">
            <span className="min-w-0 flex-1">
              <span className="font-medium">{view.name}</span>
              <span className="block truncate text-sm text-quiet">{wordsOf(view.filter)}</span>
            </span>
            <Button
              small
              onClick={() => {
                onClose();
                onOpen(view.filter);
              }}
            >
              Open
            </Button>
            <Button small kind="quiet" onClick={() => keep(views.filter((each) => each !== view))}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
      <form onSubmit={save} className="mt-4 flex items-end gap-2 border-t border-line pt-4">
        <div className="flex-1">
          <TextField label="Name of a new view" name="name" help={`The filter now: ${wordsOf(filter)}.`} />
        </div>
        <Button type="submit" className="mb-7">
          Keep it
        </Button>
      </form>
    </Dialog>
  );
}

function wordsOf(filter: PeopleSearch): string {
  const parts = Object.entries(filter).map(([field, value]) => `${field} ${value}`);
  return parts.length > 0 ? parts.join(', ') : 'everyone';
}

function readViews(): View[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(kept) ?? '[]');
    if (Array.isArray(found)) return found.filter((each) => typeof each?.name === 'string' && each.filter);
  } catch {
    // A text that cannot be read counts as none.
  }
  return [];
}
