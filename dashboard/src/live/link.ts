import { Problem } from '../api/ask.ts';
import { createStore } from '../kit/store.ts';
import { type Carrier, carry } from './carriers.ts';
import type { HubMessage, Link, Want } from './protocol.ts';

/** This tab's end of the live link: what it wants, what it was told, and how the link is. */
type Waiting = { resolve(body: unknown): void; reject(problem: Problem): void };

const wants = new Map<symbol, Want>();
const waiting = new Map<string, Waiting[]>();
let onData: (path: string, body: unknown) => void = () => undefined;
const link = createStore<Link>({ state: 'starting', okAt: null });
export const useLink = link.use;
let carrier: Carrier | undefined;
let queued = false;

const aliveMs = 30_000;

/** Starts the link; call it once. */
export function startLink(take: (path: string, body: unknown) => void): void {
  onData = take;
  carrier = carry(receive);
  document.addEventListener('visibilitychange', sendState);
  window.addEventListener('pageshow', sendState);
  window.addEventListener('pagehide', () => carrier?.post({ kind: 'bye' }));
  setInterval(() => carrier?.post({ kind: 'alive' }), aliveMs);
  sendState();
}

function receive(message: HubMessage): void {
  switch (message.kind) {
    case 'who':
      sendState();
      return;
    case 'link':
      link.set(message.link);
      return;
    case 'data':
      onData(message.path, message.body);
      for (const { resolve } of taken(message.path)) resolve(message.body);
      return;
    case 'problem': {
      const problem = new Problem(message.body, message.status, message.retryAfter);
      for (const { reject } of taken(message.path)) reject(problem);
    }
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
    carrier?.post({
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
    if (isAgain) carrier?.post({ kind: 'refresh', path });
  });
}

export function refreshAll(): void {
  carrier?.post({ kind: 'refresh', path: null });
}
