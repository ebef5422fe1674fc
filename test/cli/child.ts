/** A command in its own process, as a user starts it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../src/base/config/config.ts';

export type Child = {
  /** The next line of its stdout. */
  line(): Promise<string>;
  /** Writes a line of JSON to its stdin. */
  send(message: object): void;
  /** Resolves when this text is on its stderr. */
  says(words: string): Promise<void>;
  /** Ctrl-C, and how it ended. */
  stop(): Promise<{ code: number | null; err: string }>;
};

export const carillon = fileURLToPath(new URL('../../bin/carillon.js', import.meta.url));

export function startChild(args: string[], env: Environment = {}): Child {
  const child = spawn(process.execPath, [carillon, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: 'pipe',
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'close');
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return {
    send: (message) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    async says(words) {
      while (!err.includes(words)) await once(child.stderr, 'data');
    },
    line: async () => (await lines.next()).value as string,
    async stop() {
      child.kill('SIGINT');
      const [code] = await ended;
      return { code, err };
    },
  };
}
