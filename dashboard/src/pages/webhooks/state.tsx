import type { Webhook } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Ago, Since } from '../../kit/time.tsx';
import { count, counted } from '../../kit/words.ts';
import { beat } from './beat.ts';
import { eventWords } from './events.tsx';

/** Why a webhook is not active, until when, and what waits for it; nothing where all is well. */
export function WebhookState({ of: webhook }: { of: Webhook }) {
  const { state, reason, since, next_at: next, held, held_people: people, held_since: heldSince } = webhook;
  if (state === 'active' && held === 0) return null;
  return (
    <div className="text-sm">
      {state !== 'active' && (
        <p className="font-medium text-warn [overflow-wrap:anywhere]">
          {state === 'failing' ? 'It fails' : 'It rests'} <Since at={since} />
          {reason && `: ${reason}`}.
        </p>
      )}
      {state === 'failing' && (
        <p>
          {next && (
            <>
              The next try is <Ago at={next} />, with one event.{' '}
            </>
          )}
          What it misses is kept, and delivered when it answers with a status from 200 to 299.
        </p>
      )}
      {state === 'resting' && (
        <p>
          Nothing is sent to it. Repair the receiver, then test it: when it takes the test it is active again
          and is told what waits. A replay wakes it too.
        </p>
      )}
      {held > 0 && (
        <p className="text-quiet">
          {counted(held, 'event waits', 'events wait')} for an earlier one of the same person that it did not
          take ({counted(people, 'person or thing', 'people or things')}
          {heldSince && (
            <>
              , <Since at={heldSince} />
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

/** What came of the latest delivery, and when. */
export function LastDelivery({ of: { id, delivered, failed } }: { of: Webhook }) {
  const latest = useAsk(
    'GET /api/webhooks/{id}/deliveries',
    { params: { id }, query: { limit: 1 } },
    { ...beat, enabled: delivered + failed > 0 },
  );
  const last = latest.data?.items[0];
  if (!last) return null;
  return (
    <p className="text-sm text-quiet">
      Last sent <Ago at={last.at} />: {eventWords(last.type)},{' '}
      {last.delivered ? `taken in ${count(last.ms)} ms` : (last.error ?? `it answered ${last.status}`)}.
    </p>
  );
}
