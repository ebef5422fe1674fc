import { readPlace } from '../phone/place.ts';
import { packRules } from '../policy/pack-rules.ts';
import { packNamed } from '../policy/packs.ts';
import type { Policy, PolicyInForce } from '../policy/policy.ts';
import { dateRule } from '../time/dates.ts';
import {
  type ClockRule,
  closesIn,
  type DayRule,
  dayIn,
  type Minutes,
  nowhere,
  opensIn,
  type Why,
  weekdayOf,
} from '../time/day-rule.ts';
import type { Span } from '../time/window.ts';

/** The hours that an order and the policy allow, compiled once and used for many places. */

/** The part of an order that depends on the clock; null for a campaign without any. */
export type Times = {
  /** The window: the hours of the week in which people are called; every hour if it is missing. */
  hours?: readonly Span[];
  /** Dates (`2026-12-24`) and the holidays of a country (`holidays:US`). */
  notOn?: readonly string[];
  /** RFC 3339 in UTC: nobody is called before the start, or from the end on. */
  startAt?: string;
  endAt?: string;
  /** Set for single calls that a person ordered in spite of the contact rules. */
  ignoresPolicy?: true;
};

export type Calendar = {
  startAt: number;
  endAt: number;
  rules: readonly DayRule[];
  /** Only times that stay open this long count as open: a service may dial so much later than it was asked to. */
  lastingMs: number;
  /** The calendar's rules for each place that was asked for. */
  places: Map<string, Sight>;
};
type Sight = { zones: readonly string[]; rules: readonly DayRule[] };

/** `until`: when that changes; null when it does not within eight days, or never opens. */
export type Judgement =
  | { open: true; until: number | null }
  | ({ open: false; rule: ClockRule; until: number | null } & Why);

const dayMs = 86_400_000;
/** A closing is looked for this far ahead, an opening further: hours may begin with summer time or a new year. */
const closingHorizon = 8 * dayMs;
const openingHorizon = 400 * dayMs;
const mostPlaces = 5_000;

/** Null when nothing depends on the clock: everybody may then be called at any time. */
export function compileCalendar(times: Times | null, inForce: Policy | null, lastingMs = 0): Calendar | null {
  const { hours, notOn = [], startAt, endAt, ignoresPolicy } = times ?? {};
  const policy = ignoresPolicy ? null : inForce;
  const rules: DayRule[] = [];
  if (hours && !isAlwaysOpen(hours)) rules.push(windowRule(hours));
  const dates = [...notOn, ...(policy?.notOn ?? [])];
  if (dates.length > 0) rules.push(dateRule(dates));
  for (const name of policy?.hours ?? []) rules.push(...packRules(packNamed(name)!));
  if (rules.length === 0 && !startAt && !endAt) return null;
  return {
    startAt: startAt ? Date.parse(startAt) : Number.NEGATIVE_INFINITY,
    endAt: endAt ? Date.parse(endAt) : Number.POSITIVE_INFINITY,
    rules,
    lastingMs,
    places: new Map(),
  };
}

/** The calendars of a process: each order's is compiled once under the policy in force. */
type CalendarOf = (times: Times | null) => Calendar | null;

const mostKept = 1_000;

export function createCalendars(policyInForce: PolicyInForce, lastingMs = 0): CalendarOf {
  let policy: Policy | null = null;
  const made = new Map<string, Calendar | null>();
  return (times) => {
    const now = policyInForce();
    if (now !== policy || made.size >= mostKept) made.clear();
    policy = now;
    const key = JSON.stringify(times);
    const known = made.get(key);
    if (known !== undefined) return known;
    const calendar = compileCalendar(times, policy, lastingMs);
    made.set(key, calendar);
    return calendar;
  };
}

export function isOpen(calendar: Calendar | null, place: string, at: number): boolean {
  return mayRing(calendar, place, at) && (!calendar || closesTooSoon(calendar, place, at) === null);
}

/** The places that are open now; null without a calendar, when all are. */
export function openPlaces(
  calendar: Calendar | null,
  places: readonly string[] | null,
  at: number,
): string[] | null {
  return calendar && (places ?? []).filter((place) => isOpen(calendar, place, at));
}

