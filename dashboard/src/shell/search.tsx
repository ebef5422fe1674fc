import { useState } from 'react';
import { Badge } from '../kit/badge.tsx';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Trouble } from '../kit/empty.tsx';
import { Phone } from '../kit/phone.tsx';
import { Ago } from '../kit/time.tsx';
import { personAddress, useFind } from './find.ts';
import { PageLink } from './page-link.tsx';

/** Finds a person from anywhere: by phone in any form, name, variable, or the id of a call or an attempt. */
export function SearchDialog({ onClose }: { onClose(): void }) {
  const [asked, setAsked] = useState('');
  return (
    <Dialog open onClose={onClose} title="Find a person" wide>
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(String(new FormData(event.currentTarget).get('q') ?? '').trim());
        }}
      >
        <input
          name="q"
          type="text"
          autoFocus
          autoComplete="off"
          aria-label="A phone, a name, or the id of a call or an attempt"
          placeholder="A phone, a name, a call id, an attempt"
          className="min-h-9 min-w-0 flex-1 rounded-md border border-line-strong bg-card px-3"
        />
        <Button type="submit" kind="main">
          Find
        </Button>
      </form>
      <div className="mt-4 min-h-24">
        {asked === '' ? <Hint /> : <Found asked={asked} onClose={onClose} />}
      </div>
    </Dialog>
  );
}

function Hint() {
  return (
    <p className="text-quiet">
      A phone in any form, such as +1 415 555 0100 or (415) 555-0100; a name as it was given; a variable, such
      as order:1017; or the id of a call or an attempt. It is looked for in every campaign.
    </p>
  );
}

function Found({ asked, onClose }: { asked: string; onClose(): void }) {
  const found = useFind(asked, 20);
  if (found.error) return <Trouble problem={found.error} />;
  if (!found.data) return <p className="text-quiet">Looking</p>;
  if (found.data.items.length === 0) return <p>No row of any campaign has it.</p>;
  return (
    <>
      <ul className="divide-y divide-line">
        {found.data.items.map((person) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the link in it takes the keys.
          <li key={person.id} className="flex flex-wrap items-center gap-x-3 py-2" onClick={onClose}>
            <PageLink to={personAddress(person)}>
              <Phone phone={person.phone} />
            </PageLink>
            <span>{person.name}</span>
            <Badge state={person.state} />
            {person.outcome && <Badge state={person.outcome} />}
            <span className="text-quiet">
              {person.campaign}
              {person.ended_at && (
                <>
                  , <Ago at={person.ended_at} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link in it takes the keys. */}
      <p className="mt-3" onClick={onClose}>
        <PageLink to={`/people?phone=${encodeURIComponent(asked)}`}>Show what was found on a page</PageLink>
      </p>
    </>
  );
}
