import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spanText } from '../../dashboard/src/kit/words.ts';
import { orderFields, readText, textOf } from '../../dashboard/src/order/fields.ts';
import {
  isNever,
  openPart,
  paint,
  readWeek,
  type Week,
  weekText,
  weekWords,
} from '../../dashboard/src/order/week.ts';
import { pastedList } from '../../dashboard/src/pages/new-campaign/pasted.ts';
import { stepOf } from '../../dashboard/src/pages/new-campaign/steps.ts';
import { changeOrder, type OrderInput, readOrder, showOrder } from '../../src/control/order/order.ts';
import { parseWindow } from '../../src/rules/time/window.ts';

/** The page's forms read what was typed as the API reads it. */
describe('the hours of a week', () => {
  /** Each quarter of an hour that is open. */
  const drawn = (week: Week) =>
    week.flatMap((spans, day) =>
      spans.flatMap(([from, to]) => quarters(from, to).map((quarter) => day * 96 + quarter)),
    );
  const quarters = (from: number, to: number) =>
    Array.from({ length: (to - from) / 15 }, (_, nth) => from / 15 + nth);
  const judged = (text: string) => {
    const open = parseWindow(text || '00:00-24:00').flatMap(({ from, to, days }) =>
      days.flatMap((day) => quarters(from, to).map((quarter) => ((day - 1) * 96 + quarter) % 672)),
    );
    return [...new Set(open)].sort((a, b) => a - b);
  };
  const hour = fc.record({ day: fc.nat(6), hour: fc.nat(23) });
  const strokes = fc.array(fc.tuple(hour, hour, fc.boolean()), { maxLength: 12 });

  it('are drawn as the API judges them, also over midnight and with commas between days', () => {
    for (const text of [
      '',
      '09:00-20:00',
      '22:00-02:00',
      'mon-fri=09:00-12:00+14:00-18:30,sat=10:00-16:00',
      'sun=22:15-06:00',
      'fri-mon=8-9',
      'mon,wed=9-17,sun=10-12',
    ])
      expect(drawn(readWeek(text)!), text).toEqual(judged(text));
  });

  it('are written so that the API opens what was painted', () => {
    fc.assert(
      fc.property(strokes, (painted) => {
        const week = painted.reduce<Week>((now, [a, b, isOpen]) => paint(now, a, b, isOpen), readWeek('')!);
        fc.pre(!isNever(week));
        const text = weekText(week);
        expect(readWeek(text)).toEqual(week);
        expect(drawn(week)).toEqual(judged(text));
      }),
    );
  });

  it('are not drawn where the text is not understood', () => {
    for (const text of ['soon', '09:00', '25-26', '9-9', 'mon=9-17,tue', 'xyz=9-17', 'mon=9=10', '9:70-12'])
      expect(readWeek(text), text).toBeNull();
  });

  it('are said in words, as are spans of time', () => {
    // As the viewer writes times, which may hold spaces of another width.
    const words = (...given: Parameters<typeof weekWords>) => weekWords(...given).replace(/\s/g, ' ');
    expect(words('mon-fri=9-20,sat=10-12+14-16')).toBe(
      'Mon to Fri 9:00 AM to 8:00 PM; Sat 10:00 AM to 12:00 PM and 2:00 PM to 4:00 PM',
    );
    expect(words('09:00-20:00')).toBe('every day 9:00 AM to 8:00 PM');
    expect(words('09:00-20:00', 'mon,wed')).toBe('Mon, Wed 9:00 AM to 8:00 PM');
    expect([weekWords(''), weekWords(null, 'sun')]).toEqual(['every day at any hour', 'Sun at any hour']);
    expect(weekWords('soon')).toBe('soon');
    expect(['30m', '2h', '1d', '7d', '1h30m', 'never'].map(spanText)).toEqual([
      '30 min',
      '2 h',
      '1 day',
      '7 days',
      '1 h 30 min',
      'never',
    ]);
  });

  it('tell how much of an hour is open', () => {
    const week = readWeek('mon=09:15-10:00')!;
    expect([openPart(week, 0, 9), openPart(week, 0, 10), openPart(week, 1, 9)]).toEqual([0.75, 0, 0]);
  });
});

