import { describe, expect, it } from 'vitest';
import { type CarillonEvent, createClient } from '../../src/client/index.ts';
import { openApi } from '../api/support.ts';
import { openBehindProxy, token } from './support.ts';

/** The client's stream of events on connections that fail. */
const site = openBehindProxy();

const connect = () => createClient({ baseUrl: site.url(), token });
let told = 0;

/** Each is about another subject, so that gaps and doubles show. */
async function tell(many: number): Promise<string[]> {
  const subjects = Array.from({ length: many }, () => `subject-${++told}`);
  for (const subject of subjects)
    await site.api.app.ledger.events.emit({ type: 'alert.raised', subject, data: { subject } });
  return subjects;
}

async function take(events: AsyncIterator<CarillonEvent>, many: number): Promise<string[]> {
  const subjects: string[] = [];
  while (subjects.length < many) {
    const { value } = await events.next();
    subjects.push((value.data as { subject: string }).subject);
  }
  return subjects;
}

describe('the stream of events', () => {
  it('has no gap and no double over connections that break, also before the first event', async () => {
    // The ledger has no event yet.
    const events = await connect().events.follow();
    await site.proxy.cut();
    const missed = await tell(3);
    await site.proxy.restore();
    expect(await take(events, 3)).toEqual(missed);
    for (let n = 0; n < 3; n++) {
      const next = await tell(2);
      expect(await take(events, 1)).toEqual(next.slice(0, 1));
      site.proxy.reset();
      const later = await tell(2);
      expect(await take(events, 3)).toEqual([...next.slice(1), ...later]);
    }
    await events.return();
  });

  it('leaves a connection that is silent for too long', async () => {
    const events = await connect().events.follow({ silenceMs: 1_000 });
    const before = site.proxy.taken();
    site.proxy.hush();
    const missed = await tell(2);
    expect(await take(events, 2)).toEqual(missed);
    expect(site.proxy.taken()).toBeGreaterThan(before);
    await events.return();
  });

  it('continues after an event of before, for whoever iterates without waiting', async () => {
    const first = await connect().events.follow({ types: ['alert.raised'] });
    const subjects = await tell(3);
    const { value } = await first.next();
    await first.return();
    const rest: unknown[] = [];
    for await (const event of connect().events.follow({ types: ['alert.raised'], after: value.id })) {
      rest.push(event.data);
      if (rest.length === 2) break;
    }
    expect(rest).toEqual(subjects.slice(1).map((subject) => ({ subject })));
  });

  it('ends with an error where coming again would not help, and when it is told to stop', async () => {
    const { events } = connect();
    await expect(events.follow({ after: 'evt_000000000001000000000001' })).rejects.toMatchObject({
      code: 'event-gone',
      status: 410,
    });
    await expect(events.follow({ campaign: 'nowhere' })).rejects.toMatchObject({ code: 'campaign-unknown' });
    const iterated = events.follow({ campaign: 'nowhere' })[Symbol.asyncIterator]();
    await expect(iterated.next()).rejects.toMatchObject({ code: 'campaign-unknown' });
    site.proxy.freeze();
    try {
      await expect(events.follow({ silenceMs: 200 })).rejects.toMatchObject({ code: 'unreachable' });
    } finally {
      site.proxy.thaw();
    }
    const stop = new AbortController();
    const following = await events.follow({ signal: stop.signal });
    const next = following.next();
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });

  it('ends with 401 when its token is revoked', async () => {
    const admin = 'a-token-of-an-admin';
    const locked = await openApi({ token: admin });
    try {
      const client = createClient({ baseUrl: locked.url, token: admin });
      const { id, token } = await client.ask('POST /api/tokens', { body: { name: 'reader', role: 'read' } });
      const events = await createClient({ baseUrl: locked.url, token }).events.follow();
      const next = events.next();
      await client.ask('DELETE /api/tokens/{id}', { params: { id } });
      await expect(next).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
    } finally {
      await locked.close();
    }
  });
});
