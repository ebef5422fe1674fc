import { array, boolean, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Backlog,
  type BlockedNumber,
  createBacklog,
  type DueEvent,
} from '../../../src/rules/webhook/backlog.ts';
import type { AddressState } from '../../../src/rules/webhook/standing.ts';
import { assert, runs } from '../../support/property.ts';

/** The events that an address is sent, and when: in virtual time, with receivers of every temper. */
const second = 1_000;
const hour = 3_600 * second;
const ok = { ok: true, away: false, gone: false, error: '' };
const refused = { ok: false, away: false, gone: false, error: 'it answered 500' };
const away = { ok: false, away: true, gone: false, error: 'refused' };
const active: AddressState = { state: 'active', reason: null, since: 0, tries: 0, nextAt: null };

type Due = DueEvent<string>;
const fresh = (cursor = 0) => createBacklog<string>({ cursor, state: active, blocked: [] });
/** Events from `first` on; each names its line. */
const give = (backlog: Backlog<string>, first: number, names: string) =>
  backlog.take(
    [...names].map((line, i) => ({ number: first + i, line, event: `${line}${first + i}` })),
    first + names.length - 1,
  );

/** Everything that may be sent now. */
function drain(backlog: Backlog<string>, now: number): Due[] {
  const all: Due[] = [];
  for (let due = backlog.next(now); due; due = backlog.next(now)) all.push(due);
  return all;
}
const numbers = (all: readonly Due[]) => all.map((due) => due.number);

