import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { JournalEntry } from '../../simulator/journal.ts';
import type { ServiceName } from '../../simulator/settings.ts';
import type { CallSeen } from '../../simulator/world.ts';

/** The simulated service in its own process, and the control API by which the harness steers and reads it. */
export type Service = {
  port: number;
  /** Behind the origin of its address. */
  base: string;
  control(change: object): Promise<void>;
  state(): Promise<{ created: number; duplicates: number; requests: number }>;
  /** Without the ids of calls that ended and dialled nobody: some services make a record of those too. */
  journal(filter?: { after?: number; method?: string }): Promise<JournalEntry[]>;
  /** Every call as it was, whatever its record says of it. */
  calls(): Promise<CallSeen[]>;
  stop(): Promise<void>;
};

export type ServiceOptions = {
  service: ServiceName;
  seed: number;
  rate: number;
  speed: number;
  keys: readonly string[];
  promise?: boolean;
};

export async function startService(
  program: string,
  folder: string,
  { service, seed, rate, speed, keys, promise }: ServiceOptions,
): Promise<Service> {
  const args = ['sim', '--service', service, '--port', '0', '--json', '--seed', String(seed % 1_000_000)];
  args.push('--rate', String(rate), '--speed', String(speed), '--latency', '5-25');
  for (const key of keys) args.push('--key', key);
  if (promise) args.push('--idempotency', '24h');
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { port, url } = await new Promise<{ port: number; url: string }>((resolve, reject) => {
    let text = '';
    child.stdout!.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(JSON.parse(text) as { port: number; url: string });
    });
    child.once('close', () => reject(new Error('the simulator did not start')));
  });
  const origin = `http://127.0.0.1:${port}`;
  const read = async <T>(path: string, init?: RequestInit): Promise<T> => {
    const answer = await fetch(`${origin}${path}`, init);
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const calls = () => read<CallSeen[]>('/_sim/calls');
  return {
    port,
    base: new URL(url).pathname.replace(/\/$/, ''),
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
      const made = new Set<string>();
      const entries = lines.flatMap((line) => {
        if (!line) return [];
        const entry = JSON.parse(line) as JournalEntry;
        // The answer to a create that was sent again is about the same call.
        if (entry.method !== 'POST' || entry.call === null) return [entry];
        const isAgain = promise === true && made.has(entry.call);
        made.add(entry.call);
        return [isAgain ? { ...entry, call: null } : entry];
      });
      if (service === 'standard') return entries;
      const ended = (await calls()).filter((call) => !call.rang && call.ended_at !== null);
      const undialled = new Set<string | null>(ended.map(({ id }) => id));
      return entries.map((entry) => (undialled.has(entry.call) ? { ...entry, call: null } : entry));
    },
    calls,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}
