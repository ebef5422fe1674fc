import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startService } from './child.ts';

/**
 * The voice service in Python that shares no code with ours: its limit changes while it runs, and it counts for itself.
 */
export type Independent = Awaited<ReturnType<typeof openIndependent>>;

export type Request = { at: number; key: number | null; kind: string; status: number };

/** Times are milliseconds after the first create. */
export type Journal = {
  /** The moment of the first create on the wall clock. */
  beganAt: number | null;
  now: number;
  /** The requests a second that the service allowed, and from when. */
  rates: { from: number; rate: number | null }[];
  requests: Request[];
  /** When other clients were let through. */
  strangers: number[];
  calls: { from: number; to: number }[];
};

const script = fileURLToPath(new URL('../independent/service.py', import.meta.url));

export function hasPython(): boolean {
  return spawnSync('python3', ['--version']).status === 0;
}

/** `args` are the options of `service.py`. */
export async function openIndependent(args: readonly string[], signal: AbortSignal) {
  const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' };
  const service = await startService([script, ...args], { cwd: process.cwd(), env, signal }, 'python3');
  const { url } = JSON.parse(service.firstLine) as { url: string };
  return {
    url,
    stop: service.stop,
    /** When the first create came, on the wall clock. */
    async beganAt(): Promise<number | null> {
      const answer = await fetch(new URL('/_began', url));
      return ((await answer.json()) as { began_at: number | null }).began_at;
    },
    async journal(): Promise<Journal> {
      const read = (await (await fetch(new URL('/_journal', url))).json()) as {
        began_at: number | null;
        now: number;
        rates: [number, number | null][];
        entries: [number, number | null, string, number][];
        strangers: number[];
        calls: [number, number][];
      };
      return {
        beganAt: read.began_at,
        now: read.now,
        rates: read.rates.map(([from, rate]) => ({ from, rate })),
        requests: read.entries.map(([at, key, kind, status]) => ({ at, key, kind, status })),
        strangers: read.strangers,
        calls: read.calls.map(([from, to]) => ({ from, to })),
      };
    },
  };
}
