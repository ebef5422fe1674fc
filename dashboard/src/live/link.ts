import { Problem } from '../api/ask.ts';
import { asSeen } from '../api/look.ts';
import { createStore, silence } from '../kit/store.ts';
import type { HubMessage, Link, TabMessage, Want } from './protocol.ts';

/** This tab's end of the live link: what it wants, what it was told, and how the link is. */
type Waiting = { resolve(body: unknown): void; reject(problem: Problem): void };

const wants = new Map<symbol, Want>();
const waiting = new Map<string, Waiting[]>();
let onData: (path: string, body: unknown) => void = () => undefined;
const link = createStore<Link>({ state: 'starting', okAt: null });
export const useLink = link.use;
let post: (message: TabMessage) => void = () => undefined;
let queued = false;

const aliveMs = 30_000;

export function startLink(take: (path: string, body: unknown) => void): void {
  onData = take;
  post = typeof SharedWorker === 'undefined' ? byOwnHub() : byWorker();
  document.addEventListener('visibilitychange', sendState);
  window.addEventListener('pageshow', sendState);
  window.addEventListener('pagehide', () => post({ kind: 'bye' }));
  setInterval(() => post({ kind: 'alive' }), aliveMs);
  sendState();
}

function byWorker(): typeof post {
  const { port } = new SharedWorker(new URL('./worker.ts', import.meta.url), {
    type: 'module',
    name: 'carillon-live',
  });
  port.onmessage = ({ data }: MessageEvent<HubMessage>) => receive(data);
  return (message) => port.postMessage(message);
}

/** Where there is no SharedWorker, as on some phones, each tab has a hub: only the visible one asks. */
function byOwnHub(): typeof post {
  const port = { post: receive };
  const hub = import('./hub.ts').then(({ createHub }) => createHub());
  hub.catch(() => receive({ kind: 'link', link: { state: 'silent', okAt: null } }));
  return (message) => void hub.then((it) => it.receive(port, message)).catch(() => undefined);
}

function receive(message: HubMessage): void {
  if (message.kind === 'who') sendState();
  else if (message.kind === 'link') {
    link.set(message.link);
    silence.set(message.link.state === 'silent' ? (message.link.okAt ?? Date.now()) : null);
  } else if (message.kind === 'data') {
    const body = asSeen(message.body);
    onData(message.path, body);
    for (const { resolve } of taken(message.path)) resolve(body);
  } else {
    const problem = new Problem(message.body, message.status, message.retryAfter);
    for (const { reject } of taken(message.path)) reject(problem);
  }
}

function taken(path: string): Waiting[] {
  const found = waiting.get(path) ?? [];
  waiting.delete(path);
  return found;
}

/** Changes of one moment are told together. */
function sendState(): void {
  if (queued) return;
  queued = true;
  queueMicrotask(() => {
    queued = false;
    post({
      kind: 'state',
      visible: document.visibilityState === 'visible',
      wants: [...wants.values()],
    });
  });
}

/** Keeps an address up to date until the returned function is called. */
export function want(wanted: Want): () => void {
  const key = Symbol(wanted.path);
  wants.set(key, wanted);
  sendState();
  return () => {
    wants.delete(key);
    sendState();
  };
}

/** The next answer of a wanted address. */
export function next(path: string, isAgain: boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    waiting.set(path, [...(waiting.get(path) ?? []), { resolve, reject }]);
    if (isAgain) post({ kind: 'refresh', path });
  });
}

export function refreshAll(): void {
  post({ kind: 'refresh', path: null });
}
