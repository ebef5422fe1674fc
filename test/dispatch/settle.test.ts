import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { LateFields } from '../../src/dispatch/late-fields.ts';
import { createSettler, settlementOf } from '../../src/dispatch/settle.ts';
import type { Attempt } from '../../src/ledger/attempts/attempts.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { compileCalendar } from '../../src/rules/calendar/calendar.ts';
import { standard } from '../../src/voice/load-service.ts';
import { createReader } from '../../src/voice/read-answer.ts';

const noon = Date.parse('2026-03-02T12:00:00Z');
const attempt = (more: Partial<Attempt> = {}) =>
  ({
    id: 'a',
    attempts: 1,
    granted: 0,
    callbacks: 0,
    earlier: [],
    place: 'Etc/UTC',
    placedAt: new Date(noon),
    order: { maxAttempts: 3, retry: { busy: [600, 1_200] }, retryWhen: 'same', hours: null },
    ...more,
  }) as unknown as Attempt;

const reader = createReader(standard(), (path) => path);
/** A record as the service sends it, read as it is read from the wire. */
const told = (record: Record<string, unknown>) => reader.call(record, '', noon)!;

it('a record becomes a settlement field by field', () => {
  const record = {
    id: 'call-1',
    status: 'completed',
    duration: 61.5,
    cost: 0.16,
    transcript: 'Hello.',
    recording_url: 'https://recordings.example/1',
    structured_data: { interested: true },
    provider_call_sid: 'CA1',
    direction: 'outbound',
    contact_id: 'contact-1',
    metadata: { ticket: 'A-17' },
    org_id: 'org-1',
    agent_id: 'agent-1',
    mood: { warm: true },
    created_at: '2026-03-01T10:00:00+02:00',
    updated_at: 'Sun, 01 Mar 2026 08:02:00 GMT',
  };
  expect(settlementOf(attempt(), 'answered', told(record), noon)).toEqual({
    id: 'a',
    polls: 1,
    status: 'completed',
    outcome: 'answered',
    duration: 61.5,
    cost: 0.16,
    currency: null,
    ended_reason: null,
    transcript: 'Hello.',
    recording_url: 'https://recordings.example/1',
    structured_data: { interested: true },
    provider_call_sid: 'CA1',
    direction: 'outbound',
    contact_id: 'contact-1',
    metadata: { ticket: 'A-17' },
    record: {
      org_id: 'org-1',
      agent_id: 'agent-1',
      mood: { warm: true },
      created_at: '2026-03-01T10:00:00+02:00',
      updated_at: 'Sun, 01 Mar 2026 08:02:00 GMT',
    },
    startedAt: '2026-03-01T08:00:00.000Z',
    endedAt: '2026-03-01T08:02:00.000Z',
    again: null,
    localHour: 12,
    optOut: null,
    lateStart: null,
    refresh: null,
    refreshIn: null,
  });
  expect(settlementOf(attempt(), 'answered', told(record), noon, ['cost'])).toMatchObject({
    refresh: ['cost'],
    refreshIn: 10,
  });
});

it('a field that the record lacks stays empty, and an invalid time is not guessed', () => {
  const blank = { transcript: '', recording_url: '', provider_call_sid: '', metadata: {} };
  const empty = settlementOf(attempt(), 'failed', told({ id: 'call-1', ...blank }), noon);
  expect(empty).toMatchObject({
    status: null,
    duration: null,
    cost: null,
    transcript: null,
    recording_url: null,
  });
  expect(empty).toMatchObject({ structured_data: null, startedAt: null, endedAt: null });
  expect(empty).toMatchObject({ provider_call_sid: null, metadata: {}, contact_id: null, direction: null });
  for (const time of [
    'yesterday',
    '12345',
    '99999999999999',
    '+275760-01-01T00:00:00Z',
    '-000001-01-01T00:00:00Z',
  ]) {
    expect(
      settlementOf(attempt(), 'failed', told({ id: 'c', created_at: time }), noon).startedAt,
      time,
    ).toBeNull();
  }
});

it('fields that the interface does not name are kept as far as they fit, and none is cut', () => {
  const record = { id: 'c', first: 'x'.repeat(30_000), second: 'y'.repeat(30_000), third: ['z'] };
  const { record: kept } = settlementOf(attempt(), 'failed', told(record), noon);
  expect(kept).toEqual({ first: record.first, third: ['z'] });
});

