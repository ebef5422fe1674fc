import { readFileSync } from 'node:fs';
import { boolean, constantFrom, integer, property, record, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCalendar, isOpen, judge, nextOpening } from '../../../src/rules/calendar/calendar.ts';
import { placeOf } from '../../../src/rules/phone/place.ts';
import { readState, zonesOfState } from '../../../src/rules/phone/states.ts';
import { isOutdated, packs } from '../../../src/rules/policy/packs.ts';
import { type Policy, readPolicy } from '../../../src/rules/policy/policy.ts';
import { weekdayOf } from '../../../src/rules/time/day-rule.ts';
import { holidayOn } from '../../../src/rules/time/holidays.ts';
import { parseWindow } from '../../../src/rules/time/window.ts';
import { assert, runs } from '../../support/property.ts';

/** Whether a phone may be called at a time: cases with their sources, and a slow judge that steps minute by minute. */
const policies: Record<string, Policy> = {
  us: readPolicy({ hours: ['us-telemarketing'] }),
  ca: readPolicy({ hours: ['ca-telemarketing'] }),
  dates: readPolicy({ not_on: ['2026-12-24', 'holidays:US'] }),
};

/**
 * What each source allows: the area, the hours, from or until which date, and the source. A pack is the strictest of
 * all. Holidays are among the cases.
 */
const sources = `
US 08:00-21:00 # 47 CFR 64.1200(c)(1)
US-AL mon-sat=08:00-20:00 # vendor
US-CA 09:00-21:00 # Pub. Util. Code 2872, recorded messages
US-CT 09:00-20:00 # law firm
US-CT 09:00-21:00 # ClickPoint
US-FL 08:00-20:00 # vendor
US-IL 08:00-21:00 # 815 ILCS 413/15
US-IL 09:00-21:00 # ClickPoint, recorded messages
US-IN 09:00-20:00 # VICIdial
US-KY 10:00-21:00 # vendor
US-LA mon-sat=08:00-20:00 # R.S. 45:811
US-MA 08:00-20:00 # vendor
US-MD 08:00-20:00 # vendor
US-ME mon-fri=09:00-17:00 # vendor, automated
US-MI 09:00-21:00 # vendor
US-MN 09:00-21:00 # vendor
US-MS mon-sat=08:00-20:00 # 77-3-723
US-MS 08:00-21:00 # 77-3-603
US-NE mon-sat=00:00-24:00,sun=13:00-21:00 # ClickPoint, recorded messages
US-NM 09:00-21:00 # vendor
US-NV 09:00-20:00 # vendor
US-NV 09:00-21:00 # NRS 597.814, recorded messages
US-OK 08:00-20:00 # vendor
US-OK 09:00-21:00 # 15-755.1, recorded messages
US-OR 08:00-20:00 from=2026-01-01 # HB 3865
US-PA mon-sat=08:00-21:00,sun=13:30-21:00 until=2026-10-18 # vendor
US-PA mon-sat=09:00-19:00 from=2026-10-18 # Act 47 of 2026
US-RI mon-fri=09:00-18:00,sat=10:00-17:00 # vendor
US-SC 08:00-19:00 # 16-17-446, recorded messages
US-SD mon-fri=09:00-21:00 # 37-30-28, automated
US-SD mon-sat=00:00-24:00 # 37-30A-3
US-TX mon-sat=09:00-21:00,sun=12:00-21:00 # vendor
US-UT 09:00-20:00 # vendor
US-UT mon-sat=08:00-21:00 # 13-25a-103
US-WA 08:00-20:00 # vendor
US-WY 08:00-20:00 # vendor
CA mon-fri=09:00-21:30,sat-sun=10:00-18:00 # CRTC
CA-BC mon-fri=09:00-21:30,sat-sun=10:00-18:00 # Consumer Protection BC
CA-ON mon-fri=09:00-21:30,sat-sun=10:00-18:00 # CRTC
`
  .trim()
  .split('\n')
  .map((line) => {
    const [area = '', hours = '', dated = ''] = line.split(' ');
    const [word, date = ''] = dated.split('=');
    return {
      area,
      spans: parseWindow(hours),
      from: word === 'from' ? date : '',
      until: word === 'until' ? date : '9',
    };
  });

const cases = readFileSync(new URL('cases.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [phone, state, at, policy, allowed, source] =
      /^([^,]*),([^,]*),([^,]*),([^,]*),([^,]*),"(.*)"$/.exec(line)?.slice(1) ?? [];
    return {
      phone: phone!,
      state: state!,
      at: at!,
      policy: policy!,
      allowed: allowed === 'yes',
      source: source!,
    };
  });

