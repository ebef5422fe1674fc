import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type House, shareBooks } from './support.ts';
import { act, moves, order, size } from './walk.ts';

const books = await shareBooks();

/** Both sides of the balance, counted separately, and that no call is counted twice. */
async function check(house: House, campaign: string): Promise<void> {
  expect(await house.faults()).toEqual([]);
  const standing = await house.ledger.reports.standing(campaign);
  const balance = (await house.ledger.reports.balance()).find((each) => each.id === campaign)!;
  expect(standing.rows).toBe(balance.people + balance.refused);
  const { live: alive } = balance;
  const calling = (alive.dialing ?? 0) + (alive.placed ?? 0);
  expect(standing.counts.calling).toBe(calling);
  expect(standing.counts.queued).toBe(alive.planned ?? 0);
  expect(standing.counts.unknown).toBe(alive.unknown ?? 0);
  expect(standing.counts.parked).toBeGreaterThanOrEqual(alive.parked ?? 0);
}

it('the sums hold and the audit finds nothing, whatever happens in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (walk) => {
      await books.vacate();
      const { house, campaign } = await books.campaign({ people: size, ...order });
      await books.sql('delete from carillon.suppressions');
      for (const move of walk) {
        await act(books, house, campaign, move);
        await check(house, campaign);
      }
    }),
    { numRuns: 12, seed: 20_260, endOnFailure: false },
  );
});

it('things that happen at the same time leave a sound ledger too', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (walk) => {
      await books.vacate();
      const { house, campaign } = await books.campaign({ people: size, ...order });
      await books.sql('delete from carillon.suppressions');
      for (let i = 0; i < walk.length; i += 6) {
        await Promise.all(walk.slice(i, i + 6).map((move) => act(books, house, campaign, move)));
        await check(house, campaign);
      }
      // Canceled while all that still continues, it calls nobody else.
      const last = walk.slice(0, 6).filter(({ verb }) => !verb.startsWith('import'));
      await Promise.all([
        house.ledger.campaigns.cancel(campaign),
        ...last.map((move) => act(books, house, campaign, move)),
      ]);
      await house.ledger.campaigns.sweep(house.baseUrl);
      await check(house, campaign);
      for (const state of await house.states(campaign)) {
        expect(['done', 'skipped', 'rejected', 'calling', 'unknown']).toContain(state);
      }
    }),
    { numRuns: 15, seed: 20_261, endOnFailure: false },
  );
});
