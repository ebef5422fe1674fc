import { describe, expect, it } from 'vitest';
import {
  changeOrder,
  describeOrder,
  isSameOrder,
  layOrder,
  readOrder,
  showOrder,
} from '../../../src/control/order/order.ts';

const agent = 'agent_1';
const fault = (input: Partial<Parameters<typeof readOrder>[0]>) => {
  try {
    readOrder({ agent, ...input });
  } catch (error) {
    return error as { code: string; message: string; remedy: string };
  }
  throw new Error('nothing was thrown');
};

describe('readOrder', () => {
  it('an order with only an agent means one attempt, any hour and no caller', () => {
    expect(readOrder({ agent: ' agent_1 ' })).toEqual({
      agents: [{ id: agent, share: 1 }],
      override: null,
      callers: [],
      caller: 'rotate',
      perNumberCalls: null,
      perNumberDay: null,
      country: null,
      timezone: null,
      times: null,
      maxCalls: null,
      maxCost: null,
      maxAttempts: 1,
      retry: {},
      nextNumber: {},
      retryWhen: 'same',
      retryFirst: false,
      first: null,
      evergreen: false,
      stopAt: null,
      onUnknown: 'hold',
      optOut: null,
      callbackAt: null,
      hangUp: false,
      resultDelay: null,
      weight: 1,
    });
  });

  it('a country is an existing two-letter code', () => {
    const order = readOrder({ agent, country: 'us' });
    expect(order.country).toBe('US');
    expect(showOrder(order)).toMatchObject({ country: 'US' });
    expect(describeOrder(order)).toContain('numbers in national form are of US');
    for (const country of ['', 'USA', 'XX', '+1', 'constructor'])
      expect(fault({ country }).code, country).toBe('usage-invalid');
  });

  it('a callback is a path into the record', () => {
    const order = readOrder({ agent, callback_at: ' structured_data.callback_at ' });
    expect(showOrder(order)).toMatchObject({ callback_at: 'structured_data.callback_at' });
    expect(describeOrder(order)).toContain('a call back at the time in structured_data.callback_at');
    for (const callback_at of ['', 'structured_data', 'transcript.when', 'call me=later'])
      expect(fault({ callback_at }).message, callback_at).toContain('The callback’s path');
  });

  it('an opt-out is a path into the record and a value', () => {
    const order = readOrder({ agent, opt_out: ' structured_data.opt_out = true' });
    expect(order.optOut).toEqual({ path: 'structured_data.opt_out', value: 'true' });
    expect(showOrder(order)).toMatchObject({ opt_out: 'structured_data.opt_out=true' });
    expect(describeOrder(order)).toContain('no more calls after structured_data.opt_out=true');
    for (const opt_out of [
      'structured_data.opt_out',
      'structured_data.opt_out=',
      '=true',
      'a b=1',
      'status.x=1',
    ])
      expect(fault({ opt_out }).code, opt_out).toBe('usage-invalid');
  });

  it('a budget is an amount, with or without cents', () => {
    const order = readOrder({ agent, max_cost: '12.50' });
    expect(order.maxCost).toBe(12.5);
    expect(showOrder(order)).toMatchObject({ max_cost: 12.5 });
    expect(describeOrder(order)).toContain('calls for 12.5 at most');
    expect(readOrder({ agent, max_cost: 0.05 }).maxCost).toBe(0.05);
    for (const max_cost of ['0', '-5', '1e3', '$5', '5,00', '', 2e9])
      expect(fault({ max_cost }).message, String(max_cost)).toMatch(
        /^The most that the calls may cost is not valid/,
      );
  });

  it('onUnknown says what to do with unknown calls, and a risk is shown', () => {
    expect(readOrder({ agent, result_delay: '2.5s' }).resultDelay).toBe(2.5);
    expect(readOrder({ agent, result_delay: '1m' }).resultDelay).toBe(60);
    expect(readOrder({ agent, on_unknown: 'redial' }).onUnknown).toBe('redial');
    expect(describeOrder(readOrder({ agent, on_unknown: 'redial' }))).toContain(
      'unknown calls are redialled once',
    );
    for (const resultDelay of ['0', '0.05', '11m', 'soon', '-1s', ''])
      expect(() => readOrder({ agent, result_delay: resultDelay })).toThrow('must be between 0.1s and 10m');
    expect(() => readOrder({ agent, on_unknown: 'retry' })).toThrow(
      /^The rule for unknown attempts is not valid: "retry"$/,
    );
  });

  it('several agents share the people, and one agent has all of them', () => {
    const agents = (given: string | string[]) => readOrder({ agent: given }).agents;
    expect(agents(['a=70', 'b=30'])).toEqual([
      { id: 'a', share: 70 },
      { id: 'b', share: 30 },
    ]);
    expect(agents(['a', 'b=2'])[0]).toEqual({ id: 'a', share: 1 });
    expect(agents('a=70')).toEqual([{ id: 'a', share: 1 }]);
    expect(agents('x==')).toEqual([{ id: 'x==', share: 1 }]);
    for (const given of ['a', 'x=1=1', ['a=70', 'b=30']]) {
      const order = readOrder({ agent: given });
      expect(agents(showOrder(order).agent)).toEqual(order.agents);
    }
    expect(describeOrder(readOrder({ agent: ['a=1', 'b=2'] }))).toContain('agents a 33.3 %, b 66.7 %');
    for (const given of ['', ' ', '=5', [], ['a', 'a=2'], ['a=0', 'b']])
      expect(() => agents(given)).toThrow();
  });

  it('an override is an object of bounded size that the ledger can keep', () => {
    const override = { voice: { speed: 1.1 } };
    expect(readOrder({ agent, override }).override).toEqual(override);
    expect(describeOrder(readOrder({ agent, override }))).toContain('overrides voice');
    expect(readOrder({ agent, override: {} }).override).toBeNull();
    expect(fault({ override: { prompt: 'x'.repeat(70_000) } }).message).toBe(
      'The override has 70013 characters; at most 65536 are allowed',
    );
    expect(fault({ override: { id: 2 ** 60 } }).message).toContain('a number that is too long');
  });

  it('laid over another, an order brings only what it changes of the one that it was made from', () => {
    const from = readOrder({ agent });
    const present = readOrder({ agent, weight: 3, max_calls: 5 });
    const laid = layOrder(from, present, readOrder({ agent: 'b', max_calls: 7 }));
    expect(laid).toEqual(readOrder({ agent: 'b', weight: 3, max_calls: 7 }));
    expect(layOrder(from, present, from)).toEqual(present);
  });

  it('a weight is a whole number of 1 to 100', () => {
    expect(readOrder({ agent, weight: '3' }).weight).toBe(3);
    expect(readOrder({ agent, weight: 100 }).weight).toBe(100);
    expect(describeOrder(readOrder({ agent, weight: 3 }))).toContain('weight 3 on its keys');
    for (const weight of ['0', '101', '1.5', 'much', ''])
      expect(() => readOrder({ agent, weight })).toThrow('The weight is');
  });

  it('a window without days is every day, and days without a window are whole days', () => {
    expect(readOrder({ agent, window: '09:00-20:00' }).times).toEqual({
      hours: [{ from: 540, to: 1200, days: [1, 2, 3, 4, 5, 6, 7] }],
    });
    expect(readOrder({ agent, days: 'mon-fri' }).times).toEqual({
      hours: [{ from: 0, to: 1440, days: [1, 2, 3, 4, 5] }],
    });
    expect(readOrder({ agent, window: '0-24', days: 'mon-sun' }).times).toBeNull();
  });

  it('callers are E.164 numbers and ids, each once', () => {
    expect(
      readOrder({ agent, from: ['+1 (415) 555-0100', '+14155550100'], number_ids: ['pn_1', ' pn_1'] })
        .callers,
    ).toEqual([{ number: '+14155550100' }, { numberId: 'pn_1' }]);
    expect(fault({ from: ['4155550100'] })).toMatchObject({
      code: 'usage-invalid',
      message: expect.stringContaining('4155550100'),
    });
  });

  it('callers may be what the service lists, and a limit per number needs a number', () => {
    const given = {
      agent,
      from: ['ALL', 'Label: North Sales'],
      caller: 'local',
      per_number_calls: '2',
      per_number_day: 90,
    };
    const order = readOrder(given);
    expect(order).toMatchObject({
      callers: [{ listed: 'all' }, { listed: 'label:north sales' }],
      caller: 'local',
      perNumberCalls: 2,
      perNumberDay: 90,
    });
    expect(isSameOrder(order, changeOrder(order, {}))).toBe(true);
    expect(describeOrder(order)).toEqual(
      expect.arrayContaining([
        'from all listed numbers, numbers with label:north sales',
        'a number from near the person',
        'at most 2 at once from each number',
        'at most 90 in 24 hours from each number',
      ]),
    );
    for (const [name, value] of [
      ['per_number_calls', 2],
      ['per_number_day', 2],
      ['caller', 'sticky'],
    ] as const)
      expect(fault({ [name]: value })).toMatchObject({ code: 'usage-invalid', issues: [{ path: name }] });
    expect(fault({ from: ['+14155550100'], caller: 'nearest' }).message).toContain('nearest');
  });

  it('retry times are read in seconds, minutes, hours and days', () => {
    const retry = 'no-answer=30m, BUSY=90s,voicemail=2h,failed=1d';
    const wanted = { 'no-answer': [1_800], busy: [90], voicemail: [7_200], failed: [86_400] };
    expect(readOrder({ agent, retry, max_attempts: '3' })).toMatchObject({ retry: wanted, maxAttempts: 3 });
    expect(readOrder({ agent, retry: { 'no-answer': '30m' }, max_attempts: 2 }).retry).toEqual({
      'no-answer': [1_800],
    });
  });

  it('several retry times hold for the first, the second and the third such end', () => {
    const order = readOrder({ agent, retry: 'no-answer=30m/120m/1d, busy=10m', max_attempts: 4 });
    expect(order.retry).toEqual({ 'no-answer': [1_800, 7_200, 86_400], busy: [600] });
    expect(showOrder(order).retry).toEqual({ 'no-answer': '30m/2h/1d', busy: '10m' });
    expect(isSameOrder(order, readOrder({ agent, retry: showOrder(order).retry, max_attempts: 4 }))).toBe(
      true,
    );
    expect(describeOrder(order)).toContain(
      'up to 4 attempts: no-answer after 30 min, then 2 h, then 1 day, busy after 10 min',
    );
  });

  it('first, evergreen and stop_at say when a campaign pauses and continues by itself', () => {
    const order = readOrder({ agent, first: '20', evergreen: true, stop_at: '50 % / 120s' });
    expect(order).toMatchObject({ first: 20, evergreen: true, stopAt: { percent: 50, seconds: 120 } });
    expect(showOrder(order)).toMatchObject({ first: 20, evergreen: true, stop_at: '50%/2m' });
    expect(describeOrder(order)).toEqual(
      expect.arrayContaining([
        'the first 20 people, then a pause',
        'people added later are called too',
        'a pause when 50% of the calls in 2m failed',
      ]),
    );
    for (const stop_at of ['50%', '0%/2m', '101%/2m', '50/2m', '50%/5s', '50%/2h', 'half/2m', '']) {
      expect(() => readOrder({ agent, stop_at })).toThrow(
        'share of failed calls at which to stop is not valid',
      );
    }
    expect(() => readOrder({ agent, first: 0 })).toThrow('The number of people to call first');
  });

  it('retry_when and retry_first say where in the day and in the line the next attempt goes', () => {
    const given = { agent, retry: 'busy=1m', max_attempts: 2, retry_when: 'spread', retry_first: true };
    const order = readOrder(given);
    expect(order).toMatchObject({ retryWhen: 'spread', retryFirst: true });
    expect(describeOrder(order)).toEqual(
      expect.arrayContaining(['tried again in another part of the day', 'retries first']),
    );
    expect(fault({ retry_when: 'later' }).message).toBe('The time of the next attempt is not valid: "later"');
  });

  it.each([
    ['no-answer', 'not understood'],
    ['no-answer=30', 'must be between'],
    ['no-answer=0s', 'must be between'],
    ['no-answer=9999d', 'must be between'],
    ['hangup=30m', 'is not an outcome'],
    ['constructor=30m', 'is not an outcome'],
    ['busy=1m,busy=2m', 'twice'],
    ['busy=1m/', 'must be between'],
    ['busy=1m//2m', 'must be between'],
    [`busy=${'1m/'.repeat(100)}1m`, 'has 101 times'],
    [' , ', 'empty'],
  ])('the retry rule "%s" is refused', (retry, why) => {
    expect(fault({ retry, max_attempts: 3 }).message).toContain(why);
  });

  it.each([
    ['busy', 'The rule for the next number, "busy", is not understood'],
    [' ', 'The rule for the next number is empty'],
    ['busy=soon', 'The rule for the next number has the time "soon" for busy'],
    ['answered=now', 'names answered, after which no other number is tried'],
  ])('the rule for the next number "%s" is refused in its own words', (next_number, why) => {
    expect(fault({ next_number }).message).toContain(why);
  });

  it('a retry rule needs more than one attempt', () => {
    expect(fault({ retry: 'busy=1m' }).message).toContain('only one attempt');
    expect(fault({ retry: 'busy=1m', max_attempts: 1 }).message).toContain('only one attempt');
  });

  it('more attempts without a retry rule are accepted, and count as one', () => {
    const order = readOrder({ agent, max_attempts: '3' });
    expect(order).toMatchObject({ maxAttempts: 3, retry: {} });
    expect(describeOrder(order)).toContain('one attempt, no retry');
  });

  it.each(['0', '-1', '1.5', 'ten', '', '1e3', '0x10'])('%j is not a valid number of calls', (max_calls) => {
    expect(fault({ max_calls }).message).toContain('calls at once');
  });

  it('a time zone that does not exist and an agent without a name are refused', () => {
    expect(fault({ timezone: 'Mars/Olympus' }).message).toContain('Mars/Olympus');
    expect(fault({ agent: '  ' }).message).toContain('agent');
  });

  it('says at which field a fault is, so that a form can show it there', () => {
    const at = (input: Parameters<typeof fault>[0]) =>
      (fault(input) as unknown as { issues: { path: string }[] }).issues.map(({ path }) => path);
    expect(at({ window: '25-26', days: 'mon' })).toEqual(['window']);
    expect(at({ window: '9-17', not_on: ['yesterday'] })).toEqual(['not_on']);
    expect(at({ window: 'mon=9-17', days: 'mon' })).toEqual(['days']);
    expect(at({ start_at: '2026-12-02T00:00:00Z', end_at: '2026-12-01T00:00:00Z' })).toEqual(['end_at']);
    expect(at({ timezone: 'Mars' })).toEqual(['timezone']);
    expect(at({ from: ['+14155550100'], number_ids: [' '] })).toEqual(['number_ids']);
    expect(at({ retry: 'busy=1h' })).toEqual(['max_attempts']);
  });
});

