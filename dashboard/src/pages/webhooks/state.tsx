import type { Webhook } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Ago, Time } from '../../kit/time.tsx';
import { counted } from '../../kit/words.ts';

/** Why a webhook is not active, and what to do about it; nothing where all is well. */
export function WebhookState({ of: webhook }: { of: Webhook }) {
  const { state, reason, since, next_at: next, held, held_people: people, held_since: heldSince } = webhook;
  if (state === 'active' && held === 0) return null;
  return (
    <div className="space-y-1">
      <p className="flex flex-wrap items-center gap-x-2">
        {state !== 'active' && (
          <span className="text-sm text-quiet">
            Since <Ago at={since} />
          </span>
        )}
        {reason && <span className="min-w-0 text-sm break-words">{reason}</span>}
        {state === 'failing' && next && (
          <span className="text-sm text-quiet">
            asked again at <Time at={next} />
          </span>
        )}
      </p>
      {state === 'failing' && (
        <p className="text-sm text-quiet">
          It is asked with one event at a time. Events that it misses are kept and delivered when it answers
          with a status from 200 to 299.
        </p>
      )}
      {state === 'resting' && (
        <p className="text-sm text-warn">
          Nothing is sent to it. Repair the receiver, then test it: when it takes the test it is active again
          and is told what waits. A replay wakes it too.
        </p>
      )}
      {held > 0 && (
        <p className="text-sm text-warn">
          {counted(held, 'event waits', 'events wait')} for an earlier one of the same person that it did not
          take ({counted(people, 'person or thing', 'people or things')}
          {heldSince && (
            <>
              , since <Ago at={heldSince} />
            </>
          )}
          ).
        </p>
      )}
    </div>
  );
}

export function StateBadge({ state }: { state: Webhook['state'] }) {
  if (state === 'active') return <Badge state="open" label="active" />;
  if (state === 'failing') return <Badge state="failing" label="failing" />;
  return <Badge state="paused" label="resting" />;
}
