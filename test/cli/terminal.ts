/** A terminal for tests: its own database and simulated service, and streams that are kept. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import type { SimulatorOptions } from '../../simulator/settings.ts';
import type { Environment } from '../../src/base/config/config.ts';
import type { Io } from '../../src/cli/command-io.ts';
import { runLine } from '../../src/cli/program.ts';
import { readOrder } from '../../src/control/order/order.ts';
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts';
import type { Order } from '../../src/rules/order.ts';
import { freshDatabase } from '../support/postgres.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into documents of every shape.
export type Typed = { code: number; out: string; err: string; json: any };

export type Terminal = {
  folder: string;
  env: Environment;
  simulator: Simulator;
  ledger: Ledger;
  /** Types a command line; `answer` is what a person at a terminal replies, `screen` says that the output is one too. */
  type(
    line: string | string[],
    options?: { env?: Environment; answer?: string; input?: string; screen?: true },
  ): Promise<Typed>;
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Creates that reached the service. */
  creates(): number;
  close(): Promise<void>;
};

/** A terminal for each of the tests that follow, or one for all of them. */
export function useTerminal(per: 'test' | 'file', options: SimulatorOptions = {}): Terminal {
  const [before, after] = per === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  let opened: Terminal;
  before(async () => {
    opened = await openTerminal(options);
  });
  after(() => opened?.close());
  return new Proxy({} as Terminal, { get: (_, name) => opened[name as keyof Terminal] });
}

export async function openTerminal(options: SimulatorOptions = {}): Promise<Terminal> {
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'carillon-cli-'));
  const simulator = await startSimulator({ rate: null, keys: ['good', 'second'], speed: 100, ...options });
  const ledger = await openLedger(database.url, simulator.url, undefined, 2);
  const env: Environment = {
    DATABASE_URL: database.url,
    VOICE_BASE_URL: simulator.url,
    VOICE_API_KEYS: 'a=good',
    VOICE_RATE: '200',
    CARILLON_HOME: join(folder, 'home'),
    LOG_LEVEL: 'silent',
  };
  return {
    folder,
    env,
    simulator,
    ledger,
    type: (line, more = {}) => typeLine(line, { ...env, ...more.env }, folder, more),
    async sql(text, values) {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      try {
        return (await client.query(text, values)).rows;
      } finally {
        await client.end();
      }
    },
    creates: () => [...simulator.journal({ method: 'POST', path: '/v1/call' })].length,
    async close() {
      await ledger.close();
      await simulator.close();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function typeLine(
  line: string | string[],
  env: Environment,
  cwd: string,
  { answer, input, screen }: { answer?: string; input?: string; screen?: true } = {},
): Promise<Typed> {
  const stdout = keep();
  const stderr = keep();
  const io: Io = {
    stdin: answer === undefined ? Readable.from(input === undefined ? [] : [input]) : replying(answer),
    stdout: screen ? Object.assign(stdout.stream, { isTTY: true }) : stdout.stream,
    stderr: stderr.stream,
    env,
    cwd,
  };
  const code = await runLine(typeof line === 'string' ? line.split(' ') : line, io);
  const out = stdout.text();
  return {
    code,
    out,
    err: stderr.text(),
    get json() {
      return JSON.parse(out);
    },
  };
}

function keep() {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

function replying(answer: string): Io['stdin'] {
  const stream: PassThrough & { isTTY?: boolean } = new PassThrough();
  stream.isTTY = true;
  stream.write(`${answer}\n`);
  return stream;
}

export const plainOrder: Order = readOrder({ agent: 'agent-1' });

/** A campaign with this many people, as an import leaves it. */
export async function makeCampaign(
  ledger: Ledger,
  order: Partial<Order> & {
    name: string;
    baseUrl: string;
    driver?: 'run' | 'background';
    kind?: 'list' | 'calls';
  },
  people: number,
): Promise<string> {
  const { name, baseUrl, driver = 'background', kind = 'list', ...rest } = order;
  const made = { name, kind, baseUrl, state: 'running' as const, driver, order: { ...plainOrder, ...rest } };
  const id = await ledger.campaigns.create(made);
  const accepted = Array.from({ length: people }, (_, at) => ({
    row: at + 2,
    phone: `+1415555${String(1_000 + at)}`,
    name: `Person ${at + 1}`,
    place: 'America/Los_Angeles',
    input: { phone: `+1415555${String(1_000 + at)}`, city: 'Oakland' },
    variables: { city: 'Oakland' },
  }));
  const rejected = [{ row: people + 2, reason: '"x" is not a number', input: { phone: 'x', city: '=1+1' } }];
  async function* batches() {
    yield { accepted, rejected };
  }
  await ledger.people.import(id!, batches(), {
    columns: ['phone', 'city'],
    mode: 'whole',
  });
  return id!;
}
