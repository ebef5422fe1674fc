import { stretchOf } from './zone-clock.ts';

/** The hour of the week on a person's clock: operators ask at which hour people answer, not at which hour of UTC. */
const hour = 3_600_000;
const hoursAWeek = 168;
/** The epoch began on a Thursday. */
const sinceMonday = 72;

/**
 * An hour from 0 (Monday, 00:00) to 167. If the number's place has several time zones, the middle one of their clocks
 * counts. Null if it has none.
 */
export function localHourOf(place: string, at: number): number | null {
  const [zones = ''] = place.split(';');
  if (!zones) return null;
  const offsets = zones
    .split(',')
    .map((zone) => stretchOf(zone, at).offset)
    .sort((a, b) => a - b);
  const local = at + offsets[Math.floor((offsets.length - 1) / 2)]!;
  return (((Math.floor(local / hour) + sinceMonday) % hoursAWeek) + hoursAWeek) % hoursAWeek;
}
