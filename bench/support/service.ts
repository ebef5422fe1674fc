import { startService } from './child.ts';
import type { Stage } from './stage.ts';

/** The simulated service in a process of its own, with a limit and lengths that matter, and its private door. */
export type Service = Awaited<ReturnType<typeof openService>>;

/** `rate` is in requests a second of the wall; `speed` is how much faster time runs inside the calls. */
export type ServiceOptions = { rate: number; speed: number; seed: number; latencyMs: number };

/** A request as the service saw it; times are of its own clock that only grows, in ms. */
export type Entry = {
  mono: number;
  /** The same moment on the clock of the wall. */
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
      if (!response.ok) throw new Error(`the service took no change: ${await response.text()}`);
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
