import type { Webhook } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Glance } from '../../kit/glance.tsx';
import { Ago, Since } from '../../kit/time.tsx';
import { classes, count, counted } from '../../kit/words.ts';

/**
 * When what is shown of webhooks is read again: at what they are told of, and every few seconds, as an answer comes later
 * than its event, and no event tells that a webhook rests.
 */
export const beat = { on: ['attempt.', 'recipient.', 'campaign.', 'alert.', 'key.'], everyMs: 5_000 };

/** Whether events arrive, and what becomes of those that do not. */
export function WebhooksGlance({ of: items }: { of: readonly Webhook[] }) {
  const ill = items.filter(({ state }) => state !== 'active');
  const sent = items.reduce((sum, { delivered }) => sum + delivered, 0);
  if (ill.length === 0 && sent === 0)
    return (
      <Glance level="untried" title="nothing was sent.">
        Send a test to see whether an event arrives.
      </Glance>
    );
  if (ill.length === 0)
    return (
      <Glance
        level={items.some(({ held }) => held > 0) ? 'watch' : 'fine'}
        title={
          items.length === 1
            ? 'The webhook works: its events arrive.'
            : `All ${count(items.length)} webhooks work: their events arrive.`
        }
      >
        An event is sent until it is taken.
      </Glance>
    );
  const who = ill.length === 1 ? new URL(ill[0]!.url).host : counted(ill.length, 'webhook');
  const waits = ill.reduce((sum, { behind, held }) => sum + behind + held, 0);
  return (
    <Glance
      // One that fails is asked again by itself; one that rests waits for a person.
      level={ill.some(({ state }) => state === 'resting') ? 'act' : 'watch'}
      title={`${who} ${ill.length === 1 ? 'does not get its events' : 'do not get their events'}.`}
    >
      Nothing is lost: {waits > 0 ? `${counted(waits, 'event is', 'events are')} kept` : 'events are kept'},
      and sent when it answers.
    </Glance>
  );
}

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
          It takes an event when it answers with a status from 200 to 299.
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
          {counted(held, 'event waits', 'events wait')} until it takes an earlier one about the same, as each
          person’s events come in order{people > 1 && `: ${count(people)} people or campaigns are held up`}
          {heldSince && (
            <>
              , <Since at={heldSince} />
            </>
          )}
          .
        </p>
      )}
    </div>
  );
}

const badges = { active: 'open', failing: 'failing', resting: 'paused' };

/** One that never took an event is not shown as proved. */
export function StateBadge({ of: { state, delivered } }: { of: Webhook }) {
  const untried = state === 'active' && delivered === 0;
  return <Badge state={untried ? 'skipped' : badges[state]} label={state} />;
}

const shownTries = 40;

/** The latest tries, a bar each, and what came of the last one. */
export function LastTries({ of: { id, state, delivered, failed } }: { of: Webhook }) {
  const latest = useAsk(
    'GET /api/webhooks/{id}/deliveries',
    { params: { id }, query: { limit: shownTries } },
    { ...beat, enabled: delivered + failed > 0 },
  );
  const tries = latest.data?.items ?? [];
  const [last] = tries;
  if (!last) return null;
  const taken = tries.filter((each) => each.delivered).length;
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-quiet">
      <span
        role="img"
        aria-label={`The latest ${counted(tries.length, 'try', 'tries')}: ${count(taken)} taken`}
        className="flex gap-px"
      >
        {[...tries].reverse().map(({ event, at, try: nth, delivered: isTaken }) => (
          <i
            key={`${event} ${at} ${nth}`}
            className={classes('h-3.5 w-1 rounded-[1px]', isTaken ? 'bg-ink-3' : 'bg-bad-fill')}
          />
        ))}
      </span>
      {state === 'active' && (
        <span>
          Last sent <Ago at={last.at} />: {last.type},{' '}
          {last.delivered ? `taken in ${count(last.ms)} ms` : (last.error ?? `it answered ${last.status}`)}.
        </span>
      )}
    </div>
  );
}