/** Whether a call that was already asked for may ring, however soon it closes. */
export function mayRing(calendar: Calendar | null, place: string, at: number): boolean {
  if (!calendar) return true;
  if (at < calendar.startAt || at >= calendar.endAt) return false;
  const { zones, rules } = sightOf(calendar, place);
  return rules.every((rule) => zonesFor(rule, zones).every((zone) => opensIn(rule, zone, at, at) === at));
}

/** When it closes, if that is sooner than it must last; else null. */
function closesTooSoon(calendar: Calendar, place: string, at: number): number | null {
  if (calendar.lastingMs === 0) return null;
  const closes = nextClosing(calendar, place, at);
  return closes !== null && closes - at < calendar.lastingMs ? closes : null;
}

/** The next instant at which everything is open, `at` itself when it is. Null if there is none within 400 days. */
export function nextOpening(calendar: Calendar | null, place: string, at: number): number | null {
  if (!calendar) return at;
  for (let from = at; ; ) {
    const opens = nextShared(calendar, place, from);
    const closes = opens === null ? null : closesTooSoon(calendar, place, opens);
    if (closes === null) return opens;
    if (closes >= calendar.endAt || closes > at + openingHorizon) return null;
    from = closes;
  }
}

/** The next instant that is open in all of its zones and by all of its rules, however soon it closes. */
function nextShared(calendar: Calendar, place: string, at: number): number | null {
  const { zones, rules } = sightOf(calendar, place);
  const first = Math.max(at, calendar.startAt);
  // An end may be far away, but nothing opens after it.
  const end = Math.min(first + openingHorizon, calendar.endAt - 1);
  // The latest of the rules' own openings is the earliest that all can share: go there and check all again.
  for (let from = first; from <= end; ) {
    let latest = from;
    for (const rule of rules) {
      for (const zone of zonesFor(rule, zones)) {
        latest = opensIn(rule, zone, latest, end);
        if (latest > end) return null;
      }
    }
    if (latest === from) return from;
    from = latest;
  }
  return null;
}

/** The next instant at which something is closed, `at` itself when it is. Null if there is none within eight days. */
export function closesAt(calendar: Calendar | null, place: string, at: number): number | null {
  if (!calendar) return null;
  const closes = nextClosing(calendar, place, at);
  return closes === null ? null : Math.max(at, closes - calendar.lastingMs);
}

function nextClosing(calendar: Calendar, place: string, at: number): number | null {
  const { zones, rules } = sightOf(calendar, place);
  if (at < calendar.startAt) return at;
  let first = Math.min(at + closingHorizon + 1, Math.max(at, calendar.endAt));
  for (const rule of rules) {
    for (const zone of zonesFor(rule, zones)) first = Math.min(first, closesIn(rule, zone, at, first));
  }
  return first > at + closingHorizon ? null : first;
}

/**
 * The rule that decides at an instant: of several closed ones the last to open, because that is the one to wait for.
 */
export function judge(calendar: Calendar | null, place: string, at: number): Judgement {
  if (!calendar) return { open: true, until: null };
  if (at >= calendar.endAt) return ended(calendar);
  const soon = closesTooSoon(calendar, place, at);
  if (soon !== null && soon >= calendar.endAt) return ended(calendar);
  // If it closes too soon, the rule that closes it is reported.
  const closed = lastToOpen(calendar, place, soon ?? at);
  if (!closed && at >= calendar.startAt) return { open: true, until: closesAt(calendar, place, at) };
  const until = nextOpening(calendar, place, at);
  if (!closed || at < calendar.startAt) {
    const text = `the campaign starts at ${new Date(calendar.startAt).toISOString()}`;
    return { open: false, rule: 'start', text, citation: null, until };
  }
  const { rule, zone } = closed;
  return { open: false, rule: rule.word, ...rule.why(dayIn(zone, at)), until };
}

function ended({ endAt }: Calendar): Judgement {
  const text = `the campaign ended at ${new Date(endAt).toISOString()}`;
  return { open: false, rule: 'ended', text, citation: null, until: null };
}

