import type { ReactNode } from 'react';
import { classes, count, sumOf } from './words.ts';

/** A campaign's people by state, as one bar: what is over, what happens, then the rest; what is unknown stands at the far end. */
const parts = [
  ['done', 'bg-ink'],
  ['calling', 'bg-live-fill'],
  ['parked', 'hatched'],
  ['queued', 'bg-live-fill/45'],
  ['waiting', null],
  ['skipped', 'bg-ink-3'],
  ['rejected', 'bg-bad-fill'],
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
