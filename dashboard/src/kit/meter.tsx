import { classes } from './words.ts';

/** How much of a limit is used, or without one how far something is, as a part of 1: a bar, and the same in words. */
type MeterProps = {
  label: string;
  value: number;
  most?: number;
  words: string;
  /** The part of the value that is not used for good: what calls in progress may still cost. */
  held?: number;
  /** Nothing leaves: a dashed frame, as an empty bar would read as idle. */
  closed?: boolean;
};

export function Meter({ label, value, most: limit, words, held = 0, closed }: MeterProps) {
  const most = limit ?? 1;
  const partOf = (n: number) => Math.min(1, most > 0 ? n / most : 0);
  const part = partOf(value);
  return (
    <div>
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles have a label and values. */}
      <div
        role={limit === undefined ? 'progressbar' : 'meter'}
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuetext={words}
        className={classes(
          'flex h-1.5 w-full overflow-hidden rounded-full bg-track',
          closed && 'outline-[1.5px] outline-bad-fill outline-dashed',
        )}
      >
        <div
          className={classes('h-full rounded-full', looksOf(part, limit === undefined))}
          style={{ width: `${partOf(value - held) * 100}%` }}
        />
        {held > 0 && (
          <div
            className="ml-px h-full bg-live-fill"
            style={{ width: `${(part - partOf(value - held)) * 100}%` }}
          />
        )}
      </div>
      <p className="mt-1.5 text-xs text-quiet">{words}</p>
    </div>
  );
}

/** What goes on is live, and what is over is ink; only a limit warns as it comes near. */
function looksOf(part: number, isCourse: boolean): string {
  if (isCourse) return part < 1 ? 'bg-live-fill' : 'bg-ink';
  return part >= 0.95 ? 'bg-warn-fill' : 'bg-ink';
}
