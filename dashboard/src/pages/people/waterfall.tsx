import type { AttemptCourse } from '../../api/description.ts';
import { Time, useNow } from '../../kit/time.tsx';
import { classes } from '../../kit/words.ts';
import { courseOf, type Span } from './spans.ts';

/** An attempt from its plan to its end: a line for each step, its bar as long as it lasted. */
export function Waterfall({ attempt }: { attempt: AttemptCourse }) {
  const { spans, begin, end } = courseOf(attempt, useNow());
  const whole = end - begin;
  return (
    <ol aria-label="Step by step" className="divide-y divide-line">
      {spans.map((span, nth) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a step never moves.
          key={nth}
          className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 py-1 sm:grid-cols-[9rem_minmax(0,1fr)_4.5rem_minmax(0,1.2fr)]"
        >
          <span className="text-sm">
            <span className="block font-medium">{span.label}</span>
            <span className="block text-xs text-quiet">
              {span.from !== null && <Time at={span.from} seconds />}
            </span>
          </span>
          <span className="text-right text-xs text-quiet sm:hidden">{lengthText(span)}</span>
          <span
            aria-hidden="true"
            className="relative col-span-2 my-1 h-4 self-center rounded-sm bg-sunken sm:col-span-1"
          >
            {span.from !== null && (
              <span
                className={classes('absolute inset-y-0 min-w-1 rounded-sm', span.fill)}
                style={{
                  left: `min(calc(100% - 4px), ${(100 * (span.from - begin)) / whole}%)`,
                  width: `${(100 * ((span.to ?? span.from) - span.from)) / whole}%`,
                }}
              />
            )}
          </span>
          <span className="number self-center text-sm text-quiet max-sm:hidden">{lengthText(span)}</span>
          <span className="col-span-2 self-center text-sm [overflow-wrap:anywhere] sm:col-span-1">
            {span.reason}
          </span>
        </li>
      ))}
    </ol>
  );
}

function lengthText({ from, to }: Span): string {
  return from === null || to === null ? '' : spanText(to - from);
}

const tenths = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

function spanText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 90_000) return `${tenths.format(ms / 1_000)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
