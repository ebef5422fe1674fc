import type { Delivery, Webhook } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Badge } from '../../kit/badge.tsx';
import { Link } from '../../kit/router.tsx';
import { Ago, Since } from '../../kit/time.tsx';
import { classes, count, counted } from '../../kit/words.ts';
import { WebhookActs } from './acts.tsx';

/**
 * When what is shown of webhooks is read again: at what they are told of, and every few seconds, as an answer comes later
 * than its event, and no event tells that a webhook rests.
 */
export const beat = { everyMs: 5_000 };

const badges = { active: 'open', failing: 'warning', resting: 'critical' };
/** `recipient.opted_out` as `person opted out`. */
export const eventText = (type: string) =>
  type.replace('recipient', 'person').replace('attempt', 'call').replaceAll(/[._]/g, ' ');

/** One webhook: where to and its acts, then how it stands and its figures, or why it takes nothing. */
export function OneWebhook({ of: webhook }: { of: Webhook }) {
  const { id, url, events, state, reason, since, next_at: next, delivered, failed, behind, held } = webhook;
  const latest = useAsk(
    'GET /api/webhooks/{id}/deliveries',
    { params: { id }, query: { limit: 40 } },
    { ...beat, enabled: delivered + failed > 0 },
  );
  const tries = latest.data?.items ?? [];
  const [last] = tries;
  return (
    <li className="space-y-2 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        {/* One that never took an event is not shown as proved. */}
        <Badge state={state === 'active' && delivered === 0 ? 'skipped' : badges[state]} label={state} />
        <Link to="/webhooks/$id" params={{ id }} className="font-semibold break-all hover:underline">
          {url}
        </Link>
        <span className="min-w-0 flex-1 text-quiet max-sm:basis-full">
          {events?.map(eventText).join(', ') ?? 'all events'}
        </span>
        <WebhookActs of={webhook} />
      </div>
      {state !== 'active' && (
        <p className="[overflow-wrap:anywhere]">
          {state === 'failing' ? 'It has failed' : 'It rests'} <Since at={since} />
          {reason && `: ${reason}`}.{' '}
          <span className="text-quiet">
            {state === 'resting'
              ? 'Repair the receiver, then test it: when it takes the test it is told what waits. Sending again wakes it too.'
              : next && (
                  <>
                    The next try is <Ago at={next} />, with one event; any status from 200 to 299 is a yes.
                  </>
                )}
          </span>
        </p>
      )}
      <p className="flex flex-wrap gap-x-8 gap-y-1 [overflow-wrap:anywhere]">
        {state === 'active' && last && (
          <span>
            Last sent <Ago at={last.at} />: {eventText(last.type)},{' '}
            {last.delivered ? `taken in ${count(last.ms)} ms` : (last.error ?? `it answered ${last.status}`)}
          </span>
        )}
        <span>{counted(delivered, 'event')} delivered</span>
        <span>{counted(failed, 'try', 'tries')} failed</span>
        <span className={classes((state !== 'active' || held > 0) && 'font-medium text-warn')}>
          {counted(behind + held, 'event waits', 'events wait')}
        </span>
        {held > 0 && <span>{count(held)} of them wait for an earlier one about the same person</span>}
        {tries.length > 0 && <Course of={tries} />}
      </p>
    </li>
  );
}

/** How the latest tries went, the last one at the right: when it began to fail is seen at once. */
function Course({ of: tries }: { of: readonly Delivery[] }) {
  const taken = tries.filter(({ delivered }) => delivered);
  const slowest = Math.max(...taken.map(({ ms }) => ms));
  const words = `of the latest ${count(tries.length)}, ${count(taken.length)} were taken${taken.length > 0 ? `, the slowest in ${count(slowest)} ms` : ''}`;
  return (
    <span role="img" aria-label={words} title={words} className="ml-auto flex items-end gap-0.5">
      {tries.toReversed().map(({ event, at, delivered }) => (
        <i
          key={`${event} ${at}`}
          className={classes('w-1 rounded-xs', delivered ? 'h-2.5 bg-ink-3' : 'h-4 bg-bad-fill')}
        />
      ))}
    </span>
  );
}