it('a call that the service began outside the hours is told, but not for a clock that differs a little', () => {
  const hours = [{ from: 9 * 60, to: 12 * 60, days: [1, 2, 3, 4, 5, 6, 7] }];
  // The service dials up to an hour later: nobody is asked for after eleven, and what rings until noon is in time.
  const calendar = compileCalendar({ hours }, null, 3_600_000);
  const lateAt = (time: string) => {
    const place = 'UTC';
    const record = told({ id: 'c', created_at: time });
    return settlementOf(attempt({ place }), 'failed', record, noon, [], [], calendar).lateStart;
  };
  for (const time of ['2026-03-01T11:59:00Z', '2026-03-01T12:00:30Z', 'yesterday'])
    expect(lateAt(time)).toBeNull();
  expect(lateAt('2026-03-01T12:02:00Z')).toBe(
    'the service began the call at 2026-03-01T12:02:00.000Z, outside the hours',
  );
});

it('another attempt follows an outcome that has a rule, while attempts are left', () => {
  const again = (outcome: string, more?: Partial<Attempt>) =>
    settlementOf(attempt(more), outcome, told({ id: 'c' }), noon).again;
  expect(again('busy')).toBe(600);
  expect(again('busy', { attempts: 3 })).toBeNull();
  expect(again('answered')).toBeNull();
  expect(again('busy', { attempts: 2, earlier: [{ outcome: 'busy', at: noon - 9 }] })).toBe(1_200);
});

describe('a wish to be called back', () => {
  const tomorrow = '2026-03-03T15:00:00.000Z';
  const order = {
    ...attempt().order,
    maxAttempts: 1,
    callbackAt: 'structured_data.callback_at',
    timezone: null,
  };
  const settled = (data: object, more: Partial<Attempt> = {}, outcome = 'answered') => {
    const record = told({ id: 'c', structured_data: data });
    return settlementOf(attempt({ order, ...more }), outcome, record, noon);
  };

  it('is taken from the record, whatever the retries of the order', () => {
    expect(settled({ callback_at: '2026-03-03T16:00+01:00' })).toMatchObject({
      again: null,
      callbackAt: tomorrow,
      callbackNote: `asked to be called back at ${tomorrow}`,
    });
    expect(settled({ callback_at: null })).not.toHaveProperty('callbackNote');
  });

  it('does not stand against an opt-out of the same record', () => {
    const optOut = { path: 'structured_data.opt_out', value: 'true' };
    const data = { callback_at: tomorrow, opt_out: true };
    const settlement = settled(data, { order: { ...order, optOut } });
    expect(settlement).toMatchObject({ optOut: 'said', again: null });
    expect(settlement).not.toHaveProperty('callbackAt');
  });

  it('leaves the retries as they would be without its call', () => {
    const earlier = [{ outcome: 'answered', at: noon - 9 }];
    const again = (more: Partial<Attempt>) =>
      settled({}, { earlier, attempts: 2, order: { ...order, maxAttempts: 2 }, ...more }, 'busy').again;
    expect([again({ callbacks: 0 }), again({ callbacks: 1 })]).toEqual([null, 600]);
    expect(again({ callbacks: 1, attempts: 3 })).toBeNull();
  });
});

it('an attempt that is spread waits for another part of the day', () => {
  const order = { ...attempt().order, retryWhen: 'spread' as const };
  const { again } = settlementOf(attempt({ order }), 'busy', told({ id: 'c' }), noon);
  expect(again).toBe(2 * 3_600);
});

it('only an answered call is waited for, and a transcript that came once is worth waiting for', () => {
  const deps = { ledger: {} as Ledger, lateFields: {} as LateFields, clock: systemClock, optOut: [] };
  const settler = createSettler(deps);
  const waitFor = (id: string, outcome: string, transcript?: string) =>
    settler.waitForRest(attempt({ id }), outcome, told({ id: 'c', transcript }), 'transcript');
  expect(waitFor('v', 'voicemail')).toBeNull();
  expect(waitFor('a', 'answered', 'Hello.')).toBeNull();
  for (const id of ['b', 'c', 'd', 'e', 'f']) {
    expect([1, 2, 3, 4].map(() => waitFor(id, 'answered'))).toEqual([2_000, 5_000, 10_000, null]);
  }
});

it('a conversation whose transcript is not on the record is waited for until its recording is', () => {
  const deps = { ledger: {} as Ledger, lateFields: {} as LateFields, clock: systemClock, optOut: [] };
  const settler = createSettler(deps);
  const waitFor = (id: string, recording_url?: string) =>
    settler.waitForRest(attempt({ id }), 'answered', told({ id: 'c', recording_url }), 'recording_url');
  const wait = () => [waitFor('a'), waitFor('a', 'https://recordings.example/1')];
  expect(wait()).toEqual([2_000, null]);
  for (const id of ['b', 'c', 'd', 'e', 'f']) expect(waitFor(id)).toBe(2_000);
});
