import { describe, expect, it } from 'vitest';
import { compileCalendar } from '../../src/rules/calendar/calendar.ts';
import { createWaits, type WaitingFor, type WaitingRow } from '../../src/rules/wait-reason.ts';

/** Monday, noon in UTC. */
const now = Date.parse('2026-03-02T12:00:00Z');
const at = (time: string) => new Date(`2026-03-${time}Z`);

const running: WaitingFor = {
  state: 'running',
  driver: 'background',
  runLives: false,
  calendar: null,
  turn: 'rate' as const,
};
const hours = [{ from: 9 * 60, to: 11 * 60, days: [1, 2, 3, 4, 5, 6, 7] }];
const morning = compileCalendar({ hours }, null);
const row: WaitingRow = {
  state: 'waiting',
  place: 'Etc/UTC',
  nextAt: null,
  inUse: false,
  phoneUntil: null,
  held: null,
};
const wait = (campaign: Partial<WaitingFor>, person: Partial<WaitingRow> = {}) =>
  createWaits({ ...running, ...campaign }, now)({ ...row, ...person });

describe('a row that waits', () => {
  it('waits for its turn when nothing else holds it', () => {
    expect(wait({})).toEqual({ reason: 'rate', until: null });
  });

  it.each(['draft', 'paused', 'canceled'])('waits for its campaign first, which is %s', (state) => {
    expect(wait({ state, calendar: morning }, { inUse: true })).toEqual({ reason: state, until: null });
  });

  it('waits in the queue of a key for the same, but not for its time: it was due when it was planned', () => {
    const queued = { state: 'queued', nextAt: at('02T14:00:00') };
    expect(wait({}, queued)).toEqual({ reason: 'rate', until: null });
    expect(wait({ state: 'paused' }, queued)).toEqual({ reason: 'paused', until: null });
    expect(wait({ driver: 'run' }, queued)).toEqual({ reason: 'no-run', until: null });
    expect(wait({ calendar: morning }, queued)).toEqual({ reason: 'window', until: at('03T09:00:00') });
    expect(wait({}, { ...queued, inUse: true })).toEqual({ reason: 'phone-in-use', until: null });
    expect(wait({}, { state: 'calling' })).toBeNull();
  });

  it('waits for a run when its campaign belongs to one that has ended', () => {
    expect(wait({ driver: 'run' })).toEqual({ reason: 'no-run', until: null });
    expect(wait({ driver: 'run', runLives: true })).toEqual({ reason: 'rate', until: null });
  });

  it.each(['cap', 'gap', 'conversation'] as const)('waits for the contact rule that holds it: %s', (held) => {
    const nextAt = at('02T14:00:00');
    expect(wait({}, { held, nextAt })).toEqual({ reason: held, until: nextAt });
    expect(wait({ calendar: morning }, { held, nextAt })?.reason).toBe('window');
  });

  it('waits until its window opens', () => {
    expect(wait({ calendar: morning })).toEqual({ reason: 'window', until: at('03T09:00:00') });
    // In Honolulu it is two in the morning.
    expect(wait({ calendar: morning }, { place: 'Pacific/Honolulu' })?.until).toEqual(at('02T19:00:00'));
  });

  it('waits until the time of its next attempt, and past it until the window opens', () => {
    expect(wait({}, { nextAt: at('02T12:30:00') })).toEqual({ reason: 'retry', until: at('02T12:30:00') });
    expect(wait({}, { nextAt: at('02T11:30:00') })).toEqual({ reason: 'rate', until: null });
    const late = { nextAt: at('03T10:59:00') };
    expect(wait({ calendar: morning }, late)).toEqual({ reason: 'retry', until: late.nextAt });
    const later = { nextAt: at('03T11:00:00') };
    expect(wait({ calendar: morning }, later)).toEqual({ reason: 'window', until: at('04T09:00:00') });
  });

  it('waits for its phone, without a time or until an unknown attempt releases it', () => {
    expect(wait({}, { inUse: true })).toEqual({ reason: 'phone-in-use', until: null });
    const phoneUntil = at('02T14:00:00');
    expect(wait({}, { inUse: true, phoneUntil })).toEqual({ reason: 'phone-in-use', until: phoneUntil });
  });

  it('waits for credit while it is parked, and for nothing in any other state', () => {
    expect(wait({}, { state: 'parked' })).toEqual({ reason: 'no-credit', until: null });
    for (const state of ['calling', 'done', 'unknown', 'rejected', 'skipped'])
      expect(wait({}, { state })).toBeNull();
  });
});
