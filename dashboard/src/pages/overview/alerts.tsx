import type { Alert } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';
import { Ago } from '../../kit/time.tsx';
import { classes } from '../../kit/words.ts';
import { useLive } from '../../live/use-live.ts';

/** What needs a person now, each with what settles it. */
export function Alerts() {
  const alerts = useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'] });
  const items = alerts.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section aria-label="Alerts" className="mb-4 space-y-2">
      {items.map((alert) => (
        <AlertLine key={`${alert.code} ${alert.subject}`} alert={alert} />
      ))}
    </section>
  );
}

function AlertLine({ alert: { severity, title, message, remedy, since } }: { alert: Alert }) {
  return (
    <div
      className={classes(
        'rounded-lg border px-4 py-2.5',
        severity === 'critical' ? 'border-bad bg-bad-soft' : 'border-warn bg-warn-soft',
      )}
    >
      <p className="flex flex-wrap items-center gap-x-2">
        <Badge state={severity} />
        <span className="font-semibold">{title}</span>
        <span className="text-sm text-quiet">
          since <Ago at={since} />
        </span>
      </p>
      <p className="mt-1">{message}</p>
      <p className="text-sm">
        <span className="text-quiet">What to do: </span>
        {remedy}
      </p>
    </div>
  );
}
