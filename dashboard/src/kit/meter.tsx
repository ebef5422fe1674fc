import { classes } from './words.ts';

/** How much of a limit is used: a bar, and the same in words. */
type MeterProps = { label: string; value: number; most: number; words: string };

export function Meter({ label, value, most, words }: MeterProps) {
  const part = Math.min(1, most > 0 ? value / most : 0);
  return (
    <div>
      <p>{words}</p>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers draw their own meter, each in another way. */}
      <div
        role="meter"
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuetext={words}
        className="mt-1 h-1.5 w-full overflow-hidden rounded-sm bg-sunken"
      >
        <div
          className={classes('h-full', part >= 0.95 ? 'bg-parked' : 'bg-calling')}
          style={{ width: `${part * 100}%` }}
        />
      </div>
    </div>
  );
}
