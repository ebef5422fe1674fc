import { clock } from './clock.ts';

/**
 * A time for the browser's own field, which has no zone: the viewer's. Empty for what is not a time. A field with `step={1}`
 * has seconds too.
 */
export function localTimeOf(at: string | number | undefined, to: 'minute' | 'second' = 'minute'): string {
  const date = new Date(at ?? '');
  if (Number.isNaN(date.getTime())) return '';
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, to === 'second' ? 19 : 16);
}

const onlyHour = new Intl.DateTimeFormat(undefined, { hour: 'numeric' });

/** `8:00 PM`, or as the viewer writes it: a time of the day in minutes, on whoever's clock. */
export const timeOfDay = (minutes: number) => clock.format(new Date(2000, 0, 1, 0, minutes));
/** `8 PM`. */
export const hourText = (hour: number) => onlyHour.format(new Date(2000, 0, 1, hour));

/** Hours in which people sleep: a call then is told in amber. */
export const isNight = (hour: number) => hour < 8 || hour >= 21;

/** Null where the browser does not know the zone: the server may know zones that are newer than the browser. */
export function formatIn(zone: string, options: Intl.DateTimeFormatOptions, locale?: string) {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  } catch {
    return null;
  }
}

/** False also where the browser does not know the zone. */
export function isNightIn(zone: string, at: number | string | Date): boolean {
  const hour = formatIn(zone, { hour: 'numeric', hourCycle: 'h23' }, 'en')?.format(new Date(at));
  return hour !== undefined && isNight(Number(hour));
}

/** Whether the clock in a known zone shows what the viewer's shows. */
export function isSameClock(zone: string, at: number | string): boolean {
  const date = new Date(at);
  return date.toLocaleString('en', { timeZone: zone }) === date.toLocaleString('en');
}
