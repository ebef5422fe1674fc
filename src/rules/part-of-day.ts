import { compileCalendar, isOpen, nextOpening } from './calendar/calendar.ts';
import { everyDay } from './time/window.ts';

/**
 * Chooses another part of the day for the next attempt: a person who does not answer in the morning may answer in the
 * evening. The parts leave out the night, so that a campaign without a window does not call then.
 */
const dayParts = [
  { name: 'morning', from: 8 * 60, to: 11 * 60 },
  { name: 'midday', from: 11 * 60, to: 14 * 60 },
  { name: 'afternoon', from: 14 * 60, to: 17 * 60 },
  { name: 'evening', from: 17 * 60, to: 21 * 60 },
] as const;
type DayPart = (typeof dayParts)[number];

const calendars = new Map(
  dayParts.map((part) => [part, compileCalendar({ hours: [{ ...part, days: everyDay }] }, null)]),
);

/** How far ahead another part of the day is looked for; the same as for a window. */
const horizonMs = 8 * 86_400_000;

/** The part of the local day at an instant; null at night. */
export function dayPartAt(zone: string, at: number): DayPart | null {
  return dayParts.find((part) => isOpen(calendars.get(part)!, zone, at)) ?? null;
}

/**
 * The first time from `due` on in another part of the day than the last try: the part tried least, or the earliest of
 * several. `opens` is the next time at which calls are allowed. If the hours leave only the part of the last try, it is
 * `due`.
 */
export function spreadFrom(
  due: number,
  zone: string,
  tried: readonly number[],
  opens: (from: number) => number | null,
): number {
  const partsTried = tried.map((at) => dayPartAt(zone, at));
  const last = partsTried.at(-1);
  const choices = dayParts
    .filter((part) => part !== last)
    .map((part) => ({
      times: partsTried.filter((other) => other === part).length,
      at: firstIn(part, zone, due, opens),
    }))
    .filter((choice): choice is { times: number; at: number } => choice.at !== null)
    .sort((a, b) => a.times - b.times || a.at - b.at);
  return choices[0]?.at ?? due;
}

function firstIn(
  part: DayPart,
  zone: string,
  due: number,
  opens: (from: number) => number | null,
): number | null {
  const hours = calendars.get(part)!;
  for (let at = due; at <= due + horizonMs; ) {
    const open = opens(at);
    const inPart = open === null ? null : nextOpening(hours, zone, open);
    if (inPart === null || inPart === open) return inPart;
    at = inPart;
  }
  return null;
}
