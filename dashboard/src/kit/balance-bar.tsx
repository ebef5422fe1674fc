import type { ReactNode } from 'react';
import { classes, count } from './words.ts';

/** A campaign's people by state, as one bar: what is over, what happens, then the rest; what is unknown stands at the far end. */
const parts = [
  ['done', 'bg-ink'],
  ['calling', 'bg-live-fill'],
  ['parked', 'hatched'],
  ['queued', null],
  ['waiting', null],
  ['skipped', 'bg-ink-3'],
  ['rejected', 'bg-bad-fill'],
  ['unknown', 'bg-odd-fill'],
] as const;
type Part = (typeof parts)[number][0];

type Balance = Record<Part, number>;

type BalanceBarProps = {
  balance: Balance;
  legend?: boolean;
  thickness?: 'thin' | 'plain' | 'fat';
  /** Wraps the words of a part, such as in a link to its people. */
  wrap?: (state: Part, words: ReactNode) => ReactNode;
};

const heights = { thin: 'h-1.5', plain: 'h-2.5', fat: 'h-3.5' } as const;

export function BalanceBar({ balance, legend = false, thickness = 'plain', wrap }: BalanceBarProps) {
  const present = parts.filter(([state]) => balance[state] > 0);
  const words = present.map(([state]) => `${count(balance[state])} ${state}`).join(', ');
  return (
    <div>
      <div
        role="img"
        aria-label={words || 'nobody'}
        className={classes('flex w-full gap-0.5 overflow-hidden rounded-sm bg-track', heights[thickness])}
      >
        {present.map(([state, fill]) => (
          <span
            key={state}
            title={`${count(balance[state])} ${state}`}
            className={classes(fill && 'min-w-1', fill)}
            // Set through the CSSOM, which the content policy allows.
            style={{ flexGrow: balance[state], flexBasis: 0 }}
          />
        ))}
      </div>
      {legend && (
        <ul className={legendClasses}>
          {present.map(([state, fill]) => {
            const told = (
              <>
                <span className="font-medium text-text">{count(balance[state])}</span> {state}
              </>
            );
            return (
              <Named key={state} fill={fill}>
                {wrap ? wrap(state, told) : told}
              </Named>
            );
          })}
        </ul>
      )}
    </div>
  );
}

export const legendClasses = 'mt-1.5 flex flex-wrap gap-x-3.5 gap-y-0.5 text-xs text-quiet';

export function Named({ fill, children }: { fill: string | null; children: ReactNode }) {
  return (
    <li className="flex items-center gap-1.5 whitespace-nowrap">
      <span
        className={classes('size-2 rounded-xs', fill ?? 'border-[1.5px] border-line-strong')}
        aria-hidden="true"
      />
      <span>{children}</span>
    </li>
  );
}
