import { classes, count } from './words.ts';

/** A campaign's rows by state, as one bar: each part is as long as its share, and the words say the numbers. */
const parts = [
  ['done', 'bg-done'],
  ['calling', 'bg-calling'],
  ['queued', 'bg-queued'],
  ['waiting', 'bg-waiting'],
  ['parked', 'bg-parked'],
  ['unknown', 'bg-unknown'],
  ['skipped', 'bg-skipped'],
  ['rejected', 'bg-rejected'],
] as const;

type Balance = Record<(typeof parts)[number][0], number>;

export function BalanceBar({ balance, legend = false }: { balance: Balance; legend?: boolean }) {
  const present = parts.filter(([state]) => balance[state] > 0);
  const words = present.map(([state]) => `${count(balance[state])} ${state}`).join(', ');
  return (
    <div>
      <div
        role="img"
        aria-label={words || 'no rows'}
        className="flex h-2.5 w-full gap-px overflow-hidden rounded-sm bg-sunken"
      >
        {present.map(([state, fill]) => (
          <span
            key={state}
            title={`${count(balance[state])} ${state}`}
            className={classes('min-w-1', fill)}
            // Set through the CSSOM, which the content policy allows.
            style={{ flexGrow: balance[state], flexBasis: 0 }}
          />
        ))}
      </div>
      {legend && (
        <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
          {present.map(([state, fill]) => (
            <li key={state} className="flex items-center gap-1.5">
              <span className={classes('size-2.5 rounded-xs', fill)} aria-hidden="true" />
              <span className="font-medium">{count(balance[state])}</span>
              <span className="text-quiet">{state}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