/** The beginning of the reason that such a row shows. */
export const neverWords = 'can never be called:';

/** Null if it ever opens; else the reason that the row shows. */
export function neverOpens(calendar: Calendar | null, place: string, at: number): string | null {
  if (!calendar || nextOpening(calendar, place, at) !== null) return null;
  return `${neverWords} ${whyNever(calendar, place, at)}`;
}

function whyNever(calendar: Calendar, place: string, at: number): string {
  const { endAt, startAt } = calendar;
  const ends = new Date(Number.isFinite(endAt) ? endAt : 0).toISOString();
  if (at >= endAt) return `the campaign ended at ${ends}`;
  const { zones, rules } = sightOf(calendar, place);
  const byHours = rules.filter((rule) => !rule.byDate);
  if (zones.length === 0 && byHours.length > 0) {
    return 'its number belongs to no place, so its local time is unknown; give it a time zone';
  }
  // If it could open without the end and the dates, they are the reason.
  const unending = { ...calendar, endAt: Number.POSITIVE_INFINITY, places: new Map() };
  if (nextOpening(unending, place, at) !== null) return `no hour is open for it before the end at ${ends}`;
  const hoursOnly = { ...unending, rules: calendar.rules.filter((rule) => !rule.byDate), places: new Map() };
  if (nextOpening(hoursOnly, place, Math.max(at, startAt)) !== null)
    return 'nobody may be called on any date that is left';
  const laws = rules.filter((rule) => rule.word === 'legal-hours');
  const everywhere = zones.length === 1 ? zones[0] : `all ${zones.length} time zones of its number`;
  if (laws.length === 0) {
    return `the window is never open in all ${zones.length} time zones of its number at once; give it a time zone`;
  }
  const states = readPlace(place).states.join(', ');
  if (!rules.some((rule) => rule.word === 'window')) {
    return `the legal hours of ${states} are never open at once in ${everywhere}`;
  }
  return `the window and the legal hours of ${states} never overlap in ${everywhere}`;
}

/** The rule that opens last among those that are closed now, and in which zone; null when everything is open. */
function lastToOpen(calendar: Calendar, place: string, at: number): { rule: DayRule; zone: string } | null {
  const { zones, rules } = sightOf(calendar, place);
  let latest = at;
  let last: { rule: DayRule; zone: string } | null = null;
  for (const rule of rules) {
    for (const zone of zonesFor(rule, zones)) {
      const opens = opensIn(rule, zone, at, at + openingHorizon);
      if (opens > latest) {
        latest = opens;
        last = { rule, zone };
      }
    }
  }
  return last;
}

function sightOf(calendar: Calendar, text: string): Sight {
  const known = calendar.places.get(text);
  if (known) return known;
  const { zones, states } = readPlace(text);
  const sight = { zones, rules: calendar.rules.filter((rule) => rule.binds(states)) };
  if (calendar.places.size >= mostPlaces) calendar.places.clear();
  calendar.places.set(text, sight);
  return sight;
}

/** A number that belongs to no place: hours are closed for it, and a date counts while it is that date anywhere. */
const wholeEarth = ['Etc/GMT+12', 'Etc/GMT-14'];
function zonesFor(rule: DayRule, zones: readonly string[]): readonly string[] {
  if (zones.length > 0) return zones;
  return rule.byDate ? wholeEarth : [nowhere];
}

function isAlwaysOpen(hours: readonly Span[]): boolean {
  return hours.some(({ from, to, days }) => from === 0 && to === 1440 && days.length === 7);
}

function windowRule(hours: readonly Span[]): DayRule {
  const week = Array.from({ length: 7 }, (_, i) => spansOn(hours, i + 1));
  return {
    word: 'window',
    binds: () => true,
    open: (day) => week[weekdayOf(day) - 1]!,
    why: (): Why => ({ text: 'outside the hours of the campaign', citation: null }),
  };
}

function spansOn(hours: readonly Span[], weekday: number): Minutes[] {
  return hours.filter(({ days }) => days.includes(weekday)).map(({ from, to }) => [from, to]);
}