describe('describeOrder', () => {
  it('says what the defaults mean', () => {
    expect(describeOrder(readOrder({ agent }))).toEqual([
      'from the number that the service chooses',
      'every hour and day',
      'one attempt, no retry',
    ]);
  });

  it('shows callers, hours, the cap and what is tried again', () => {
    const order = readOrder({
      agent,
      from: ['+14155550100'],
      window: '9-20',
      days: 'mon-fri',
      max_calls: 10,
      max_attempts: 3,
      retry: 'no-answer=30m,busy=1d',
    });
    expect(describeOrder(order)).toEqual([
      'from +14155550100',
      '09:00-20:00 Mon-Fri in each person’s own time zone',
      'at most 10 calls at once',
      'up to 3 attempts: no-answer after 30 min, busy after 1 day',
    ]);
  });

  it('names a few caller numbers, and counts the others', () => {
    const from = (n: number) => Array.from({ length: n }, (_, i) => `+1415555010${i}`);
    expect(describeOrder(readOrder({ agent, from: from(2) }))[0]).toBe('from +14155550100, +14155550101');
    expect(describeOrder(readOrder({ agent, from: from(9) }))[0]).toBe(
      'from +14155550100, +14155550101, +14155550102 and 6 more',
    );
  });

  it('joins neighbouring days into a range', () => {
    const phrase = (days: string) => describeOrder(readOrder({ agent, days, timezone: 'Europe/Berlin' }))[1];
    expect(phrase('fri-mon')).toBe('all day Mon, Fri-Sun in Europe/Berlin where a row names no time zone');
  });
});
