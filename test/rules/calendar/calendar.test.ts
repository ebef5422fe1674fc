import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as calendar from '../../../src/rules/calendar/calendar.ts';
import type { Span } from '../../../src/rules/time/window.ts';
import { isZone } from '../../../src/rules/time/zone-clock.ts';
import { assert, runs } from '../../support/property.ts';

const minute = 60_000;
const hour = 60 * minute;
const week = [1, 2, 3, 4, 5, 6, 7];
const workdays = [1, 2, 3, 4, 5];
const at = (text: string) => Date.parse(text);
const of = (span: Span | null) => calendar.compileCalendar(span && { hours: [span] }, null);
const isOpen = (span: Span | null, zones: readonly string[], time: number) =>
  calendar.isOpen(of(span), zones.join(), time);
const nextOpening = (span: Span | null, zones: readonly string[], time: number) =>
  calendar.nextOpening(of(span), zones.join(), time);
const closesAt = (span: Span | null, zones: readonly string[], time: number) =>
  calendar.closesAt(of(span), zones.join(), time);

test('a zone is known by its name in the database, never by an abbreviation or an offset', () => {
  for (const name of ['America/New_York', 'Europe/Kyiv', 'Asia/Kolkata', 'UTC', 'US/Pacific']) {
    expect(isZone(name), name).toBe(true);
  }
  for (const name of ['EST', 'PST', 'CST', 'IST', 'MST', '+05:30', 'America/Gotham', '', ' ', 'New York']) {
    expect(isZone(name), name).toBe(false);
  }
});

describe('a window', () => {
  const office: Span = { from: 540, to: 1200, days: workdays };

  test('is open by the clock and the date of the zone', () => {
    // Friday 23:30 in Berlin is Friday afternoon in New York and Saturday morning in Tokyo.
    const moment = at('2026-01-09T22:30:00Z');
    expect(isOpen(office, ['America/New_York'], moment)).toBe(true);
    expect(isOpen(office, ['Europe/Berlin'], moment)).toBe(false);
    expect(isOpen(office, ['Asia/Tokyo'], moment)).toBe(false);
    expect(isOpen(office, ['America/New_York', 'Europe/Berlin'], moment)).toBe(false);
  });

  test('starts with its first minute and ends before its end time', () => {
    expect(isOpen(office, ['UTC'], at('2026-01-09T09:00:00Z'))).toBe(true);
    expect(isOpen(office, ['UTC'], at('2026-01-09T08:59:59.999Z'))).toBe(false);
    expect(isOpen(office, ['UTC'], at('2026-01-09T19:59:59.999Z'))).toBe(true);
    expect(isOpen(office, ['UTC'], at('2026-01-09T20:00:00Z'))).toBe(false);
  });

  test('opens next on Monday when Friday is over, and closes that evening', () => {
    const opens = nextOpening(office, ['America/New_York'], at('2026-01-10T03:17:11.123Z'));
    expect(opens).toBe(at('2026-01-12T14:00:00Z'));
    expect(closesAt(office, ['America/New_York'], opens!)).toBe(at('2026-01-13T01:00:00Z'));
  });

  test('follows clock changes', () => {
    const early: Span = { from: 150, to: 200, days: week };
    // 02:30 does not exist in New York on 8 March 2026: the clocks go from 02:00 to 03:00.
    const opens = nextOpening(early, ['America/New_York'], at('2026-03-08T06:00:00Z'));
    expect(opens).toBe(at('2026-03-08T07:00:00Z'));
    expect(closesAt(early, ['America/New_York'], opens!)).toBe(at('2026-03-08T07:20:00Z'));
    // 01:30 comes twice on 1 November.
    const twice: Span = { from: 60, to: 90, days: week };
    expect(closesAt(twice, ['America/New_York'], at('2026-11-01T05:10:00Z'))).toBe(
      at('2026-11-01T05:30:00Z'),
    );
    expect(nextOpening(twice, ['America/New_York'], at('2026-11-01T05:40:00Z'))).toBe(
      at('2026-11-01T06:00:00Z'),
    );
  });

  test('waits for the hours that all zones share, or reports that there are none', () => {
    const zones = ['America/New_York', 'America/Los_Angeles'];
    expect(nextOpening(office, zones, at('2026-01-12T14:00:00Z'))).toBe(at('2026-01-12T17:00:00Z'));
    expect(closesAt(office, zones, at('2026-01-12T17:00:00Z'))).toBe(at('2026-01-13T01:00:00Z'));
    const short: Span = { from: 540, to: 600, days: week };
    expect(nextOpening(short, ['Europe/London', 'Asia/Tokyo'], at('2026-01-12T00:00:00Z'))).toBeNull();
  });

  test('that never closes, or no window at all, is open for everyone', () => {
    const always: Span = { from: 0, to: 1440, days: week };
    for (const window of [always, null]) {
      expect(isOpen(window, [], 5)).toBe(true);
      expect(nextOpening(window, [], 5)).toBe(5);
      expect(closesAt(window, ['UTC'], 5)).toBeNull();
    }
  });

  test('is closed when the time zone is unknown', () => {
    expect(isOpen(office, [], at('2026-01-12T12:00:00Z'))).toBe(false);
    expect(nextOpening(office, [], at('2026-01-12T12:00:00Z'))).toBeNull();
    expect(closesAt(office, [], 7)).toBe(7);
  });
});

