import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWatch, type WatchDeps } from '../../src/background/alert-watch.ts';
import { CarillonError } from '../../src/base/errors.ts';
import { type Books, openBooks } from '../ledger/support.ts';

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(() => books?.close());

it('a process raises what it sees of the ledger and of itself, and another one clears it when it is over', async () => {
  const { ledger, lane } = await keyOf('main');
  const well: WatchDeps = {
    ledger,
    rounds: { ages: () => [] },
    permit: { aheadMs: () => 0, trouble: () => null },
    lanes: [{ name: 'main' }],
    home: tmpdir(),
    machine: 'one',
    process: 'one:1',
  };
  const stuck = [{ name: 'planner', ageMs: 60_000, stuck: true }];
  const ill = createWatch({
    ...well,
    rounds: { ages: () => stuck },
    permit: { aheadMs: () => 0, trouble: () => new CarillonError('policy-differs') },
  });
  const raised = async () =>
    (await ledger.alerts.list()).map(({ code, subject }) => `${code} ${subject}`).sort();

  await ledger.lanes.deny(lane, 'revoked');
  await ill();
  // Other rules must differ for longer.
  expect(await raised()).toEqual(['key-denied main', 'loop-stuck planner of one:1']);

  await ledger.lanes.open(lane);
  await books.sql(`update carillon.alerts set seen_at = seen_at - interval '10 minutes'`);
  await createWatch({ ...well, machine: 'two', process: 'two:1' })();
  expect(await raised()).toEqual([]);
});

async function keyOf(name: string) {
  const { ledger } = books.house();
  const [row] = await ledger.lanes.join([name]);
  return { ledger, lane: row!.id };
}
