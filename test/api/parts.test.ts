import { beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/ledger/migrate.ts';
import { serveApi } from './support.ts';

/** People are found by a part of the phone or the name, in any case and without accents. */
describe('a search by parts', () => {
  const api = serveApi({ token: 'a-token-for-the-admin' });
  const headers = { authorization: 'Bearer a-token-for-the-admin' };
  const people = [
    { phone: '+14155550133', name: 'Nora Castellanos' },
    { phone: '+13125550134', name: 'Henrik Dahl' },
    { phone: '+34915550133', name: 'José Muñoz' },
    { phone: '+14155559876', name: 'nora 50% lindqvist_x' },
  ];
  const names = (json: { items: { name: string }[] }) => json.items.map(({ name }) => name).sort();
  const ask = async (path: string, as = headers) => (await api.ask('GET', path, { headers: as })).json;
  const find = async (q: string) => names(await ask(`/api/find?q=${encodeURIComponent(q)}`));

  beforeAll(async () => {
    for (const name of ['spring', 'autumn'])
      await api.ask('POST', '/api/campaigns', {
        headers,
        body: { name, agent: 'a', recipients: name === 'spring' ? people : people.slice(0, 1) },
      });
  });

  it('finds parts of phones and names, over all campaigns', async () => {
    expect(await find('0133')).toEqual(['José Muñoz', 'Nora Castellanos', 'Nora Castellanos']);
    expect(await find('555 01')).toEqual(await find('55501'));
    expect(await find('NORA cast')).toEqual(['Nora Castellanos', 'Nora Castellanos']);
    expect(await find('munoz')).toEqual(['José Muñoz']);
    expect(await find('JOSÉ')).toEqual(['José Muñoz']);
    expect(await find('nobody like that')).toEqual([]);
    expect(await find('no')).toEqual([]);
  });

  it('takes the signs of a pattern as what they are', async () => {
    expect(await find("%' or 1=1 --")).toEqual([]);
    expect(await find('%%%%')).toEqual([]);
    expect(await find('lindqvist_x')).toEqual(['nora 50% lindqvist_x']);
  });

  it('prefers anyone who is named whole', async () => {
    expect(await find('+1 (415) 555-0133')).toEqual(['Nora Castellanos', 'Nora Castellanos']);
  });

  it('is a filter of a campaign and of a search, with the others', async () => {
    expect(names(await ask('/api/campaigns/spring/recipients?name=nora'))).toEqual([
      'Nora Castellanos',
      'nora 50% lindqvist_x',
    ]);
    expect(names(await ask('/api/campaigns/autumn/recipients?name=dahl'))).toEqual([]);
    expect(names(await ask('/api/calls?name=nora&state=done'))).toEqual([]);
    expect(names(await ask('/api/find?q=nora&outcome=answered'))).toEqual([]);
    expect(names(await ask('/api/calls?name=nora&campaign=autumn'))).toEqual(['Nora Castellanos']);
    const { status, json } = await api.ask('GET', '/api/calls?name=no', { headers });
    expect([status, json.code]).toEqual([422, 'request-invalid']);
  });

  it('finds first who was called last, then who was added last, on every page', async () => {
    const called = (phone: string, ago: number) =>
      api.sql(`update carillon.recipients set attempts = 1, updated_at = now() - interval '${ago} minutes'
        where phone = '${phone}' and campaign_id = (select id from carillon.campaigns where name = 'spring')`);
    await called('+14155550133', 9);
    await called('+14155559876', 60);
    const found: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const page = await ask(`/api/find?q=nora&limit=1${next && `&cursor=${next}`}`);
      for (const { phone, campaign } of page.items) found.push(`${phone.slice(-4)} ${campaign}`);
      next = page.next;
    }
    expect(found).toEqual(['0133 spring', '9876 spring', '0133 autumn']);
  });

  it('pages through those who have it', async () => {
    const first = await ask('/api/calls?name=nora&limit=2');
    const second = await ask(`/api/calls?name=nora&limit=2&cursor=${first.next}`);
    expect(first.items).toHaveLength(2);
    expect(second.items).toHaveLength(1);
    expect(second.next).toBeNull();
  });

  it('does not find people for those who may not see them', async () => {
    const body = { name: 'wall', role: 'read' };
    const { json: wall } = await api.ask('POST', '/api/tokens', { headers, body });
    const as = { authorization: `Bearer ${wall.token}` };
    for (const path of [
      '/api/find?q=nora',
      '/api/calls?name=nora',
      '/api/campaigns/spring/recipients?name=nora',
    ])
      expect((await ask(path, as)).code).toBe('forbidden');
  });

  it('follows a change of the name, and forgets who is erased or deleted', async () => {
    const { items } = await ask('/api/campaigns/spring/recipients?name=dahl');
    const path = `/api/campaigns/spring/recipients/${items[0].id}`;
    await api.ask('PATCH', path, { headers, body: { name: 'Hendrika Dahl' } });
    expect(await find('hendrika')).toEqual(['Hendrika Dahl']);
    expect(await find('henrik dahl')).toEqual([]);
    await api.ask('POST', '/api/erase', { headers, body: { phone: '+34915550133' } });
    expect(await find('munoz')).toEqual([]);
    await api.ask('POST', '/api/campaigns/autumn/cancel', { headers });
    await api.ask('DELETE', '/api/campaigns/autumn', { headers });
    await expect
      .poll(async () => (await api.sql('select count(*)::integer as n from carillon.people_words'))[0]!.n)
      .toBe(3);
  });

  it('takes in people who were there before, also in parts', async () => {
    await api.sql('truncate carillon.people_words');
    await api.sql('insert into carillon.people_words_fill select 0, max(id) from carillon.recipients');
    expect(await api.app.ledger.search.fillWords(2)).toBe(true);
    // One of the two latest was erased.
    expect((await api.sql('select count(*)::integer as n from carillon.people_words'))[0]!.n).toBe(1);
    while (await api.app.ledger.search.fillWords(2));
    expect(await find('hendrika')).toEqual(['Hendrika Dahl']);
    expect(await api.sql('select * from carillon.people_words_fill')).toEqual([]);
  });

  it('takes in a long list after its import, and its people at once when somebody looks for them', async () => {
    const recipients = Array.from({ length: 200 }, (_, n) => ({
      phone: `+1415556${String(n).padStart(4, '0')}`,
      name: `Listed ${n}`,
    }));
    await api.ask('POST', '/api/campaigns', { headers, body: { name: 'long', agent: 'a', recipients } });
    expect(
      (await api.sql('select count(*)::integer as n from carillon.people_words_fill'))[0]!.n,
    ).toBeGreaterThan(0);
    expect(await find('listed 199')).toEqual(['Listed 199']);
    expect(await api.sql('select * from carillon.people_words_fill')).toEqual([]);
  });

  it('narrows by words that are too short for the index, and finds a name of nothing else', async () => {
    const recipients = ['Li Na', 'Lina Natt', 'Natalia Natt'].map((name, n) => ({
      phone: `+1415557800${n}`,
      name,
    }));
    await api.ask('POST', '/api/campaigns', { headers, body: { name: 'short', agent: 'a', recipients } });
    expect(await find('natt li')).toEqual(['Lina Natt', 'Natalia Natt']);
    expect(await find('li natt - 02')).toEqual(['Natalia Natt']);
    expect(await find('li na')).toEqual(['Li Na']);
    expect(await find('na li')).toEqual([]);
  });

  it('says what it cannot do where the database has no index for it, until it is made', async () => {
    await api.sql('drop index carillon.people_words_parts');
    const { status, json } = await api.ask('GET', '/api/find?q=nora', { headers });
    expect([status, json.code]).toEqual([409, 'parts-unsearchable']);
    expect(await find('+14155550133')).toEqual(['Nora Castellanos']);
    await migrate(api.app.config.databaseUrl!);
    expect(await find('nora cast')).toEqual(['Nora Castellanos']);
  });
});
