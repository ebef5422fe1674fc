/** A terminal for tests: its own database and simulated service, and streams that are kept. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import pg from 'pg';
import type { SimulatorOptions } from '../../simulator/options.ts';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import type { Environment } from '../../src/base/config/config.ts';
import { createCli, endWith, type Io } from '../../src/cli/command-io.ts';
import { activityCommand } from '../../src/cli/commands/activity.ts';
import { alertCommand } from '../../src/cli/commands/alert.ts';
import { alertsCommand } from '../../src/cli/commands/alerts.ts';
import { auditCommand } from '../../src/cli/commands/audit.ts';
import { bulkCommand } from '../../src/cli/commands/bulk/bulk.ts';
import { callCommand } from '../../src/cli/commands/call/call.ts';
import { campaignCommand } from '../../src/cli/commands/campaign/campaign.ts';
import { doctorCommand } from '../../src/cli/commands/doctor.ts';
import { eraseCommand } from '../../src/cli/commands/erase.ts';
import { findCommand } from '../../src/cli/commands/find.ts';
import { keysCommand } from '../../src/cli/commands/keys.ts';
import { ledgerCommand } from '../../src/cli/commands/ledger.ts';
import { migrateCommand } from '../../src/cli/commands/migrate.ts';
import { numbersCommand } from '../../src/cli/commands/numbers.ts';
import { policyCommand } from '../../src/cli/commands/policy.ts';
import { reportCommand } from '../../src/cli/commands/report.ts';
import { restoreCommand } from '../../src/cli/commands/restore.ts';
import { runCommand } from '../../src/cli/commands/run/run.ts';
import { serviceCommand } from '../../src/cli/commands/service.ts';
import { simCommand } from '../../src/cli/commands/sim.ts';
import { suppressCommand } from '../../src/cli/commands/suppress.ts';
import { tokenCommand } from '../../src/cli/commands/token.ts';
import { unknownCommand } from '../../src/cli/commands/unknown/unknown.ts';
import { webhookCommand } from '../../src/cli/commands/webhook.ts';
import { readOrder } from '../../src/control/order/order.ts';
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts';
import type { Order } from '../../src/rules/order.ts';
import { freshDatabase } from '../support/postgres.ts';

const makers = [
  activityCommand,
  alertCommand,
  alertsCommand,
  auditCommand,
  callCommand,
  campaignCommand,
  doctorCommand,
  eraseCommand,
  findCommand,
  keysCommand,
  ledgerCommand,
  migrateCommand,
  numbersCommand,
  policyCommand,
  reportCommand,
  restoreCommand,
  runCommand,
  serviceCommand,
  simCommand,
  suppressCommand,
  tokenCommand,
  unknownCommand,
  bulkCommand,
  webhookCommand,
];

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
  const cli = createCli(io);
  const program = new Command('carillon').exitOverride().configureOutput({ writeErr: () => undefined });
  for (const make of makers) program.addCommand(make(cli));
  const words = typeof line === 'string' ? line.split(' ') : line;
  let code: number;
  try {
    await program.parseAsync(words, { from: 'user' });
    code = cli.exitCode();
  } catch (error) {
    code = endWith(error, io);
  }
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
