import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shareBooks } from './support.ts';
import { act, expectBalance, moves, order, size } from './walk.ts';

const books = await shareBooks();

it('things that happen at the same time leave a sound ledger', async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (walk) => {
      await books.vacate();
      const { house, campaign } = await books.campaign({ people: size, ...order });
      await books.sql('delete from carillon.suppressions');
      for (let i = 0; i < walk.length; i += 6) {
        await Promise.all(walk.slice(i, i + 6).map((move) => act(books, house, campaign, move)));
        await expectBalance(house, campaign);
      }
      // Canceled while all that still continues, it calls nobody else.
      const last = walk.slice(0, 6).filter(({ verb }) => !verb.startsWith('import'));
      await Promise.all([
        house.ledger.campaigns.cancel(campaign),
        ...last.map((move) => act(books, house, campaign, move)),
      ]);
      await house.ledger.campaigns.sweep(house.baseUrl);
      await expectBalance(house, campaign);
      for (const state of await house.states(campaign)) {
        expect(['done', 'skipped', 'rejected', 'calling', 'unknown']).toContain(state);
      }
    }),
    { numRuns: 15, seed: 20_261, endOnFailure: false },
  );
});
