import { startService } from './child.ts';
import type { Stage } from './stage.ts';

/** The simulated service in its own process, with a limit and realistic call lengths, and its control API. */
export type Service = Awaited<ReturnType<typeof openService>>;

/** `rate` is requests a second of wall-clock time; `speed` is how much faster simulated time runs. */
export type ServiceOptions = { rate: number; speed: number; seed: number; latencyMs: number };

/** A request as the service saw it; times are in ms on its monotonic clock. */
export type Entry = {
  mono: number;
  /** The same moment on the wall clock. */
  at: number;
  method: string;
  path: string;
  answer: number | string;
  phone: string | null;
  call: string | null;
};

export async function openService(stage: Stage, options: ServiceOptions, signal: AbortSignal) {
  const { rate, speed, seed, latencyMs } = options;
  const flags = { port: 0, rate, speed, seed, latency: latencyMs };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const service = await startService([stage.program, 'sim', ...args, '--json'], {
    cwd: stage.folder,
    env: { PATH: process.env.PATH },
    signal,
  });
  const { url } = JSON.parse(service.firstLine) as { url: string };
  const door = (name: string) => new URL(`/_sim/${name}`, url);
  return {
    url,
    pid: service.pid,
    stop: service.stop,
    /** Changes what the service does from now on. */
    async control(change: Record<string, unknown>): Promise<void> {
      const response = await fetch(door('control'), { method: 'POST', body: JSON.stringify(change) });
      if (!response.ok) throw new Error(`the service refused the change: ${await response.text()}`);
    },
    async made(): Promise<number> {
      return ((await (await fetch(door('state'))).json()) as { created: number }).created;
    },
    async journal(): Promise<Entry[]> {
      const text = await (await fetch(door('journal'))).text();
      return text
        .split('\n')
        .filter((line) => line)
        .map((line) => JSON.parse(line) as Entry);
    },
  };
}
