import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HubMessage, TabMessage } from '../../dashboard/src/live/protocol.ts';

/** The talk of a tab with the hub; and the draft that it keeps of a campaign that is filled in. */
// Its sources are checked with a browser's types, which the tests do not have.
const source = (path: string) => import(new URL(`../../dashboard/src/${path}`, import.meta.url).href);

describe('the link of a tab', () => {
  let posted: TabMessage[] = [];
  let port: { onmessage?: (message: { data: HubMessage }) => void; postMessage(message: TabMessage): void };
  let visibility = 'visible';
  const hear = (data: HubMessage) => port.onmessage!({ data });
  const states = () => posted.flatMap((each) => (each.kind === 'state' ? [each] : []));

  beforeEach(() => {
    [posted, visibility] = [[], 'visible'];
    port = { postMessage: (message) => void posted.push(message) };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval'] });
    vi.stubGlobal('window', { addEventListener() {} });
    vi.stubGlobal('document', {
      addEventListener() {},
      get visibilityState() {
        return visibility;
      },
    });
    vi.stubGlobal(
      'SharedWorker',
      class {
        port = port;
      },
    );
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('tells once what was changed in one moment, and all of it to a new hub', async () => {
    const { startLink, want } = await source('live/link.ts');
    startLink(() => undefined);
    const keys = { path: '/api/keys', everyMs: 4_000, on: ['key.'] };
    const unwant = want(keys);
    await Promise.resolve();
    const state = { kind: 'state', visible: true, wants: [keys] };
    expect(states()).toEqual([state]);
    visibility = 'hidden';
    hear({ kind: 'who' });
    await Promise.resolve();
    expect(states().at(-1)).toEqual({ ...state, visible: false });
    unwant();
    await Promise.resolve();
    expect(states().at(-1)).toMatchObject({ wants: [] });
    expect(states()).toHaveLength(3);
  });

  it('gives an answer to everyone who waits for it, and a refusal as what to do', async () => {
    const { startLink, next } = await source('live/link.ts');
    const data: unknown[] = [];
    startLink((path: string, body: unknown) => data.push([path, body]));
    const both = Promise.all([next('/api/keys', false), next('/api/keys', true)]);
    expect(posted).toContainEqual({ kind: 'refresh', path: '/api/keys' });
    hear({ kind: 'data', path: '/api/keys', body: { items: [] } });
    expect(await both).toEqual([{ items: [] }, { items: [] }]);
    expect(data).toEqual([['/api/keys', { items: [] }]]);
    const refused = next('/api/keys', false);
    const body = { detail: 'Not allowed', remedy: 'Log in' };
    hear({ kind: 'problem', path: '/api/keys', body, status: 401, retryAfter: null });
    await expect(refused).rejects.toMatchObject({ message: 'Not allowed', remedy: 'Log in', status: 401 });
  });
});

describe('the draft of a campaign', () => {
  const kept = new Map<string, string>();
  let onStorage: (event: { key: string }) => void = () => undefined;

  it('is kept in the browser, shared by its tabs, and has a fault until its field is changed', async () => {
    vi.stubGlobal('window', {
      addEventListener: (_: string, listener: typeof onStorage) => {
        onStorage = listener;
      },
    });
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
    });
    const path = 'pages/new-campaign/draft.ts';
    const { change, clearDraft, clearFaults, draftNow, isUntouched, noteFaults } = await source(path);
    expect(isUntouched(draftNow())).toBe(true);
    change({ name: 'spring', max_calls: '4' });
    const [place, text] = [...kept][0]!;
    expect(JSON.parse(text)).toMatchObject({ name: 'spring', max_calls: '4' });

    noteFaults([
      { path: 'retry.busy', message: 'not a time' },
      { path: 'max_calls', message: 'too many' },
    ]);
    expect(draftNow().faults).toEqual({ retry: 'not a time', max_calls: 'too many' });
    change({ max_calls: '3' });
    expect(draftNow().faults).toEqual({ retry: 'not a time' });
    clearFaults(['window', 'retry']);
    expect(draftNow().faults).toEqual({});

    kept.set(place, JSON.stringify({ name: 'of another tab', evergreen: true, gone: 1 }));
    onStorage({ key: 'something else' });
    expect(draftNow().name).toBe('spring');
    onStorage({ key: place });
    expect(draftNow()).toMatchObject({ name: 'of another tab', evergreen: '', max_calls: '' });
    clearDraft();
    expect(isUntouched(draftNow())).toBe(true);
  });
});
