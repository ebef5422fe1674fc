import { useSyncExternalStore } from 'react';
import { clock, dayTime, toMinute } from './clock.ts';

/** Times in the viewer's zone and locale; the exact one, with its zone, stands in the title. */
export const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const toSecond = new Intl.DateTimeFormat(undefined, { ...toMinute, second: '2-digit' });
const otherYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** `14:32`; of another day with its date. */
export const timeText = (at: string | number | Date) => {
  const date = new Date(at);
  if (isToday(date)) return clock.format(date);
  return (date.getFullYear() === new Date().getFullYear() ? dayTime : otherYear).format(date);
};

const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });

/** `Today, Thu 26 Nov`; a day of another year with the year. */
export function dayText(at: string | number): string {
  const date = new Date(at);
  const yesterday = new Date();
  yesterday.setDate(yesterday.getDate() - 1);
  if (isToday(date)) return `Today, ${day.format(date)}`;
  if (date.toDateString() === yesterday.toDateString()) return `Yesterday, ${day.format(date)}`;
  return (date.getFullYear() === new Date().getFullYear() ? day : otherYear).format(date);
}

export const isSameMinute = (one: string, other: string) => timeText(one) === timeText(other);

const isToday = (date: Date): boolean => date.toDateString() === new Date().toDateString();

type TimeProps = {
  at: string | number | Date;
  /** In evidence, where it matters which of two came first. */
  seconds?: boolean;
  /** Where the day is told already. */
  clock?: boolean;
};

export function Time({ at, seconds, clock: noDay }: TimeProps) {
  const date = new Date(at);
  const format = seconds && (noDay || isToday(date)) ? toSecond.format : noDay ? clock.format : timeText;
  return timeOf(date, format(date));
}

const timeOf = (date: Date, words: string) => (
  <time dateTime={date.toISOString()} title={exact.format(date)} className="whitespace-nowrap">
    {words}
  </time>
);

export function Ago({ at }: { at: string | number | Date }) {
  const now = useNow();
  const date = new Date(at);
  return timeOf(date, agoText(date.getTime() - now));
}

export const Since = ({ at }: { at: string }) => (
  <>
    since <Time at={at} />
  </>
);

/** `4 s ago`, `in 2 min`. The present is up to five seconds old: an event that has just happened does not lie ahead. */
function agoText(ms: number): string {
  if (ms > -1_000 && ms < 6_000) return 'now';
  const span = durationText(Math.abs(ms));
  return ms < 0 ? `${span} ago` : `in ${span}`;
}

/** `4 h 20 min`, `35 s`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60 === 0 ? '' : ` ${minutes % 60} min`;
  return hours < 48 ? `${hours} h${rest}` : `${Math.round(hours / 24)} days`;
}

/** The present, the same for all that show it, while they do and the tab is seen. */
function createPresent(everyMs: number) {
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const listeners = new Set<() => void>();
  const listen = (tell: () => void) => {
    listeners.add(tell);
    now = Date.now();
    timer ??= setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      now = Date.now();
      for (const each of listeners) each();
    }, everyMs);
    return () => {
      listeners.delete(tell);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
  return () => useSyncExternalStore(listen, () => now);
}

export const useNow = createPresent(5_000);
export const useSecond = createPresent(1_000);

/** `5:41`: how long a call has lasted. */
export const lastsText = (since: string, now: number): string => clockText((now - Date.parse(since)) / 1_000);

export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, '0');
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}