test('where the service may dial later than it is asked to, only what stays open for so long is open', () => {
  const lasting = fc.integer({ min: 1, max: 90 }).map((minutes) => minutes * minute);
  const moment = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') });
  const span = fc
    .record({ from: fc.integer({ min: 0, max: 1380 }), length: fc.integer({ min: 1, max: 200 }) })
    .map(({ from, length }): Span => ({ from, to: Math.min(1440, from + length), days: workdays }));
  assert(
    fc.property(span, lasting, moment, (open, ms, from) => {
      const times = { hours: [open] };
      const [plain, early] = [
        calendar.compileCalendar(times, null),
        calendar.compileCalendar(times, null, ms),
      ];
      const lasts = (time: number) => {
        const closes = calendar.closesAt(plain, 'Europe/Berlin', time);
        return calendar.isOpen(plain, 'Europe/Berlin', time) && (closes === null || closes - time >= ms);
      };
      const opens = calendar.nextOpening(early, 'Europe/Berlin', from);
      // A window that is shorter never opens.
      if ((open.to - open.from) * minute < ms) {
        expect(opens).toBeNull();
        return;
      }
      expect(lasts(opens!)).toBe(true);
      for (let time = from; time < opens!; time += 61 * minute) expect(lasts(time)).toBe(false);
      const judged = calendar.judge(early, 'Europe/Berlin', from);
      expect(judged).toMatchObject(
        lasts(from)
          ? { open: true, until: calendar.closesAt(plain, 'Europe/Berlin', from)! - ms }
          : { open: false, rule: 'window', until: opens },
      );
      expect(calendar.isOpen(early, 'Europe/Berlin', from)).toBe(lasts(from));
    }),
    { numRuns: runs(300) },
  );
});

test('an opening is open and nothing before it is; a closing is closed and all before it is open', () => {
  const zones = fc.uniqueArray(
    fc.constantFrom(
      'UTC',
      'America/New_York',
      'America/St_Johns',
      'Europe/Berlin',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
      'Pacific/Kiritimati',
      'Pacific/Pago_Pago',
      'America/Santiago',
    ),
    { minLength: 1, maxLength: 3 },
  );
  const window = fc
    .record({
      from: fc.integer({ min: 0, max: 1439 }),
      length: fc.integer({ min: 1, max: 1440 }),
      days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
    })
    .map(({ from, length, days }) => ({ from, to: Math.min(1440, from + length), days: days.sort() }));
  const moment = fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') });
  assert(
    fc.property(window, zones, moment, (open, where, from) => {
      const opens = nextOpening(open, where, from);
      const until = opens ?? from + 8 * 24 * hour;
      if (opens !== null) expect(localOpen(open, where, opens)).toBe(true);
      // A prime step reaches every minute of the day in the long run, and each minute near the end is checked.
      for (let time = from; time < until; time += 37 * minute)
        expect(localOpen(open, where, time)).toBe(false);
      for (let back = 1; back <= 90; back++) {
        if (until - back * minute >= from) expect(localOpen(open, where, until - back * minute)).toBe(false);
      }
      if (opens === null) return;
      const closes = closesAt(open, where, opens) ?? opens + 8 * 24 * hour;
      if (closes < opens + 8 * 24 * hour) expect(localOpen(open, where, closes)).toBe(false);
      for (let time = opens; time < closes; time += 37 * minute)
        expect(localOpen(open, where, time)).toBe(true);
      expect(localOpen(open, where, closes - minute)).toBe(true);
    }),
    { numRuns: runs(300) },
  );
});

const formats = new Map<string, Intl.DateTimeFormat>();

