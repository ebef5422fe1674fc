import type { ReactNode } from 'react';
import type { Alert } from '../api/description.ts';
import { Badge } from './badge.tsx';
import { Ago } from './time.tsx';
import { classes } from './words.ts';

/** A thing that needs a person now, what settles it, and where the page can do that, the act. */
export function AlertLine({
  alert: { severity, title, message, remedy, since },
  act,
}: {
  alert: Alert;
  act?: ReactNode;
}) {
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
      <div className="mt-1 flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div className="min-w-0">
          <p>{message}</p>
          <p className="text-sm">
            <span className="text-quiet">What to do: </span>
            <Commands text={remedy} />
          </p>
        </div>
        {act}
      </div>
    </div>
  );
}

/** Text between backticks is a command. */
function Commands({ text }: { text: string }) {
  return text.split('`').map((part, nth) =>
    nth % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move.
      <code key={nth}>{part}</code>
    ) : (
      part
    ),
  );
}
