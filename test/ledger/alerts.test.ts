import { beforeEach, describe, expect, it } from 'vitest';
import type { SeenAlert } from '../../src/ledger/alerts/alerts.ts';
import { persons, shareBooks } from './support.ts';

const books = await shareBooks();
let from: number;
beforeEach(async () => {
  await books.sql('delete from carillon.alerts');
  from = await books.ledger.events.number();
});

const denied: SeenAlert = {
  code: 'key-denied',
  subject: 'main',
  severity: 'critical',
  title: 'The service does not accept a key',
  message: 'The key main is denied',
  remedy: 'Correct it.',
  after: 0,
  unseen: 45,
};
const watch = (...seen: SeenAlert[]) => books.ledger.alerts.watch(seen);
const raised = async () =>
  (await books.ledger.alerts.list()).map(({ code, subject }) => `${code} ${subject}`);
/** So much time passes for the alerts. */
const pass = (seconds: number) =>
  books.sql(
    `update carillon.alerts set first_at = first_at - make_interval(secs => $1),
      seen_at = seen_at - make_interval(secs => $1)`,
    [seconds],
  );

async function told() {
  const { events } = books.ledger;
  await events.number();
  return (await events.read(from, 100)).events.map(({ type, data }) => ({ type, data }));
}

describe('an alert', () => {
  it('is raised once, however many processes see it at once or how often one does, and told with what to do', async () => {
    await Promise.all(Array.from({ length: 5 }, () => watch(denied, denied)));
    expect(await raised()).toEqual(['key-denied main']);
    const { after, unseen, ...shown } = denied;
    expect(await told()).toEqual([
      { type: 'alert.raised', data: { ...shown, since: expect.stringMatching(/^\d{4}-.*Z$/) } },
    ]);
  });

  it('is cleared once, when no process has seen it for its time', async () => {
    await watch(denied);
    await pass(44);
    await watch();
    expect(await raised()).toEqual(['key-denied main']);
    await pass(2);
    await Promise.all([watch(), watch(), watch()]);
    expect(await raised()).toEqual([]);
    expect((await told()).map(({ type }) => type)).toEqual(['alert.raised', 'alert.cleared']);
    const { activity } = books.ledger;
    const filter = { who: null, verbs: null, subject: 'main', campaignId: null, since: null, until: null };
    expect((await activity.page(null, 2, filter)).map(({ verb, who }) => [verb, who])).toEqual([
      ['alert.clear', 'carillon'],
      ['alert.raise', 'carillon'],
    ]);
  });

  it('is not raised before it has lasted long enough, nor when it was over meanwhile', async () => {
    const failing: SeenAlert = { ...denied, code: 'key-failing', severity: 'warning', after: 60, unseen: 30 };
    await watch(failing);
    await pass(29);
    await watch(failing);
    expect(await raised()).toEqual([]);
    await pass(40);
    // It was not seen for longer than that: this is another one.
    await watch(failing);
    await pass(25);
    await watch(failing);
    expect(await raised()).toEqual([]);
    for (let n = 0; n < 2; n++) {
      await pass(25);
      await watch(failing);
    }
    expect(await raised()).toEqual(['key-failing main']);
    expect(await told()).toHaveLength(1);
  });
});

it('the facts count the calls that became unknown lately, of this service', async () => {
  const { house, id: first } = await books.planned({ people: 2 });
  await house.call(first);
  const before = (await house.ledger.alerts.facts()).unknown;
  await books.sql(`update carillon.attempts set state = 'unknown', reason = 'lost' where id = $1`, [first]);
  expect((await house.ledger.alerts.facts()).unknown).toBe(before + 1);
  expect(await house.ledger.alerts.facts()).toMatchObject({ imports: [], acts: [], webhooks: [] });
});

it('the facts name new campaigns most of whose rows were rejected, at least ten, and why the first was', async () => {
  const house = books.house();
  const rejected = (count: number) =>
    persons(count, 100).map(({ row, input }) => ({ row, input, reason: `no phone in row ${row}` }));
  const most = await house.campaign({ people: 3 });
  await house.add(most, [], { rejected: rejected(12) });
  await house.add(await house.campaign({ people: 20 }), [], { rejected: rejected(12) });
  await house.add(await house.campaign(), [], { rejected: rejected(9) });
  const { lists } = await house.ledger.alerts.facts();
  expect(lists).toEqual([
    { id: most, name: expect.any(String), rows: 15, rejected: 12, reason: 'no phone in row 101' },
  ]);
});
