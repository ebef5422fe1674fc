import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { serveApi } from './support.ts';

/** The calls on the line now: who, how long, how they stand, and hung up by their attempt. */
type Live = {
  items: { attempt: string; phase: string; name: string | null; phone: string | null; campaign: string }[];
  counts: Record<'dialing' | 'ringing' | 'talking', number>;
};

describe('GET /api/live', () => {
  const api = serveApi({
    token: 'a-token-for-the-admin',
    simulator: { speed: 1, shares: { answered: 1 } },
  });
  const secret = { authorization: 'Bearer a-token-for-the-admin' };
  const live = async (query = '', headers = secret): Promise<Live> =>
    (await api.ask('GET', `/api/live${query}`, { headers })).json;

  beforeAll(async () => {
    api.work();
  });

  it('has nobody before a call', async () => {
    expect(await live()).toEqual({
      items: [],
      next: null,
      counts: { dialing: 0, ringing: 0, talking: 0 },
    });
  });

  it('has each call from its create on, the longest first, narrowed by campaign and key', async () => {
    const recipients = [1, 2, 3].map((n) => ({ phone: `+1415555030${n}`, name: `Person ${n}` }));
    await api.ask('POST', '/api/campaigns', {
      headers: secret,
      body: { name: 'on the line', agent: 'a', recipients, start: true },
    });
    const { items, counts } = await until(live, ({ counts: n }) => n.talking + n.ringing === 3);
    expect(items.map(({ name }) => name).sort()).toEqual(['Person 1', 'Person 2', 'Person 3']);
    expect(items.every(({ campaign }) => campaign === 'on the line')).toBe(true);
    expect(counts.dialing).toBe(0);
    const talking = await until(live, ({ counts: n }) => n.talking > 0);
    expect(talking.items.some(({ phase }) => phase === 'talking')).toBe(true);
    expect((await live('?campaign=on%20the%20line&limit=1')).items).toHaveLength(1);
    expect((await live('?limit=1')).counts).toEqual((await live()).counts);
    expect((await live('?key=another')).items).toEqual([]);
    expect((await api.ask('GET', '/api/live?campaign=nobody', { headers: secret })).status).toBe(404);
  });

  it('hides people from those who may not see them', async () => {
    const body = { name: 'wall', role: 'read' };
    const { json: wall } = await api.ask('POST', '/api/tokens', { headers: secret, body });
    const { items } = await live('', { authorization: `Bearer ${wall.token}` });
    expect(items.map(({ name, phone }) => [name, phone])).toEqual([
      [null, null],
      [null, null],
      [null, null],
    ]);
  });

  it('has a call no more that was hung up', async () => {
    const [first] = (await live()).items;
    await api.ask('POST', `/api/calls/${first!.attempt}/cancel`, { headers: secret });
    const after = await until(live, ({ items }) => !items.some(({ attempt }) => attempt === first!.attempt));
    expect(after.items.length).toBeLessThan(3);
  });
});
