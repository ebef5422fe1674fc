import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { serveApi } from './support.ts';

/** The calls to a campaign's first people are listened to, and judged. */
type First = {
  items: {
    attempt: string;
    phone: string;
    outcome: string;
    judgement: { as: string; note: string } | null;
  }[];
  judged: { fine: number; wrong: number; opt_out: number; left: number };
};

describe('calls to listen to', () => {
  const api = serveApi({
    token: 'a-token-for-the-admin',
    simulator: { speed: 600, shares: { answered: 1 }, seed: 3 },
  });
  const secret = { authorization: 'Bearer a-token-for-the-admin' };
  const ask = async (method: string, path: string, body?: unknown, headers = secret) =>
    api.ask(method, path, { headers, ...(body === undefined ? {} : { body }) });
  const first = async (query = ''): Promise<First> =>
    (await ask('GET', `/api/campaigns/pilot/first${query}`)).json;
  const judge = (attempt: string, body: unknown) => ask('PUT', `/api/attempts/${attempt}/judgement`, body);

  beforeAll(async () => {
    const recipients = Array.from({ length: 8 }, (_, n) => ({
      phone: `+1415555040${n}`,
      name: `Person ${n}`,
    }));
    await ask('POST', '/api/campaigns', { name: 'pilot', agent: 'a', first: 4, recipients, start: true });
    api.work();
    await until(
      async () => (await ask('GET', '/api/campaigns/pilot')).json,
      ({ state, reason }) => state === 'paused' && reason === 'first',
    );
  });

  it('are those of the first people, none judged yet', async () => {
    const { items, judged } = await first();
    expect(items).toHaveLength(4);
    expect(items.every(({ judgement }) => judgement === null)).toBe(true);
    expect(judged).toEqual({ fine: 0, wrong: 0, opt_out: 0, left: 4 });
  });

  it('are found by what was said, once the record has it', async () => {
    const { items } = await until(
      () => first('?said=VIRTUAL%20assistant'),
      (answer) => answer.items.length === 4,
    );
    expect(items).toHaveLength(4);
    expect((await first('?said=nobody%20says%20this')).items).toEqual([]);
  });

  it('keep the last word, count it, and record who said it', async () => {
    const [one, two] = (await first()).items;
    expect((await judge(one!.attempt, { as: 'fine' })).json).toMatchObject({ as: 'fine', by: 'API_TOKEN' });
    await judge(two!.attempt, { as: 'fine' });
    await judge(two!.attempt, { as: 'wrong', note: 'named another clinic' });
    const { items, judged } = await first();
    expect(judged).toEqual({ fine: 1, wrong: 1, opt_out: 0, left: 2 });
    expect(items[1]!.judgement).toMatchObject({ as: 'wrong', note: 'named another clinic' });
    expect((await ask('GET', '/api/campaigns/pilot')).json.first_judged).toEqual(judged);
    expect((await ask('GET', `/api/attempts/${two!.attempt}`)).json.judgement.as).toBe('wrong');
    const { items: told } = (await ask('GET', '/api/activity?verb=call.judge')).json;
    expect(told[0]).toMatchObject({ subject: two!.attempt, before: { as: 'fine' }, after: { as: 'wrong' } });
  });

  it('suppress the person of an opt-out everywhere, and tell of it', async () => {
    const [, , three] = (await first()).items;
    await judge(three!.attempt, { as: 'opt-out' });
    const { items } = (await ask('GET', '/api/suppressions')).json;
    expect(items).toMatchObject([{ phone: three!.phone, source: 'opt-out' }]);
    const { json } = await ask('GET', '/api/campaigns/pilot');
    expect(json.opt_outs).toMatchObject({ people: 1, read: 0, found: 0 });
    expect((await api.app.ledger.reports.audit()).filter(({ broken }) => broken > 0)).toEqual([]);
  });

  it('say what cannot be judged', async () => {
    const { attempt } = (await first()).items[3]!;
    expect((await judge(attempt, { as: 'superb' })).status).toBe(422);
    expect((await judge('0b9f6c5e-4f0c-4a0e-8f39-0f0a3c1c9a11', { as: 'fine' })).json.code).toBe(
      'attempt-unknown',
    );
    const { json: made } = await ask('POST', '/api/tokens', { name: 'reader', role: 'read_people' });
    const reader = { authorization: `Bearer ${made.token}` };
    expect((await ask('PUT', `/api/attempts/${attempt}/judgement`, { as: 'fine' }, reader)).status).toBe(403);
    const { json: wall } = await ask('POST', '/api/tokens', { name: 'wall', role: 'read' });
    const blind = { authorization: `Bearer ${wall.token}` };
    expect((await ask('GET', '/api/campaigns/pilot/first', undefined, blind)).status).toBe(403);
    expect((await ask('GET', `/api/attempts/${attempt}/recording`, undefined, blind)).status).toBe(403);
  });

  it('are heard: the service keeps the sound behind the key, and nothing else is passed on', async () => {
    const { attempt } = (await first()).items[0]!;
    const sound = await fetch(`${api.url}/api/attempts/${attempt}/recording`, { headers: secret });
    expect(sound.status).toBe(200);
    expect(sound.headers.get('content-type')).toBe('audio/wav');
    const bytes = Buffer.from(await sound.arrayBuffer());
    expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
    expect(bytes).toHaveLength(Number(sound.headers.get('content-length')));
    const link = async (url: string | null) => {
      const client = await api.app.ledger.db.connect();
      await client.query('update carillon.ended_attempts set recording_url = $1 where id = $2', [
        url,
        attempt,
      ]);
      client.release(true);
      return (await ask('GET', `/api/attempts/${attempt}/recording`)).json;
    };
    expect(await link('http://127.0.0.1:9/x.wav')).toMatchObject({
      code: 'service-answer',
      status: 502,
    });
    expect((await link('https://localhost/x.wav')).detail).toContain('private network');
    expect((await link(`${api.simulator.url}/phone-number`)).detail).toContain('answered application/json');
    expect(await link(null)).toMatchObject({ code: 'recording-missing', status: 404 });
  });
});