describe('the events that an address is sent', () => {
  it('is one event of a person at a time, and of many people at once', () => {
    const backlog = fresh();
    give(backlog, 1, 'aabca');
    const first = drain(backlog, 0);
    expect(numbers(first)).toEqual([1, 3, 4]);
    backlog.ended(first[0]!, ok, 0);
    expect(numbers(drain(backlog, 0))).toEqual([2]);
    expect(backlog.changes()).toMatchObject({ cursor: 1, gone: [], blocked: [] });
  });

  it('goes past an event that is not taken: only its person waits', () => {
    const backlog = fresh();
    give(backlog, 1, 'abab');
    const [a, b] = drain(backlog, 0);
    backlog.ended(a!, refused, 0);
    backlog.ended(b!, ok, 0);
    expect(numbers(drain(backlog, 0))).toEqual([1, 4]);
    expect(backlog.changes()).toMatchObject({
      cursor: 3,
      blocked: [
        { number: 1, line: 'a', tries: 1 },
        { number: 3, line: 'a', tries: 0, nextAt: null },
      ],
    });
  });

  it('is tried after 1, 2, 4 ... s, and given up after three days in which others were taken', () => {
    const backlog = fresh();
    give(backlog, 1, 'aa');
    const waits: number[] = [];
    let now = 0;
    for (let number = 3, given = false; !given; number++) {
      give(backlog, number, 'b');
      const [a, b] = drain(backlog, now).sort((x, y) => x.number - y.number);
      expect([a!.number, a!.tries]).toEqual([1, waits.length + 1]);
      given = backlog.ended(a!, refused, now);
      if (given) break;
      waits.push(backlog.nextAt()! - now);
      backlog.ended(b!, ok, now);
      // Others are taken: five times it is tried at once for that.
      if (waits.length <= 5) expect(backlog.nextAt()).toBe(now);
      else now = backlog.nextAt()!;
    }
    expect(waits.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 30].map((each) => each * second));
    expect(now).toBe(72 * hour);
    expect(numbers(drain(backlog, now))).toContain(2);
  });

  it('is one event at a time while the address fails, and everything at once when it takes that', () => {
    const backlog = fresh();
    give(backlog, 1, 'abcdefgh');
    const [first, ...others] = drain(backlog, 0);
    backlog.ended(first!, away, 0);
    expect(backlog.state()).toMatchObject({ state: 'failing', tries: 1, nextAt: second });
    for (const due of others) backlog.ended(due, away, 10);
    expect(backlog.state().tries).toBe(1);
    expect(backlog.next(999)).toBeNull();
    expect(backlog.wants()).toBe(1);
    const probe = drain(backlog, second);
    expect(probe).toHaveLength(1);
    backlog.ended(probe[0]!, away, second);
    expect(backlog.nextAt()).toBe(3 * second);
    const [next] = drain(backlog, 3 * second);
    expect(next!.line).not.toBe(probe[0]!.line);
    backlog.ended(next!, ok, 3 * second);
    expect(backlog.state()).toMatchObject({ state: 'active', reason: null });
    expect(drain(backlog, 3 * second)).toHaveLength(7);
  });

  it('is soon someone else’s event while an address refuses five people’s, however long that lasts', () => {
    const backlog = fresh();
    give(backlog, 1, 'abcde');
    for (const due of drain(backlog, 0)) backlog.ended(due, refused, 0);
    let now = 0;
    for (; now < 24 * hour; now = backlog.nextAt()!) {
      for (const due of drain(backlog, now)) backlog.ended(due, refused, now);
    }
    for (const due of drain(backlog, now)) backlog.ended(due, refused, now);
    expect(backlog.nextAt()).toBe(now + hour);
    give(backlog, 6, 'f');
    expect(backlog.next(now + 29 * second)).toBeNull();
    const [healthy] = drain(backlog, now + 30 * second);
    expect(healthy).toMatchObject({ line: 'f', probe: true });
    backlog.ended(healthy!, ok, now + 30 * second);
    expect(numbers(drain(backlog, now + 30 * second)).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  it('is everything that waits when another process continues and the first one is taken', () => {
    const blocked = [{ number: 1, line: 'a', tries: 9, since: 0, nextAt: hour }];
    const backlog = createBacklog<string>({ cursor: 1, state: active, blocked });
    give(backlog, 2, 'bc');
    const [b, c] = drain(backlog, 0);
    backlog.ended(b!, ok, 0);
    expect(numbers(drain(backlog, 0))).toEqual([1]);
    backlog.ended(c!, ok, 0);
  });

  it('is not taken for the address’s fault when one person’s event fails for ever', () => {
    const backlog = fresh();
    for (let n = 1, now = 0; n < 200; n += 2, now += 10 * second) {
      give(backlog, n, 'xb');
      for (const due of drain(backlog, now)) backlog.ended(due, due.line === 'x' ? refused : ok, now);
      expect(backlog.state().state).toBe('active');
    }
  });

  it('ends with 410, or three days in which nothing was taken, and nothing is lost', () => {
    const gone = fresh();
    give(gone, 1, 'ab');
    for (const due of drain(gone, 0)) gone.ended(due, { ...refused, gone: true }, 0);
    expect(gone.state()).toMatchObject({ state: 'resting', reason: expect.stringContaining('no more') });
    expect([gone.wants(), gone.next(hour), gone.nextAt()]).toEqual([0, null, null]);
    const dead = fresh();
    give(dead, 1, 'a');
    let now = 0;
    let tries = 0;
    for (; dead.state().state !== 'resting'; tries++) {
      const due = dead.next(now);
      if (due) dead.ended(due, away, now);
      now = dead.nextAt() ?? now;
    }
    expect(now).toBeGreaterThanOrEqual(72 * hour);
    expect(tries).toBeLessThan(250);
    expect(dead.changes()).toMatchObject({ state: 'resting', blocked: [{ number: 1, line: 'a' }] });
  });

  it('costs bounded memory however long the address is away', () => {
    const backlog = fresh();
    let number = 1;
    for (let now = 0; now < 71 * hour; now = Math.max(now + second, backlog.nextAt() ?? 0)) {
      while (backlog.wants() > 0) give(backlog, number++, String.fromCharCode(97 + (number % 26)));
      for (const due of drain(backlog, now)) backlog.ended(due, away, now);
    }
    expect(number).toBeLessThan(1_500);
  });

  it('arrives whole and in each person’s order, whatever the receiver does and however often the process dies', () => {
    const step = record({
      names: array(constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), { maxLength: 6 }),
      ends: array(constantFrom(ok, ok, refused, away), { minLength: 1, maxLength: 6 }),
      waitMs: integer({ min: 0, max: 40 * second }),
      keeps: boolean(),
      dies: constantFrom(false, false, false, true),
    });
    assert(
      property(array(step, { maxLength: 40 }), (steps) => {
        const outbox: string[] = [];
        const received: number[] = [];
        /** The ledger. */
        let cursor = 0;
        let state = active;
        const blocked = new Map<number, BlockedNumber>();
        let backlog = fresh();
        let now = 0;
        const keep = () => {
          const changes = backlog.changes();
          for (const each of changes.gone) blocked.delete(each);
          for (const each of changes.blocked) blocked.set(each.number, each);
          cursor = changes.cursor;
          state = backlog.state();
        };
        const restart = () => {
          backlog = createBacklog({
            cursor,
            state,
            blocked: [...blocked.values()].sort((x, y) => x.number - y.number),
          });
        };
        const read = () => {
          while (backlog.wants() > 0 && backlog.readTo() < outbox.length)
            give(
              backlog,
              backlog.readTo() + 1,
              outbox.slice(backlog.readTo(), backlog.readTo() + 3).join(''),
            );
        };
        const send = (end: typeof ok) => {
          const due = backlog.next(now);
          if (!due) return false;
          expect(outbox[due.number - 1]).toBe(due.line);
          if (end.ok) received.push(due.number);
          backlog.ended(due, end, now);
          return true;
        };
        for (const { names, ends, waitMs, keeps, dies } of steps) {
          outbox.push(...names);
          read();
          for (const end of ends) send(end);
          if (keeps) keep();
          if (dies) restart();
          now += waitMs;
        }
        // It takes everything again.
        for (let rounds = 0; rounds < 400; rounds++) {
          read();
          while (send(ok)) read();
          now += 40 * second;
        }
        keep();
        expect([cursor, blocked.size, state.state]).toEqual([outbox.length, 0, 'active']);
        // Again after a crash, but never before the one before it; and none is left out.
        for (const line of new Set(outbox)) {
          const all = outbox.flatMap((name, i) => (name === line ? [i + 1] : []));
          const firsts = received.filter((n, i) => all.includes(n) && received.indexOf(n) === i);
          expect(firsts).toEqual(all);
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
