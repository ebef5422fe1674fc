import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApi, type TestApi } from './support.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api?.close());

const list = (query = '') => api.ask('GET', `/api/suppressions${query}`);

it('a suppression takes effect at once on every campaign, and can be removed for future ones', async () => {
  const recipients = [{ phone: '+14155550601' }, { phone: '+14155550602' }];
  const made = await api.ask('POST', '/api/campaigns', { body: { name: 'one', agent: 'a', recipients } });
  const added = await api.ask('POST', '/api/suppressions', {
    body: {
      phones: ['+14155550601', '(415) 555-0609', '+14155550601'],
      country: 'US',
      reason: 'asked for it',
    },
  });
  expect([added.status, added.json]).toEqual([200, { phones: 2, added: 2, known: 0, skipped: 1 }]);
  const after = await api.ask('GET', `/api/campaigns/${made.json.id}`);
  expect(after.json.balance).toMatchObject({ rows: 2, waiting: 1, skipped: 1 });
  expect((await list()).json).toEqual({
    items: [
      { phone: '+14155550601', reason: 'asked for it', created_at: expect.any(String) },
      { phone: '+14155550609', reason: 'asked for it', created_at: expect.any(String) },
    ],
    next: null,
  });
  const removed = await api.ask('DELETE', '/api/suppressions', {
    body: { phones: ['+14155550601', '+14155550699'] },
  });
  expect(removed.json).toEqual({ phones: 2, removed: 1, unknown: 1 });
});

it('the list comes in pages', async () => {
  const phones = Array.from({ length: 7 }, (_, n) => `+1415555070${n}`);
  await api.ask('POST', '/api/suppressions', { body: { phones } });
  const first = await list('?limit=5');
  const second = await list(`?limit=5&cursor=${first.json.next}`);
  const found = [...first.json.items, ...second.json.items].map((item: { phone: string }) => item.phone);
  expect(found).toEqual([...new Set(found)].sort());
  expect(found).toEqual(expect.arrayContaining(phones));
});

it('a list with one invalid number changes nothing', async () => {
  const before = (await list()).json.items.length;
  const answer = await api.ask('POST', '/api/suppressions', { body: { phones: ['+14155550801', 'x'] } });
  expect(answer).toMatchObject({
    status: 422,
    json: { code: 'request-invalid', detail: expect.stringContaining('phones.1') },
  });
  for (const body of [{}, { phones: [] }, { phones: 'x' }]) {
    expect((await api.ask('POST', '/api/suppressions', { body })).status).toBe(422);
  }
  expect((await list()).json.items.length).toBe(before);
});
