import { classes } from './words.ts';

/** How much of a limit is used: a bar, and the same in words. */
type MeterProps = {
  label: string;
  value: number;
  most: number;
  words: string;
  /** The part of the value that is not used for good: what calls in progress may still cost. */
  held?: number;
  /** Nothing leaves: a dashed frame, as an empty bar would read as idle. */
  closed?: boolean;
};

export function Meter({ label, value, most, words, held = 0, closed }: MeterProps) {
  const partOf = (n: number) => Math.min(1, most > 0 ? n / most : 0);
  const part = partOf(value);
  return (
    <div>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw their own meter, each in another way. */}
      <div
        role="meter"
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
          className={classes('h-full rounded-full', part >= 0.95 ? 'bg-warn-fill' : 'bg-ink')}
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