describe('the fields of an order', () => {
  const orders = fc.record<Partial<OrderInput>>(
    {
      agent: fc.constantFrom('a', ['a=70', 'b=30']),
      from: fc.constantFrom([], ['+14155550100', '+14155550101']),
      number_ids: fc.constantFrom([], ['pn_1']),
      override: fc.constant({ voice: { speed: 1.1 }, language: 'en' }),
      window: fc.constantFrom('09:00-20:00', '22:00-02:00', '09:00-12:00+14:00-18:00'),
      days: fc.constantFrom('mon-fri', 'sat,sun'),
      not_on: fc.constant(['2026-12-24', '2026-12-31']),
      holidays: fc.constantFrom('US', 'US,CA'),
      start_at: fc.constant('2026-12-01T09:00:00Z'),
      end_at: fc.constant('2026-12-20T09:00:00Z'),
      timezone: fc.constant('Europe/Berlin'),
      max_calls: fc.integer({ min: 1, max: 900 }),
      weight: fc.integer({ min: 1, max: 100 }),
      result_delay: fc.constant('4s'),
      retry_when: fc.constantFrom('same', 'spread'),
      retry_first: fc.boolean(),
      first: fc.integer({ min: 1, max: 900 }),
      stop_at: fc.constant('50%/2m'),
      opt_out: fc.constant('structured_data.opt_out=true'),
      on_unknown: fc.constantFrom('hold', 'redial'),
      evergreen: fc.boolean(),
      hang_up: fc.boolean(),
    },
    { requiredKeys: ['agent'] },
  );
  const tries = fc.constantFrom({}, { max_attempts: 4, retry: { 'no-answer': '30m/2h', busy: '10m' } });

  it('shown as texts and sent back are the same order', () => {
    fc.assert(
      fc.property(orders, tries, (given, again) => {
        const order = readOrder({ ...given, ...again } as OrderInput);
        const shown = showOrder(order);
        const sent = orderFields
          .filter(({ can_change }) => can_change)
          .map((field) => [field.name, readText(field, textOf(field, shown))]);
        const other = readOrder({ agent: 'other', weight: 7, evergreen: true, window: '1-2' });
        const changed = changeOrder(other, Object.fromEntries(sent));
        expect({ ...changed, timezone: null }).toEqual({ ...order, timezone: null });
      }),
    );
  });

  it('of a new campaign are sent as an order, and as a change of another one', async () => {
    const source = new URL('../../dashboard/src/pages/new-campaign/order.ts', import.meta.url).href;
    const { orderOf, changeOf, hoursOf } = await import(source);
    const empty = Object.fromEntries(orderFields.map(({ name }) => [name, '']));
    const draft = {
      ...empty,
      name: ' spring ',
      agent: [
        { id: ' a,1 ', share: '70' },
        { id: 'b', share: '' },
        { id: ' ', share: '5' },
      ],
      from: ['+14155550100 ', ''],
      retry: 'no-answer=30m, busy=10m',
      max_attempts: ' 3 ',
      override: '{"language": ',
      not_on: '2026-12-24, 2026-12-31',
      start_at: '2026-12-01T09:00',
      timezone: 'Europe/Berlin',
      retry_first: 'yes',
    };
    expect(orderOf(draft)).toEqual({
      agent: ['a,1=70', 'b=1'],
      from: ['+14155550100'],
      retry: 'no-answer=30m,busy=10m',
      max_attempts: '3',
      not_on: ['2026-12-24', '2026-12-31'],
      start_at: '2026-12-01T09:00',
      timezone: 'Europe/Berlin',
      retry_first: true,
    });
    expect(orderOf({ ...draft, timezone: '' }).start_at).toBe('2026-12-01T09:00:00.000Z');
    expect(orderOf({ ...draft, agent: [{ id: 'a', share: '' }] }).agent).toBe('a');
    expect(Object.keys(hoursOf(orderOf(draft))).sort()).toEqual(['not_on', 'start_at', 'timezone']);
    const change = changeOf(draft);
    expect(change).toMatchObject({ name: 'spring', max_attempts: '3', weight: null, evergreen: null });
    expect(Object.keys(change)).not.toContain('timezone');
    const changed = changeOrder(
      readOrder({ agent: 'x', weight: 9, evergreen: true, timezone: 'Europe/Berlin' }),
      {
        ...change,
        name: undefined,
      },
    );
    expect(changed).toMatchObject({ weight: 1, evergreen: false, maxAttempts: 3, retryFirst: true });
  });

  it('that are refused lead to the first step that asks for one', () => {
    expect(stepOf(['retry.busy', 'not_on'])).toBe('hours');
    expect(stepOf(['stop_at'])).toBe('limits');
    expect(stepOf(['number_ids'])).toBe('calls');
    expect(stepOf(['phone', 'agent'])).toBe('people');
    expect(stepOf(['nothing'])).toBeNull();
  });
});

describe('numbers that were pasted', () => {
  it('become a list, with a header where the first line is a person', () => {
    expect(pastedList('+1 415 555 0101\n\n+14155550102\r\n')).toBe('phone\n+1 415 555 0101\n+14155550102');
    expect(pastedList('+14155550101, Ada, blue\n+14155550102')).toBe(
      'phone,name,\n+14155550101, Ada, blue\n+14155550102',
    );
    expect(pastedList('Ada\t(415) 555-0101')).toBe('name\tphone\nAda\t(415) 555-0101');
    expect(pastedList('Tel;Who\n+14155550101;Ada')).toBe('Tel;Who\n+14155550101;Ada');
    expect(pastedList('+14155550101, +14155550102')).toBe('phone\n+14155550101\n +14155550102');
  });
});
