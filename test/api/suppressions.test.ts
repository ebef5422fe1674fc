import { expect, it } from 'vitest';
import { textRow, workbook } from '../intake/workbooks.ts';
import { serveApi } from './support.ts';

const api = serveApi();

const list = (query = '') => api.ask('GET', `/api/suppressions${query}`);

const shown = { name: null, source: 'api', campaign: null, until: null, created_at: expect.any(String) };

it('a suppression takes effect at once on every campaign, and can be removed for future ones', async () => {
  const recipients = [{ phone: '+14155550601', name: 'Ann Berg' }, { phone: '+14155550602' }];
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
      { phone: '+14155550601', ...shown, name: 'Ann Berg', reason: 'asked for it' },
      { phone: '+14155550609', ...shown, reason: 'asked for it' },
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
    json: { code: 'request-invalid', detail: expect.stringContaining('"x"') },
  });
  for (const body of [{}, { phones: [] }, { phones: 'x' }]) {
    expect((await api.ask('POST', '/api/suppressions', { body })).status).toBe(422);
  }
  expect((await list()).json.items.length).toBe(before);
});

it('a suppression of one campaign that ends is found by phone, source and campaign', async () => {
  await api.ask('POST', '/api/campaigns', { body: { name: 'april', agent: 'a' } });
  const phones = ['+14155550901'];
  const body = { phones, campaign: 'april', until: '30d' };
  expect((await api.ask('POST', '/api/suppressions', { body })).json).toMatchObject({ added: 1 });
  const ends = { phone: phones[0], ...shown, campaign: 'april', until: expect.any(String), reason: null };
  for (const query of ['?campaign=april', '?phone=%2B14155550901', '?source=api&campaign=april'])
    expect((await list(query)).json.items, query).toEqual([ends]);
  expect((await list('?source=opt-out')).json.items).toEqual([]);
  expect((await api.ask('DELETE', '/api/suppressions', { body: { phones } })).json.removed).toBe(0);
  const off = await api.ask('DELETE', '/api/suppressions', { body: { phones, campaign: 'april' } });
  expect(off.json).toEqual({ phones: 1, removed: 1, unknown: 0 });
  for (const until of ['yesterday', '2020-01-01', '30', '2027-02-31'])
    expect((await api.ask('POST', '/api/suppressions', { body: { phones, until } })).status, until).toBe(422);
  const nobody = await api.ask('POST', '/api/suppressions', { body: { phones, campaign: 'may' } });
  expect(nobody.json.code).toBe('campaign-unknown');
});

it('a file is imported with its own reasons and ends, told what could not be read, and comes back as it was exported', async () => {
  const headers = { 'content-type': 'text/csv' };
  const body = 'phone,reason,until\n(415) 555-0651,register,\n4155550652,,2001-01-01\nnobody,,\n';
  const sent = await api.ask('POST', '/api/suppressions/import?country=US&reason=march', { headers, body });
  expect([sent.status, sent.json]).toEqual([
    200,
    {
      phones: 1,
      added: 1,
      known: 0,
      skipped: 0,
      rejected: 1,
      rejects: [{ row: 4, reason: '"nobody" contains letters' }],
    },
  ]);
  expect((await list('?phone=%2B14155550651')).json.items).toEqual([
    { phone: '+14155550651', ...shown, source: 'import', reason: 'register' },
  ]);
  const file = await api.ask('GET', '/api/suppressions.csv');
  expect(file.text.split('\n')[0]).toBe('phone,reason,until,source,only_campaign');
  expect(file.text).toContain('\n+14155550651,register,,import,\n');
  const again = await api.ask('POST', '/api/suppressions/import', { headers, body: file.text });
  expect(again.json).toMatchObject({ added: 0, rejected: 0 });
  const broken = await api.ask('POST', '/api/suppressions/import', { headers, body: 'phone\nnobody\n' });
  expect([broken.status, broken.json.code]).toEqual([422, 'file-broken']);
});

it('a workbook with several sheets is refused, unless one is named: nobody on the others would be suppressed', async () => {
  const headers = {
    'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  };
  const sheets = {
    March: textRow(1, 'phone') + textRow(2, '+14155550671'),
    April: textRow(1, 'phone') + textRow(2, '+14155550672'),
  };
  const send = (body: Uint8Array, query = '') =>
    api.ask('POST', `/api/suppressions/import${query}`, { headers, body });
  const refused = await send(workbook({ sheets }));
  expect(refused).toMatchObject({ status: 422, json: { code: 'request-invalid' } });
  expect(refused.json.detail).toContain('"March", "April"');
  expect((await list('?phone=%2B14155550671')).json.items).toEqual([]);
  expect((await send(workbook({ sheets }), '?sheet=April')).json).toMatchObject({ added: 1 });
  expect((await list('?phone=%2B14155550672')).json.items).toHaveLength(1);
  expect((await send(workbook({ sheets: { March: sheets.March } }))).json).toMatchObject({ added: 1 });
});
