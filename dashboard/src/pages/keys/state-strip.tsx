import { Badge } from '../../kit/badge.tsx';
import { Time } from '../../kit/time.tsx';
import { classes } from '../../kit/words.ts';
import { type Point, type Stretch, stretches } from './points.ts';

/** The key's state over the time that the charts show: when it was closed, and why. */
const fills: Record<Stretch['state'], string> = {
  open: 'bg-good-fill',
  failing: 'bg-bad-fill',
  out_of_credit: 'hatched',
  denied: 'bg-danger',
};

const mostNamed = 8;

/** The head of the page tells a state that never changed. */
export function StateStrip({ points }: { points: readonly Point[] }) {
  const parts = stretches(points);
  if (parts.length < 2) return null;
  const unseen = points.length - parts.reduce((sum, { steps }) => sum + steps, 0);
  return (
    <div className="mb-5">
      <p className="mb-2 font-medium">State</p>
      <div aria-hidden="true" className="flex h-3 w-full overflow-hidden rounded-sm bg-sunken">
        <span style={{ width: `${(100 * unseen) / points.length}%` }} />
        {parts.map(({ state, from, steps }) => (
          <span
            key={from}
            className={classes('min-w-0.5', fills[state])}
            style={{ width: `${(100 * steps) / points.length}%` }}
          />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {parts.slice(-mostNamed).map(({ state, from }) => (
          <li key={from} className="flex items-center gap-1.5">
            <Badge state={state} /> <span className="text-quiet">from</span> <Time at={from} />
          </li>
        ))}
      </ul>
    </div>
  );
}
