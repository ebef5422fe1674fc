import { join } from 'node:path';
import { startService } from './child.ts';
import type { Stage } from './stage.ts';

/** `carillon up` as a process of its own on a fresh ledger, as a client of its API sees it. */
export type Up = Awaited<ReturnType<typeof openUp>>;

export type UpOptions = {
  keys?: number;
  redisUrl?: string | undefined;
  /** An empty database on a server of the user's own. */
  databaseUrl?: string | undefined;
  /** Makes the ledger ready for the service at this address. */
  prepare?(service: string): Promise<void>;
};

export async function openUp(stage: Stage, signal: AbortSignal, perSecond: number, options: UpOptions = {}) {
  const service = await stage.startService(signal);
  const database = options.databaseUrl
    ? { url: options.databaseUrl, drop: async () => undefined }
    : await stage.freshDatabase();
  await options.prepare?.(service.url);
  const up = await startService([stage.program, 'up'], {
    cwd: stage.folder,
    signal,
    env: {
      ...envOf(stage, service.url, database.url, perSecond, options.keys),
      PORT: '0',
      REDIS_URL: options.redisUrl,
    },
  });
  const url = /http:\S+/.exec(up.firstLine)![0];
  const json = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(url + path, init);
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  return {
    pid: up.pid,
    port: Number(new URL(url).port),
    databaseUrl: database.url,
    get: (path: string): Promise<unknown> => json(path),
    post: (path: string, body?: string | Blob, type = 'application/json'): Promise<unknown> =>
      json(path, {
        method: 'POST',
        body,
        headers: body === undefined ? {} : { 'content-type': type },
      } as RequestInit),
    async close() {
      await up.stop();
      await service.stop();
      await database.drop();
    },
  };
}

/** A number of keys, as VOICE_API_KEYS takes them. */
export function manyKeys(count: number): string {
  return Array.from({ length: count }, (_, nth) => `bench${nth}=bench-key-${nth}`).join(',');
}

export function envOf(stage: Stage, service: string, database: string, perSecond: number, keys = 1) {
  return {
    PATH: process.env.PATH,
    VOICE_BASE_URL: service,
    VOICE_API_KEYS: manyKeys(keys),
    VOICE_RATE: String(perSecond),
    DATABASE_URL: database,
    CARILLON_HOME: join(stage.folder, 'home'),
  };
}
