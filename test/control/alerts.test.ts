import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWatch, type WatchDeps } from '../../src/background/alerts.ts';
import { createAsides } from '../../src/base/asides.ts';
import { systemClock } from '../../src/base/clock.ts';
import { CarillonError } from '../../src/base/errors.ts';
import { createLog } from '../../src/base/log.ts';
import { messageOf, shownAlert } from '../../src/control/alerts/message.ts';
import type { AlertNotice } from '../../src/ledger/alert-addresses/alert-addresses.ts';
import type { RaisedAlert } from '../../src/ledger/alerts/alerts.ts';
import { alertCodes, alertKinds } from '../../src/rules/alert-kinds.ts';
import { findAlerts, type Watched } from '../../src/rules/alerts.ts';
import { type Books, openBooks } from '../ledger/support.ts';

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books?.close());

it('a process raises what it sees of the ledger and of itself, and another one clears it when it is over', async () => {
  const { ledger, lane } = await keyOf('main');
  const well = wellOf(ledger);
  const stuck = [{ name: 'planner', ageMs: 60_000, stuck: true }];
  const ill = createWatch({
    ...well,
    rounds: { ...well.rounds, ages: () => stuck },
    permit: { aheadMs: () => 0, trouble: () => new CarillonError('policy-differs') },
  });
  const raised = async () =>
    (await ledger.alerts.list()).map(({ code, subject }) => `${code} ${subject}`).sort();

  await ledger.lanes.deny(lane, 'revoked');
  await ill();
  // Other rules must differ for longer.
  expect(await raised()).toEqual(['key-denied main', 'loop-stuck one:1']);

  await ledger.lanes.open(lane);
  await books.sql(`update carillon.alerts set seen_at = seen_at - interval '10 minutes'`);
  await createWatch({ ...well, machine: 'two', process: 'two:1' })();
  expect(await raised()).toEqual([]);
});

it('figures that cannot be added are an alert themselves, and keep no other from being raised', async () => {
  const { ledger, lane } = await keyOf('main');
  const near = () => Promise.reject(Object.assign(new Error('value out of range'), { code: '22003' }));
  const ill = createWatch({ ...wellOf(ledger), ledger: { ...ledger, budgets: { ...ledger.budgets, near } } });
  await ledger.lanes.deny(lane, 'revoked');
  await ill();
  await ill();
  expect((await ledger.alerts.list()).map(({ code, subject }) => `${code} ${subject}`).sort()).toEqual([
    'key-denied main',
    'row-aside watcher budgets',
  ]);
});

describe('a person’s phone in an alert', () => {
  /** As services write it, and the digits by which it could be dialled. */
  const written = [
    '+14155550123',
    '(415) 555-0123',
    '415\u2011555\u20110123',
    'sip:14155550123@host',
    '4155550123.',
  ];
  const dialled = /415\D{0,3}555\D?0123/;
  const why = `no route to ${written.join(' or ')}`;
  const everything: Watched = {
    process: 'one:1',
    machine: 'one',
    keys: ['denied', 'out_of_credit', 'failing'].map((state) => ({
      name: `key-${state}`,
      state,
      reason: why,
    })),
    numbers: [],
    still: [{ subject: 'c1', message: `autumn calls nobody: ${why}`, remedy: 'Correct it.' }],
    ending: [{ id: 'c1', name: why, endAt: '2026-03-02T17:00:00Z', left: 9, uncalled: 9 }],
    budgets: [{ subject: 'c1', whose: `calls of ${why}`, spent: 80, most: 100, currency: 'USD' }],
    unknown: 9,
    imports: [{ id: 'i1', campaign: why, reason: why }],
    acts: [{ id: 'b1', act: 'retry', reason: why }],
    webhooks: [{ id: 'w1', host: 'example.com', reason: why }],
    lists: [{ id: 'c2', name: why, rows: 12, rejected: 11, reason: why }],
    addresses: [{ id: 'a1', kind: 'email', reason: why }],
    loops: [{ name: 'planner', ageMs: 60_000, stuck: true }],
    asides: [{ loop: 'planner', id: 'c1', why }],
    clockAheadMs: 60_000,
    policyDiffers: why,
    differing: [true, false].map((isKey) => ({ process: 'two:1', isKey, message: why })),
    historyLost: why,
    disk: { path: '/data', free: 1, size: 2 ** 40 },
  };
  const noticesOf = (watched: Watched): AlertNotice[] =>
    findAlerts(watched, () => false).flatMap((sight, number) =>
      (['alert.raised', 'alert.cleared'] as const).map((type) => {
        const { severity, title, remedy } = alertKinds[sight.code];
        const alert = { ...sight, severity, title, remedy, since: '2026-03-02T12:00:00.000Z' };
        return { number, type, at: new Date(0), times: 1, alert };
      }),
    );

  it('is in no message of any kind, wherever it is sent', () => {
    const notices = noticesOf(everything);
    expect(new Set(notices.map(({ alert }) => alert.code))).toEqual(
      new Set(alertCodes.filter((code) => code !== 'number-resting')),
    );
    for (const notice of notices) {
      const { subject, text, slack } = messageOf([notice], undefined);
      for (const sent of [subject, text, JSON.stringify(slack), JSON.stringify(shownAlert(notice))])
        expect(sent).not.toMatch(dialled);
      if (notice.alert.message.includes(why)) expect(text).toContain('+1415•••23 or (415•••23');
    }
    expect(JSON.stringify(messageOf(notices, undefined))).not.toMatch(dialled);
  });

  it('is not a caller number, which is told whole', () => {
    const numbers = [{ name: '+14155550123', rest: 'answers', sure: 0.999, noneAwake: false }];
    const [notice] = noticesOf({ ...everything, keys: [], numbers });
    expect(notice!.alert.code).toBe('number-resting');
    expect(messageOf([notice!], undefined).text).toContain('The caller number +14155550123 rests');
    expect(shownAlert(notice!)).toMatchObject({ subject: '+14155550123' });
  });

  it('is kept neither with the alert nor in the activity', async () => {
    const { ledger, lane } = await keyOf('masked');
    await ledger.lanes.deny(lane, why);
    await createWatch({ ...wellOf(ledger), lanes: [{ name: 'masked' }] })();
    const [{ message }] = (await ledger.alerts.list()).filter(({ subject }) => subject === 'masked') as [
      RaisedAlert,
    ];
    expect(message).toContain('+1415•••23');
    for (const table of ['alerts', 'activity', 'outbox', 'events'])
      expect(JSON.stringify(await books.sql(`select * from carillon.${table}`))).not.toMatch(dialled);
  });
});

const wellOf = (ledger: WatchDeps['ledger']): WatchDeps => ({
  ledger,
  rounds: { ages: () => [], asides: createAsides({ clock: systemClock, log: createLog('silent') }) },
  permit: { aheadMs: () => 0, trouble: () => null },
  endings: async () => [],
  lanes: [{ name: 'main' }],
  home: tmpdir(),
  machine: 'one',
  process: 'one:1',
});

async function keyOf(name: string) {
  const { ledger } = books.house();
  const [row] = await ledger.lanes.join([name]);
  return { ledger, lane: row!.id };
}