/** The same check in another way, only with Intl. */
function localOpen(window: Span, zones: readonly string[], time: number): boolean {
  return zones.every((timeZone) => {
    let format = formats.get(timeZone);
    if (!format) {
      format = new Intl.DateTimeFormat('en-GB', {
        timeZone,
        weekday: 'short',
        hour: '2-digit',
        minute: '2-digit',
      });
      formats.set(timeZone, format);
    }
    const [, day, hours, minutes] =
      /(\w{3}).* (\d\d):(\d\d)/.exec(`${format.format(time).replace(',', ' ')}`) ?? [];
    const weekday = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(day ?? '') + 1;
    const local = Number(hours) * 60 + Number(minutes);
    return window.days.includes(weekday) && local >= window.from && local < window.to;
  });
}

describe('the times of an order', () => {
  const zone = 'America/New_York';
  const judge = (times: calendar.Times, time: string, place = zone) =>
    calendar.judge(calendar.compileCalendar(times, null), place, at(time));

  test('hours that end after midnight belong to the day on which they begin', () => {
    const hours = [{ from: 1200, to: 1560, days: [5] }];
    expect(judge({ hours }, '2026-01-10T01:59:00-05:00')).toMatchObject({ open: true });
    expect(judge({ hours }, '2026-01-10T02:00:00-05:00')).toMatchObject({ open: false, rule: 'window' });
    expect(judge({ hours }, '2026-01-09T01:00:00-05:00')).toMatchObject({
      open: false,
      until: at('2026-01-09T20:00:00-05:00'),
    });
  });

  test('a date is the person’s own: it is closed for the whole local day', () => {
    const times = { notOn: ['2026-12-24', 'holidays:US'] };
    expect(judge(times, '2026-12-23T23:59:00-05:00')).toEqual({
      open: true,
      until: at('2026-12-24T00:00:00-05:00'),
    });
    expect(judge(times, '2026-12-24T00:00:00-05:00')).toMatchObject({
      open: false,
      rule: 'date',
      citation: '2026-12-24',
      until: at('2026-12-26T00:00:00-05:00'),
    });
    expect(judge(times, '2026-12-24T03:00:00Z')).toMatchObject({ open: true });
    // A number of no place is not called while it is that date anywhere on earth.
    expect(judge(times, '2026-12-23T11:00:00Z', '')).toMatchObject({ open: false, rule: 'date' });
    expect(judge(times, '2026-12-23T09:00:00Z', '')).toMatchObject({ open: true });
  });

  test('nobody is called before the start, nor from the end on', () => {
    const times = { startAt: '2026-03-01T00:00:00.000Z', endAt: '2026-03-02T00:00:00.000Z' };
    expect(judge(times, '2026-02-28T23:59:59Z')).toMatchObject({
      open: false,
      rule: 'start',
      until: at(times.startAt),
    });
    expect(judge(times, '2026-03-01T00:00:00Z')).toEqual({ open: true, until: at(times.endAt) });
    expect(judge(times, '2026-03-02T00:00:00Z')).toMatchObject({ open: false, rule: 'ended', until: null });
    const never = (more: calendar.Times, place = zone) =>
      calendar.neverOpens(
        calendar.compileCalendar({ ...times, ...more }, null),
        place,
        at('2026-03-01T00:00:00Z'),
      );
    expect(never({})).toBeNull();
    expect(never({ notOn: ['2026-02-28', '2026-03-01', '2026-03-02'] })).toMatch(
      /before the end at 2026-03-02/,
    );
    expect(never({ hours: [{ from: 1200, to: 1260, days: week }] }, 'UTC')).toBeNull();
    expect(never({ hours: [{ from: 1200, to: 1260, days: [1] }] }, 'UTC')).toMatch(
      /no hour is open for it before/,
    );
  });

  test('the earlier of two holidays that are observed on another day closes both', () => {
    const times = { notOn: ['holidays:US'] };
    // 4 July 2026 is a Saturday: Friday is observed. 1 January 2028 is a Saturday: so is 31 December 2027.
    for (const closed of [
      '2026-07-03',
      '2026-07-04',
      '2027-12-31',
      '2028-01-01',
      '2026-11-26',
      '2026-05-25',
    ]) {
      expect(judge(times, `${closed}T12:00:00-05:00`), closed).toMatchObject({ open: false, rule: 'date' });
    }
    for (const open of ['2026-07-02', '2026-07-05', '2026-07-06', '2026-05-18', '2026-11-19', '2026-11-27']) {
      expect(judge(times, `${open}T12:00:00-05:00`), open).toMatchObject({ open: true });
    }
  });
});