describe('the packs of hours', () => {
  it('judge each case as its source says', () => {
    const wrong = cases.filter(({ phone, state, at, policy, allowed }) => {
      const known = state ? (readState(state) ?? undefined) : undefined;
      const place = placeOf(phone, { state: known });
      const found = judge(compileCalendar(null, policies[policy]!), place, Date.parse(at));
      if (!found.open && policy !== 'dates') expect(found.citation).toMatch(/./);
      return found.open !== allowed;
    });
    expect(wrong).toEqual([]);
  });

  it('allow what each source of the area allows, no more and, but for holidays, no less', () => {
    const calendar = compileCalendar(null, readPolicy({ hours: packs.map(({ name }) => name) }))!;
    const areas = [...new Set(sources.map(({ area }) => area))].filter((area) => area.includes('-'));
    const first = Date.parse('2025-10-01T00:00:00Z');
    assert(
      property(integer({ min: 0, max: 600 }), (day) => {
        // Each half hour, and the minute before it.
        for (let half = 0; half < 96; half++)
          for (const area of areas)
            agrees(area, first + day * 86_400_000 + (half >> 1) * 1_800_000 - (half % 2) * 60_000);
      }),
      { numRuns: runs(40) },
    );

    function agrees(area: string, at: number) {
      const [zone = ''] = zonesOfState(area);
      const [today = ''] = localTime(zone, at);
      const forbids = sources
        .filter(({ area: of, from, until }) => area.startsWith(of) && today >= from && today < until)
        .some(({ spans }) => !spans.some((span) => isOpenSlowly(span, [], zone, at)));
      const place = `${zone};${area}`;
      if (isOpen(calendar, place, at) === !forbids) return;
      const found = judge(calendar, place, at);
      expect([new Date(at).toISOString(), forbids, found]).toEqual([
        expect.anything(),
        false,
        expect.objectContaining({ text: expect.stringContaining('; it is ') }),
      ]);
    }
  });

  it('are outdated half a year after they were last compared with their sources', () => {
    for (const pack of packs) {
      const day = (n: number) => Date.parse(pack.asOf) + n * 86_400_000;
      expect([isOutdated(pack, day(0)), isOutdated(pack, day(183)), isOutdated(pack, day(184))]).toEqual([
        false,
        false,
        true,
      ]);
    }
  });
});

it('Easter is where the table of other countries has it, in every year', () => {
  for (let year = 2025; year <= 2040; year++) {
    const days = Array.from({ length: 366 }, (_, i) => Date.UTC(year, 0, 1) / 86_400_000 + i);
    const friday = days.find((day) => holidayOn('US-PA', day) === 'Good Friday')!;
    expect([year, holidayOn('CA', friday), weekdayOf(friday)]).toEqual([year, 'a public holiday', 5]);
  }
});

it('an opening is where a judge that steps minute by minute finds it, over clock changes, leap days and moved zones', () => {
  const minute = 60_000;
  const starts = [
    '2026-03-07T20:00:00Z',
    '2026-10-31T20:00:00Z',
    '2028-02-28T00:00:00Z',
    // Samoa left out a day; Lord Howe moves by half an hour; Volgograd moved for good.
    '2011-12-29T00:00:00Z',
    '2026-04-04T12:00:00Z',
    '2020-12-26T12:00:00Z',
  ].map((text) => Date.parse(text));
  const zones = ['America/New_York', 'Pacific/Apia', 'Australia/Lord_Howe', 'Europe/Volgograd', 'UTC'];
  const days = uniqueArray(integer({ min: 1, max: 7 }), { minLength: 3 });
  const span = record({ from: integer({ min: 0, max: 1439 }), length: integer({ min: 1, max: 1440 }), days });
  assert(
    property(
      constantFrom(...starts),
      integer({ min: 0, max: 2_880 }),
      uniqueArray(constantFrom(...zones), { minLength: 1, maxLength: 2 }),
      span,
      boolean(),
      (start, shift, where, { from, length, days: open }, leap) => {
        const hours = [{ from, to: from + length, days: open }];
        const notOn = leap ? ['2028-02-29', '2026-03-08'] : [];
        const calendar = compileCalendar({ hours, notOn }, null);
        const at = start + shift * minute;
        const opens = nextOpening(calendar, where.join(), at);
        for (let time = at; time < at + 1_440 * minute; time += minute) {
          const slow = where.every((zone) => isOpenSlowly(hours[0]!, notOn, zone, time));
          expect(isOpen(calendar, where.join(), time), new Date(time).toISOString()).toBe(slow);
          if (!slow) continue;
          expect(opens).toBe(time);
          return;
        }
        expect(opens === null || opens >= at + 1_440 * minute).toBe(true);
      },
    ),
    { numRuns: runs(60) },
  );
});

const formats = new Map<string, Intl.DateTimeFormat>();

const times = new Map<string, string[]>();

/** The date and the time of day, from the clock of Intl. */
function localTime(timeZone: string, at: number): string[] {
  const key = timeZone + at;
  const known = times.get(key);
  if (known) return known;
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(timeZone, format);
  if (times.size > 2_000) times.clear();
  times.set(key, format.format(at).split(' '));
  return times.get(key)!;
}

/** The same in another way: only the clock of Intl, one minute at a time. */
function isOpenSlowly(
  { from, to, days }: { from: number; to: number; days: readonly number[] },
  notOn: readonly string[],
  timeZone: string,
  at: number,
): boolean {
  const [date = '', time = ''] = localTime(timeZone, at);
  if (notOn.includes(date)) return false;
  const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
  const weekday = new Date(`${date}T12:00:00Z`).getUTCDay() || 7;
  const before = weekday === 1 ? 7 : weekday - 1;
  const today = days.includes(weekday) && minutes >= from && minutes < to;
  return today || (days.includes(before) && minutes + 1_440 >= from && minutes + 1_440 < to);
}
