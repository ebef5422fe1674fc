import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JournalEntry } from '../../simulator/journal.ts';

/** The simulated service in its own process, and the control API by which the harness steers and reads it. */
export type Service = {
  port: number;
  control(change: object): Promise<void>;
  state(): Promise<{ created: number; duplicates: number; requests: number }>;
  journal(filter?: { after?: number; method?: string }): Promise<JournalEntry[]>;
  /** The service's record of a call. */
  record(id: string): Promise<{ id: string; status: string; phone_number: string; updated_at: string }>;
  stop(): Promise<void>;
};

export type ServiceOptions = { seed: number; rate: number; speed: number; keys: readonly string[] };

export async function startService(
  program: string,
  folder: string,
  { seed, rate, speed, keys }: ServiceOptions,
): Promise<Service> {
  const args = ['sim', '--port', '0', '--json', '--seed', String(seed % 1_000_000)];
  args.push('--rate', String(rate), '--speed', String(speed), '--latency', '5-25');
  for (const key of keys) args.push('--key', key);
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(JSON.parse(text) as { port: number });
    });
    child.once('close', () => reject(new Error('the simulator did not start')));
  });
  const origin = `http://127.0.0.1:${port}`;
  const read = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const answer = await fetch(`${origin}${path}`, init);
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  return {
    port,
    async control(change) {
      const body = JSON.stringify(change);
      await read('/_sim/control', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    },
    state: () => read('/_sim/state'),
    async journal(filter = {}) {
      const query = new URLSearchParams(
        Object.entries(filter).map(([name, value]) => [name, String(value)] as [string, string]),
      );
      const answer = await fetch(`${origin}/_sim/journal?${query}`);
      const lines = (await answer.text()).split('\n');
      return lines.filter((line) => line).map((line) => JSON.parse(line) as JournalEntry);
    },
    record: (id) => read(`/v1/call/${id}`, { headers: { authorization: `Bearer ${keys[0]}` } }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
