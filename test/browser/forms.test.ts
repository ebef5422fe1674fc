import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spanText } from '../../dashboard/src/kit/words.ts';
import { correctionOf, orderFields, readText, textOf, waitsIn } from '../../dashboard/src/order/fields.ts';
import { type Line, readWeek, spansOn, weekText, weekWords, within } from '../../dashboard/src/order/week.ts';
import { pastedList } from '../../dashboard/src/pages/new-campaign/pasted.ts';
import { stepOf } from '../../dashboard/src/pages/new-campaign/steps.ts';
import { changeOrder, type OrderInput, readOrder, showOrder } from '../../src/control/order/order.ts';
import { parseWindow } from '../../src/rules/time/window.ts';

/** The page's forms read what was typed as the API reads it. */
describe('the hours of a week', () => {
  /** Each quarter of an hour that is open. */
  const drawn = (lines: readonly Line[]) =>
    Array.from({ length: 7 }, (_, day) =>
      spansOn(lines, day).flatMap(([from, to]) => quarters(from, to).map((quarter) => day * 96 + quarter)),
    ).flat();
  const quarters = (from: number, to: number) =>
    Array.from({ length: (to - from) / 15 }, (_, nth) => from / 15 + nth);
  const judged = (text: string) => {
    const open = parseWindow(text || '00:00-24:00').flatMap(({ from, to, days }) =>
      days.flatMap((day) => quarters(from, to).map((quarter) => ((day - 1) * 96 + quarter) % 672)),
    );
    return [...new Set(open)].sort((a, b) => a - b);
  };
  const quarter = fc.nat(95).map((nth) => nth * 15);
  const spans = fc.tuple(quarter, quarter).filter(([from, to]) => from !== to);
  // A day stands in one line, or in none.
  const lines = fc
    .tuple(
      fc.array(spans, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(4), { minLength: 7, maxLength: 7 }),
    )
    .map(([all, lineOf]) =>
      all.map(
        (span, nth): Line => ({
          days: [0, 1, 2, 3, 4, 5, 6].filter((day) => lineOf[day] === nth),
          spans: [span],
        }),
      ),
    )
    .map((all) => all.filter(({ days }) => days.length > 0))
    .filter((all) => all.length > 0);

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

  it('are written so that the API opens what was set, and are read again as they were', () => {
    fc.assert(
      fc.property(lines, lines, (set, rules) => {
        const text = weekText(set);
        expect(readWeek(text)).toEqual(set);
        expect(drawn(set)).toEqual(judged(text));
        const ruled = new Set(drawn(rules));
        const both = drawn(set).filter((each) => ruled.has(each));
        expect(drawn(within(set, rules))).toEqual(both);
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

  it('of a new campaign are sent as an order', async () => {
    const source = new URL('../../dashboard/src/pages/new-campaign/order.ts', import.meta.url).href;
    const { orderOf, hoursOf } = await import(source);
    const empty = Object.fromEntries(orderFields.map(({ name }) => [name, '']));
    const draft = {
      ...empty,
      name: ' spring ',
      agent: ' a=70 , b=30',
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
      agent: ['a=70', 'b=30'],
      from: ['+14155550100'],
      retry: 'no-answer=30m,busy=10m',
      max_attempts: '3',
      not_on: ['2026-12-24', '2026-12-31'],
      start_at: '2026-12-01T09:00',
      timezone: 'Europe/Berlin',
      retry_first: true,
    });
    expect(Object.keys(hoursOf(orderOf(draft))).sort()).toEqual(['not_on', 'start_at', 'timezone']);
  });

  it('that are refused lead to the first step that asks for one', () => {
    expect(stepOf(['retry.busy', 'not_on'])).toBe('hours');
    expect(stepOf(['stop_at'])).toBe('limits');
    expect(stepOf(['number_ids'])).toBe('calls');
    expect(stepOf(['phone', 'agent'])).toBe('people');
    expect(stepOf(['nothing'])).toBeNull();
  });
});

describe('what was typed in another form than the API takes', () => {
  it('is one press away from what was meant, and is never guessed', () => {
    const waits = [
      '30 minutes',
      '30',
      'half an hour',
      '1 hour and 30 min',
      '2 Hrs, then 1 day',
      '1.5 h',
      '30m',
    ];
    expect(waits.map(waitsIn)).toEqual(['30m', '30m', '30m', '90m', '2h/1d', '90m', null]);
    expect(['often', '1 month', 'tomorrow', ''].map(waitsIn)).toEqual([null, null, null, null]);
    const of = (name: (typeof orderFields)[number]['name']) => (text: string) =>
      correctionOf(orderFields.find((field) => field.name === name)!, text);
    expect(['half of the calls in 5 minutes', '20 %', '50%/2m'].map(of('stop_at'))).toEqual([
      '50%/5m',
      '20%/2m',
      null,
    ]);
    expect(['1,000', '20 calls', 'many', '7'].map(of('max_calls'))).toEqual(['1000', '20', null, null]);
    expect(['$ 12.50', '12.50'].map(of('max_cost'))).toEqual(['12.50', null]);
    expect(['opt_out', 'a=b'].map(of('opt_out'))).toEqual(['opt_out=true', null]);
    expect(['24.12.2026, 2026/12/31', '2026-12-24'].map(of('not_on'))).toEqual([
      '2026-12-24, 2026-12-31',
      null,
    ]);
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
