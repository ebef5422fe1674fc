import { isNightIn, isSameClock } from '../../kit/local-time.ts';
import { Time } from '../../kit/time.tsx';

/** The same time where the person is: the first of the zones in which they may be, and how many others there are. */
export function There({ at, zones }: { at: string; zones: readonly string[] }) {
  const [zone] = zones;
  if (zone === undefined) return null;
  const isNight = isNightIn(zone, at);
  // Their clock is the viewer's: the time stands there already.
  if (zones.length === 1 && !isNight && isSameClock(zone, at)) return null;
  return (
    <span className={isNight ? 'text-warn' : 'text-quiet'} title={zones.join(', ')}>
      (<Time at={at} zone={zone} /> where they are{isNight && ': at night'}
      {zones.length > 1 && ', or in other zones'})
    </span>
  );
}
