import type { ReactNode } from 'react';
import { classes, count, sumOf } from './words.ts';

/** How much of a limit is used, or without one how far something is, as a part of 1: a bar, and the same in words. */
type MeterProps = {
  label: string;
  value: number;
  most?: number;
  words: string;
  /** The part of the value that is not used for good: what calls in progress may still cost. */
  held?: number;
  heldFill?: string;
  /** Nothing leaves: a dashed frame, as an empty bar would read as idle. */
  closed?: boolean;
};

export function Meter({
  label,
  value,
  most: limit,
  words,
  held = 0,
  heldFill = 'bg-live-fill',
  closed,
}: MeterProps) {
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
            className={classes('ml-px h-full', heldFill)}
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

export const PartBar = ({ part, fill = 'bg-ink-3' }: { part: number; fill?: string }) => (
  <span aria-hidden="true" className="block h-1.5 overflow-hidden rounded-sm bg-track">
    <span
      className={classes('block h-full rounded-sm', part > 0 && 'min-w-0.5', fill)}
      style={{ width: `${Math.max(0, Math.min(1, part)) * 100}%` }}
    />
  </span>
);

/** A campaign's people by state, as one bar: what is over, what happens, then the rest; what is unknown stands at the far end. */
const parts = [
  ['done', 'bg-ink'],
  ['calling', 'bg-live-fill'],
  ['parked', 'hatched'],
  ['queued', 'bg-live-fill/45'],
  ['waiting', null],
  ['skipped', 'bg-ink-3'],
  ['rejected', 'bg-ink-3'],
  ['unknown', 'bg-odd-fill'],
] as const;
type Part = (typeof parts)[number][0];

/** What every campaign has comes first, then what wants somebody: the same order in each row of a list. */
export const toldParts: readonly Part[] = [
  'done',
  'calling',
  'waiting',
  'unknown',
  'parked',
  'rejected',
  'queued',
  'skipped',
];

type BalanceBarProps = BarLooks<Part> & { balance: Record<Part, number> };

export const BalanceBar = ({ balance, ...looks }: BalanceBarProps) => (
  <PartsBar parts={parts.map(([state, fill]) => [state, balance[state], fill])} {...looks} />
);

const heights = { thin: 'h-1.5', plain: 'h-2.5', fat: 'h-3.5' } as const;

type Wrap<Name> = (part: Name, words: ReactNode) => ReactNode;
type BarLooks<Name> = {
  /** The parts in words: as they stand in the bar, or these in this order. */
  legend?: boolean | readonly Name[];
  /** How many of them; the people of the others are one sum. */
  most?: number;
  thickness?: keyof typeof heights;
  /** Wraps the words of a part, such as in a link to its people. */
  wrap?: Wrap<Name> | undefined;
};
type PartsBarProps<Name> = BarLooks<Name> & {
  parts: readonly (readonly [name: Name, n: number, fill: string | null])[];
};

/** Several counts as parts of one bar, in the words of the legend. */
export function PartsBar<Name extends string>({
  parts: all,
  legend,
  most,
  thickness = 'plain',
  wrap,
}: PartsBarProps<Name>) {
  const present = all.filter(([, n]) => n > 0);
  const order = typeof legend === 'object' ? legend : present.map(([name]) => name);
  const told = order.flatMap((each) => present.filter(([name]) => name === each));
  const more = told.splice(most ?? told.length);
  const wordsOf = (some: typeof all) => some.map(([name, n]) => `${count(n)} ${name}`).join(', ');
  const words = wordsOf(present);
  return (
    <div>
      <div
        role="img"
        aria-label={words || 'nobody'}
        className={classes('flex w-full gap-0.5 overflow-hidden rounded-sm bg-track', heights[thickness])}
      >
        {present.map(([name, n, fill]) => (
          <span
            key={name}
            title={`${count(n)} ${name}`}
            className={classes(fill && 'min-w-1', fill)}
            // Set through the CSSOM, which the content policy allows.
            style={{ flexGrow: n, flexBasis: 0 }}
          />
        ))}
      </div>
      {legend && (
        <ul className={legendClasses}>
          {told.map(([name, n, fill]) => (
            <Named key={name} name={name} n={n} fill={fill} wrap={wrap} />
          ))}
          {more.length > 0 && <li title={wordsOf(more)}>+{count(sumOf(more.map(([, n]) => n)))}</li>}
        </ul>
      )}
    </div>
  );
}

export const legendClasses = 'mt-1.5 flex flex-wrap gap-x-2.5 gap-y-0.5 text-xs text-quiet';

type NamedProps<Name> = { name: Name; n: number; fill: string | null; wrap?: Wrap<Name> | undefined };

export function Named<Name extends string>({ name, n, fill, wrap }: NamedProps<Name>) {
  const words = (
    <>
      <span className="font-medium text-text">{count(n)}</span> {name}
    </>
  );
  return (
    <li className="flex items-center gap-1.5 whitespace-nowrap">
      <span
        className={classes('size-2 rounded-xs', fill ?? 'border border-line-strong bg-track')}
        aria-hidden="true"
      />
      <span>{wrap ? wrap(name, words) : words}</span>
    </li>
  );
}

/** A few bars without axes, next to the number that they lead to: the last one is now. */
const mostBars = 12;

export function Spark({ values, label }: { values: readonly number[]; label: string }) {
  const known = values.slice(-mostBars);
  // What began lately has no past: low bars, so that one alone is seen as the last of a row.
  const shown = [...Array<number>(mostBars - known.length).fill(0), ...known];
  const most = Math.max(...shown, 1);
  return (
    <span role="img" aria-label={label} className="flex h-5 items-end gap-px">
      {shown.map((value, nth) => (
        <i
          // biome-ignore lint/suspicious/noArrayIndexKey: a bar is known by its place.
          key={nth}
          className={nth === shown.length - 1 ? 'w-1 rounded-t-xs bg-live-fill' : 'w-1 rounded-t-xs bg-ink-3'}
          style={{ height: `${Math.max(2, (value / most) * 20)}px` }}
        />
      ))}
    </span>
  );
}
