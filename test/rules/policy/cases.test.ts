import { readFileSync } from 'node:fs';
import { boolean, constantFrom, integer, property, record, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCalendar, isOpen, judge, nextOpening } from '../../../src/rules/calendar/calendar.ts';
import { placeOf } from '../../../src/rules/phone/place.ts';
import { readState } from '../../../src/rules/phone/states.ts';
import { type Policy, readPolicy } from '../../../src/rules/policy/policy.ts';
import { assert, runs } from '../../support/property.ts';

/** Whether a phone may be called at a time: cases with their sources, and a slow judge that steps minute by minute. */
const policies: Record<string, Policy> = {
  us: readPolicy({ hours: ['us-telemarketing'] }),
  ca: readPolicy({ hours: ['ca-telemarketing'] }),
  dates: readPolicy({ not_on: ['2026-12-24', 'holidays:US'] }),
};

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

describe('the cases with their sources', () => {
  it('are at least 200, and each is judged as its source says', () => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
    const wrong = cases.filter(({ phone, state, at, policy, allowed }) => {
      const known = state ? (readState(state) ?? undefined) : undefined;
      const place = placeOf(phone, { state: known });
      const found = judge(compileCalendar(null, policies[policy]!), place, Date.parse(at));
      if (!found.open && policy !== 'dates') expect(found.citation).toMatch(/./);
      return found.open !== allowed;
    });
    expect(wrong).toEqual([]);
  });
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

/** The same in another way: only the clock of Intl, one minute at a time. */
function isOpenSlowly(
  { from, to, days }: { from: number; to: number; days: number[] },
  notOn: readonly string[],
  timeZone: string,
  at: number,
): boolean {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(timeZone, format);
  const [date = '', time = ''] = format.format(at).split(' ');
  if (notOn.includes(date)) return false;
  const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
  const weekday = new Date(`${date}T12:00:00Z`).getUTCDay() || 7;
  const before = weekday === 1 ? 7 : weekday - 1;
  const today = days.includes(weekday) && minutes >= from && minutes < to;
  return today || (days.includes(before) && minutes + 1_440 >= from && minutes + 1_440 < to);
}
