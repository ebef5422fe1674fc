import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../support/description.ts';
import { placeText } from '../support/odd-texts.ts';
import { runs } from '../support/property.ts';
import { openApi, type TestApi } from './support.ts';

/** A cursor is opaque and comes back from a client: one that no list gave out is refused, and never our own fault. */
let api: TestApi;
beforeAll(async () => {
  api = await openApi();
  const recipients = [{ phone: '+14155550123' }, { phone: '12' }];
  await api.ask('POST', '/api/campaigns', { body: { name: 'spring', agent: 'agent_1', recipients } });
});
afterAll(() => api?.close());

const lists = operations
  .filter(
    ({ method, facts }) =>
      method === 'GET' && facts.parameters?.some(({ name }: { name: string }) => name === 'cursor'),
  )
  .map(({ path }) => path.replace(/\{\w+\}/g, 'spring'));

it('is refused or read in every list', async () => {
  expect(lists.length).toBeGreaterThan(10);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...lists), placeText, async (list, cursor) => {
      const { status, text } = await api.ask('GET', `${list}?cursor=${encodeURIComponent(cursor)}`);
      if (![200, 404, 422].includes(status)) throw new Error(`${status}: ${text}`);
    }),
    { numRuns: runs(400), interruptAfterTimeLimit: 240_000 },
  );
});
