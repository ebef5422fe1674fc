import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../support/description.ts';
import { requestsFor } from '../support/requests.ts';
import { openApi, type TestApi } from './support.ts';

/**
 * Whatever is asked, the answer is one that the description names, and none is our own fault. `npm run fuzz` sends ten
 * thousand requests; FUZZ_REQUESTS and FUZZ_SEED set how many, and which.
 */
const requests = Number(process.env.FUZZ_REQUESTS ?? 1_200);
const seed = process.env.FUZZ_SEED === undefined ? undefined : Number(process.env.FUZZ_SEED);

let api: TestApi;
beforeAll(async () => {
  api = await openApi({ env: { CARILLON_HOOK_SECRET: 'a-secret-for-the-hook' } });
  for (const name of ['spring', 'may']) {
    const recipients = [{ phone: '+14155550123', name: 'Ann' }, { phone: '+14155550199' }];
    await api.ask('POST', '/api/campaigns', { body: { name, agent: 'agent_1', recipients } });
  }
});
afterAll(() => api?.close());

/** An answer that stays open has no end to wait for. */
const asked = operations.filter(({ facts }) => !facts.responses[200]?.content?.['text/event-stream']);

it('answers every request, valid or broken, as the description says', async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(requestsFor(asked), async ({ method, path, headers, body }) => {
      const answer = await api.ask(method, path, { headers, body });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status >= 500 && answer.status !== 502) throw new Error(`${answer.status}: ${answer.text}`);
    }),
    { numRuns: requests, interruptAfterTimeLimit: 240_000, ...(seed === undefined ? {} : { seed }) },
  );
  // Most are not only refused: valid requests come through.
  expect(statuses.get(200)).toBeGreaterThan(requests / 10);
  if (process.env.FUZZ_REQUESTS) console.log(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)));
});
