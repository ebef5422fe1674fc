import { describe, expect, it } from 'vitest';
import { serveApi } from './support.ts';

/** Views: filters of people with a name, for everyone and every campaign. */
const api = serveApi();

const keep = (name: string, filter: object) =>
  api.ask('PUT', `/api/views/${encodeURIComponent(name)}`, { body: { filter } });
const list = async () => (await api.ask('GET', '/api/views')).json.items;

describe('a view', () => {
  it('is kept as it was given, replaced by its name, and removed', async () => {
    const filter = { state: 'done', outcome: 'no-answer,busy', since: '2026-11-01T09:00:00Z' };
    expect((await keep('to try / again', filter)).json).toMatchObject({ name: 'to try / again', filter });
    expect((await keep('gold', { variable: ['plan:gold', 'city:Oslo'] })).status).toBe(200);
    expect((await keep('gold', { variable: 'plan:gold' })).status).toBe(200);
    expect(await list()).toMatchObject([
      { name: 'gold', filter: { variable: 'plan:gold' }, made_by: 'loopback' },
      { name: 'to try / again', filter },
    ]);
    expect((await api.ask('DELETE', '/api/views/to%20try%20%2F%20again')).status).toBe(200);
    expect(await list()).toHaveLength(1);
    const gone = await api.ask('DELETE', '/api/views/to%20try%20%2F%20again');
    expect([gone.status, gone.json.code]).toEqual([404, 'view-unknown']);
  });

  it.each([
    [{ phone: '+14155550123' }, 'filter.phone'],
    [{ name: 'ann' }, 'filter.name'],
    [{ recipient: '12' }, 'filter.recipient'],
    [{ state: 'asleep' }, 'filter.state'],
    [{ since: 'yesterday' }, 'filter.since'],
  ])('is refused with %j', async (filter, path) => {
    const refused = await keep('one person', filter);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(path);
  });

  it('is gone with the person whose phone its filter has', async () => {
    await keep('the one', { variable: 'second phone:+14155550123' });
    await keep('others', { variable: 'second phone:+14155550124' });
    await api.ask('POST', '/api/erase', { body: { phone: '+14155550123' } });
    expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['gold', 'others']);
  });

  it('is one of two hundred at most', async () => {
    await api.sql(
      `insert into carillon.views (name, filter, made_by) select 'view ' || n, '{}', 'x' from generate_series(1, 197) n`,
    );
    expect((await keep('the last', {})).status).toBe(200);
    const refused = await keep('one more', {});
    expect([refused.status, refused.json.detail]).toEqual([422, '200 views are kept already']);
    expect((await keep('gold', {})).status).toBe(200);
  });
});
