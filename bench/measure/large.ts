import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { runToEnd } from '../support/child.ts';
import { keep, say } from '../support/report.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { envOf, openUp } from '../support/up.ts';
import { cpuOf } from './idle.ts';
import { writePeople } from './million.ts';

/**
 * The cost of viewing and stopping a long list: one page of campaigns, five open dashboards, a cancel; and the disk
 * space of a person, waiting and called.
 */
export type LargeOptions = { rows: number; called: number };

const name = 'large';
const rate = 20;
const looks = 200;
const groups = 5;
const pages = 5;
/** As often as the dashboard asks. */
const everyMs = 2_000;
const deadlineMs = 1_800_000;
const pagePaths = ['/api/campaigns?limit=20', '/api/keys', '/api/unknown?limit=100'];

export async function measureLarge(options: LargeOptions, signal: AbortSignal): Promise<void> {
  const stage = await openStage([], false);
  const found: Record<string, number> = {};
  const note = (what: string, value: number, text: string) => {
    found[what] = value;
    say(text);
  };
  try {
    const file = await writePeople(join(stage.folder, 'large.csv'), options.rows, 0);
    await withUp(stage, signal, async (up) => {
      await up.post('/api/campaigns', JSON.stringify({ name, agent: 'agent_bench' }));
      await up.post(
        `/api/campaigns/${name}/recipients`,
        await openAsBlob(file, { type: 'text/csv' }),
        'text/csv',
      );
      const waiting = await up.bytes();
      note(
        'bytesWaiting',
        waiting / options.rows,
        `a waiting person: ${(waiting / options.rows).toFixed(0)} bytes with indexes`,
      );
      await up.post(`/api/campaigns/${name}/start`);
      await sleep(5_000, undefined, { signal });

      const times: number[] = [];
      for (let i = 0; i < looks; i++) times.push(await up.look('/api/campaigns'));
      times.sort((a, b) => a - b);
      const [median, slow] = [times[looks / 2]!, times[Math.floor(looks * 0.95)]!];
      note(
        'listMs',
        median,
        `GET /api/campaigns: ${median.toFixed(1)} ms, 95 of 100 within ${slow.toFixed(1)} ms`,
      );
      found.listSlowMs = slow;

      const look = await up.costOfLook();
      const share = (pages * look * 100) / everyMs;
      note(
        'pagesShare',
        share,
        `one refresh of the dashboard: ${look.toFixed(2)} ms of Postgres; ${pages} dashboards, refreshed every ${everyMs / 1_000} s: ${share.toFixed(2)} % of a core`,
      );

      const began = performance.now();
      await up.post(`/api/campaigns/${name}/cancel`);
      const answered = performance.now() - began;
      while ((await up.balance()).waiting > 0) await sleep(500, undefined, { signal });
      const followed = (performance.now() - began) / 1_000;
      note(
        'cancelMs',
        answered,
        `cancel: answered after ${answered.toFixed(0)} ms, last row removed after ${followed.toFixed(1)} s`,
      );
      found.cancelRowsSeconds = followed;
    });
    const called = await measureCalled(stage, options.called, signal);
    note('bytesCalled', called, `a called person: ${called.toFixed(0)} bytes with indexes and transcript`);
  } finally {
    await stage.close();
  }
  keep('large', { ...options, rate, found });
}

/** Calls and settles a whole list; returns the ledger's bytes per person. */
async function measureCalled(stage: Stage, calls: number, signal: AbortSignal): Promise<number> {
  const service = await stage.startService(signal);
  const database = await stage.freshDatabase();
  const file = await writePeople(join(stage.folder, 'called.csv'), calls, 0);
  const args = [
    'run',
    file,
    '--agent',
    'agent_bench',
    '--yes',
    '--out',
    join(stage.folder, 'called.out.csv'),
  ];
  try {
    const env = envOf(stage, service.url, database.url, 5_000);
    await runToEnd([stage.program, ...args], { cwd: stage.folder, env, signal, deadlineMs });
    return (await bytesIn(database.url)) / calls;
  } finally {
    await service.stop();
    await database.drop();
  }
}

type Api = Awaited<ReturnType<typeof openApi>>;

async function withUp(stage: Stage, signal: AbortSignal, work: (up: Api) => Promise<void>): Promise<void> {
  const up = await openApi(stage, signal);
  try {
    await work(up);
  } finally {
    await up.close();
  }
}

async function openApi(stage: Stage, signal: AbortSignal) {
  const up = await openUp(stage, signal, rate);
  return {
    ...up,
    /** Returns how many ms the answer takes. */
    async look(path: string): Promise<number> {
      const began = performance.now();
      await up.get(path);
      return performance.now() - began;
    },
    async balance(): Promise<{ waiting: number }> {
      return ((await up.get(`/api/campaigns/${name}`)) as { balance: { waiting: number } }).balance;
    },
    bytes: () => bytesIn(up.databaseUrl),
    /** Processor time of Postgres in ms: the median of several groups, because a vacuum may run during one. */
    async costOfLook(): Promise<number> {
      const postgres = stage.postgresPid();
      const costs: number[] = [];
      for (let group = 0; group < groups; group++) {
        const before = cpuOf(postgres);
        for (let i = 0; i < looks; i++) await Promise.all(pagePaths.map((path) => this.look(path)));
        costs.push(((cpuOf(postgres) - before) * 1_000) / looks);
      }
      return costs.sort((a, b) => a - b)[(groups - 1) / 2]!;
    },
  };
}

/** The size of the ledger's tables and indexes, after a vacuum. */
async function bytesIn(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('vacuum');
    const { rows } = await client.query<{ bytes: number }>(
      `select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
       where c.relnamespace = 'carillon'::regnamespace and c.relkind = 'r'`,
    );
    return rows[0]!.bytes;
  } finally {
    await client.end();
  }
}
