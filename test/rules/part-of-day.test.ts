import { array, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCalendar, isOpen, nextOpening } from '../../src/rules/calendar/calendar.ts';
import { dayPartAt, spreadFrom } from '../../src/rules/part-of-day.ts';
import type { Span } from '../../src/rules/time/window.ts';
import { assert } from '../support/property.ts';

const at = (text: string) => Date.parse(text);
const hour = 3_600_000;
const week = [1, 2, 3, 4, 5, 6, 7];
const always = (from: number) => from;
const calendarOf = (window: Span) => compileCalendar({ hours: [window] }, null);
const within = (window: Span, zone: string) => (from: number) => nextOpening(calendarOf(window), zone, from);

describe('the part of a person’s day', () => {
  it('goes by the clock of the zone, and is none at night', () => {
    const names = ['07:59', '08:00', '10:59', '11:00', '14:00', '17:00', '20:59', '21:00', '03:00'].map(
      (time) => dayPartAt('America/New_York', at(`2026-01-15T${time}:00-05:00`))?.name ?? null,
    );
    expect(names).toEqual([
      null,
      'morning',
      'morning',
      'midday',
      'afternoon',
      'evening',
      'evening',
      null,
      null,
    ]);
  });
});

describe('an attempt that is spread', () => {
  it('comes in the next part that was not tried, and not before its delay', () => {
    const morning = at('2026-03-02T09:00:00+01:00');
    expect(spreadFrom(morning + hour / 2, 'Europe/Berlin', [morning], always)).toBe(
      at('2026-03-02T11:00:00+01:00'),
    );
    const later = at('2026-03-02T15:10:00+01:00');
    expect(spreadFrom(later, 'Europe/Berlin', [morning], always)).toBe(later);
  });

  it('comes after several tries in the part that had fewest, even on the next day', () => {
    const tries = ['09:00', '12:00', '18:00'].map((time) => at(`2026-03-02T${time}:00Z`));
    expect(spreadFrom(at('2026-03-02T19:00:00Z'), 'Etc/UTC', tries, always)).toBe(at('2026-03-03T14:00:00Z'));
  });

  it('leaves the part of the last try even when the others were tried more often', () => {
    const evenings = within({ from: 17 * 60, to: 22 * 60, days: [1] }, 'Etc/UTC');
    const both = within({ from: 10 * 60, to: 12 * 60, days: week }, 'Etc/UTC');
    const tries = ['2026-03-02T10:00:00Z', '2026-03-03T10:00:00Z', '2026-03-04T11:00:00Z'].map(at);
    expect(spreadFrom(at('2026-03-04T11:30:00Z'), 'Etc/UTC', tries, both)).toBe(at('2026-03-05T10:00:00Z'));
    // Only evenings are allowed, so the delay decides.
    const due = at('2026-03-02T18:30:00Z');
    expect(spreadFrom(due, 'Etc/UTC', [at('2026-03-02T18:00:00Z')], evenings)).toBe(due);
  });

  it('does not lead into the night where no window says so', () => {
    const evening = at('2026-03-02T20:00:00Z');
    expect(spreadFrom(evening + hour, 'Etc/UTC', [evening], always)).toBe(at('2026-03-03T08:00:00Z'));
  });

  it('keeps to the local clock when it changes in between', () => {
    const newYork = 'America/New_York';
    const before = at('2026-03-07T18:00:00-05:00');
    const window = { from: 9 * 60, to: 20 * 60, days: week };
    expect(spreadFrom(before + hour, newYork, [before], within(window, newYork))).toBe(
      at('2026-03-08T09:00:00-04:00'),
    );
    const autumn = at('2026-10-31T18:00:00-04:00');
    expect(spreadFrom(autumn + hour, newYork, [autumn], within(window, newYork))).toBe(
      at('2026-11-01T09:00:00-05:00'),
    );
  });

  it('is never before its time, never in the part of the last try where there is another, and in an open hour', () => {
    const zones = [
      'America/New_York',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Pacific/Apia',
      'Europe/Berlin',
    ];
    const times = integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') });
    assert(
      property(
        constantFrom(...zones),
        times,
        array(integer({ min: 1, max: 72 }), { minLength: 1, maxLength: 6 }),
        integer({ min: 0, max: 48 }),
        (zone, start, gaps, delay) => {
          const window = { from: 9 * 60, to: 18 * 60, days: week };
          const tries = gaps.map((_, i) => start + gaps.slice(0, i).reduce((a, b) => a + b, 0) * hour);
          const due = tries.at(-1)! + delay * hour;
          const next = spreadFrom(due, zone, tries, within(window, zone));
          expect(next).toBeGreaterThanOrEqual(due);
          expect(next - due).toBeLessThan(49 * hour);
          expect(isOpen(calendarOf(window), zone, next)).toBe(true);
          expect(dayPartAt(zone, next)).not.toBe(dayPartAt(zone, tries.at(-1)!));
        },
      ),
    );
  });
});
