import { createServer } from 'node:net';
import type { ApiOptions } from '../api/server.ts';
import type { App } from '../app.ts';

/** The API and the page on one port; the page is built meanwhile if it is not built yet. */
export type Served = Pick<ApiOptions, 'host' | 'port' | 'token' | 'readToken' | 'stations'> & {
  /** Writes one line if the page cannot be built. */
  note(line: string): void;
};

export async function servePage(app: App, { note, ...options }: Served): Promise<string> {
  // Workers need no web server, and start sooner without one.
  const { startApi } = await import('../api/server.ts');
  const { createPageStore } = await import('../api/page/store.ts');
  const { startPageBuilder } = await import('../api/page/builder.ts');
  const page = createPageStore();
  const api = app.lifecycle.add(await startApi(app, { ...options, page }));
  app.lifecycle.add(startPageBuilder({ store: page, note }));
  return api.url;
}

/** Whether nothing listens on this port of this machine. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
