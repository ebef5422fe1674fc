import { beforeEach, describe, expect, it, vi } from 'vitest';
import { startSimulator } from '../../simulator/server.ts';
import { type ProxyAct, startHttpProxy } from '../support/http-proxy.ts';
import { shareHall } from './support.ts';

/** A create through an HTTP proxy is sent once at most, and the proxy's effect is told as what it is. */
const hall = await shareHall();

beforeEach(() => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  return () => vi.unstubAllEnvs();
});

/** Dials one person twice, and tells the attempt and the creates that reached the service. */
async function dialThrough(scheme: 'http' | 'https', act: ProxyAct | 'away') {
  const service = await startSimulator({ rate: null, speed: 600, seed: 3 });
  const proxy = await startHttpProxy(Number(new URL(service.url).port));
  if (act === 'away') await proxy.close();
  else proxy.act = act;
  try {
    // No name server knows this name: only the proxy leads to the service.
    const baseUrl = `${scheme}://voice-${proxy.port}.invalid/v1`;
    const through = { url: proxy.url, authorization: null };
    // Where an answer comes, a busy machine has time for it.
    const timeoutMs = act === 'hang' ? 1_000 : 20_000;
    return await hall.with({ baseUrl, proxy: through, timeoutMs }, async (stage) => {
      const { id } = await stage.onePlanned();
      await stage.dial(id);
      const { state, recipientState } = await stage.attempt(id);
      if (state !== 'planned') await stage.dial(id);
      return { state, recipientState, posts: [...service.journal({ method: 'POST' })].length };
    });
  } finally {
    await proxy.close();
    await service.close();
  }
}

const placed = { state: 'placed', recipientState: 'calling' };
const unknown = { state: 'unknown', recipientState: 'unknown' };
const planned = { state: 'planned', recipientState: 'queued' };

describe('an attempt through an HTTP proxy', () => {
  it.each<[string, 'http' | 'https', ProxyAct | 'away', object, number]>([
    ['is placed by a tunnel', 'https', 'pass', placed, 1],
    ['is placed by a whole address', 'http', 'pass', placed, 1],
    ['is unknown when its tunnel breaks under the answer', 'https', 'reset', unknown, 1],
    ['is unknown when the proxy breaks the connection after it passed it on', 'http', 'reset', unknown, 1],
    ['is unknown when the proxy answers 504 after it passed it on', 'http', { instead: 504 }, unknown, 1],
    ['is unknown when the proxy passes it on and says nothing', 'http', 'hang', unknown, 1],
    [
      'is unknown when the proxy answers 502, as nothing proves that it sent nothing',
      'http',
      { refuse: 502 },
      unknown,
      0,
    ],
    ['is unknown when the proxy answers 407, for the same reason', 'http', { refuse: 407 }, unknown, 0],
    ['waits when the proxy answers 429', 'http', { refuse: 429 }, planned, 0],
    ['waits when the proxy refuses the tunnel with 502', 'https', { refuse: 502 }, planned, 0],
    ['waits when the proxy refuses the tunnel with 407', 'https', { refuse: 407 }, planned, 0],
    ['waits when the proxy never opens the tunnel', 'https', 'hang', planned, 0],
    ['waits when the proxy of a tunnel is away', 'https', 'away', planned, 0],
    ['waits when the proxy is away', 'http', 'away', planned, 0],
  ])('%s (%s)', async (_, scheme, act, state, posts) => {
    expect(await dialThrough(scheme, act)).toEqual({ ...state, posts });
  });
});
