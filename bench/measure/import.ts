import { once } from 'node:events';
import { createWriteStream, openAsBlob, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOrder } from '../../src/control/order/order.ts';
import { runToEnd } from '../support/child.ts';
import { keep, median, say, spread } from '../support/report.ts';
import { openStage, root, type Stage } from '../support/stage.ts';
import { openUp } from '../support/up.ts';

/**
 * Rows a second into the ledger, and the memory it takes: from a file and by the API, compared with the obvious script.
 */
export type ImportOptions = { rows: number; pairs: number };

type Taken = { rows: number; seconds: number; startMb: number; grownMb: number };
type Run = Taken & { system: System };
const types = { csv: 'text/csv', ndjson: 'application/x-ndjson', json: 'application/json' } as const;
type Format = keyof typeof types;
const formats = Object.keys(types) as Format[];
const systems = ['carillon', 'bare', 'api csv', 'api ndjson', 'api json'] as const;
type System = (typeof systems)[number];

/** How often the memory of a process is sampled. */
const lookMs = 50;

const deadlineMs = 300_000;

export async function measureImport(options: ImportOptions, signal: AbortSignal): Promise<void> {
  const stage = await openStage([], false);
  const runs: Run[] = [];
  try {
    const files = Object.fromEntries(
      formats.map((format) => [format, join(stage.folder, `people.${format}`)]),
    ) as Record<Format, string>;
    for (const format of formats) await writePeople(files[format], options.rows, format);
    for (let pair = 0; pair < options.pairs; pair++) {
      for (const system of systems) {
        const run: Run = { system, ...(await takeIn(stage, system, files, signal)) };
        if (run.rows !== options.rows)
          throw new Error(`${system} imported ${run.rows} of ${options.rows} rows`);
        runs.push(run);
        say(
          `${system}: ${(run.rows / run.seconds).toFixed(0)} rows a second, ${run.grownMb.toFixed(0)} MB more than at the start`,
        );
      }
    }
  } finally {
    await stage.close();
  }
  const of = (system: System) => runs.filter((run) => run.system === system);
  const against = (system: System, other: System) =>
    spread(of(system).map((run, i) => of(other)[i]!.seconds / run.seconds));
  const ratios = {
    'carillon to bare': against('carillon', 'bare'),
    ...Object.fromEntries(
      formats.map((format) => [`api ${format} to carillon`, against(`api ${format}`, 'carillon')]),
    ),
  };
  const summary = Object.fromEntries(
    systems.map((system) => [
      system,
      {
        rowsPerSecond: spread(of(system).map((run) => run.rows / run.seconds)),
        grownMb: median(of(system).map((run) => run.grownMb)),
      },
    ]),
  );
  say('');
  for (const [name, ratio] of Object.entries(ratios)) {
    say(
      `${name}: ${ratio.median.toFixed(2)} of the rows a second (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)})`,
    );
  }
  keep('import', { ...options, ratios, summary, runs });
}

async function takeIn(
  stage: Stage,
  system: System,
  files: Record<Format, string>,
  signal: AbortSignal,
): Promise<Taken> {
  if (system !== 'carillon' && system !== 'bare') {
    const format = system.slice('api '.length) as Format;
    return takeInByApi(stage, format, files[format], signal);
  }
  const database = await stage.freshDatabase();
  try {
    const order = readOrder({ agent: 'agent_bench' });
    const wanted = JSON.stringify({ system, root, file: files.csv, databaseUrl: database.url, order });
    const args = ['--import', 'tsx', join(root, 'bench', 'support', 'import-child.js'), wanted];
    const env = { PATH: process.env.PATH };
    const ended = await runToEnd(args, { env, cwd: join(root, 'bench'), signal, deadlineMs });
    return JSON.parse(ended.stdout) as Taken;
  } finally {
    await database.drop();
  }
}

/** Measured from the first byte sent to the answer, in a process that also has the workers. */
async function takeInByApi(stage: Stage, format: Format, file: string, signal: AbortSignal): Promise<Taken> {
  const up = await openUp(stage, signal, 20);
  try {
    await up.post('/api/campaigns', JSON.stringify({ name: 'bench', agent: 'agent_bench' }));
    const body = await openAsBlob(file, { type: types[format] });
    const startMb = residentMb(up.pid);
    let mostMb = startMb;
    const watch = setInterval(() => {
      mostMb = Math.max(mostMb, residentMb(up.pid));
    }, lookMs);
    const began = performance.now();
    const answer = await up
      .post('/api/campaigns/bench/recipients', body, types[format])
      .finally(() => clearInterval(watch));
    const seconds = (performance.now() - began) / 1_000;
    const { accepted } = answer as { accepted: number };
    return { rows: accepted, seconds, startMb, grownMb: mostMb - startMb };
  } finally {
    await up.close();
  }
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
}

/** A realistic list: phones in E.164, names with commas, extra columns. */
async function writePeople(path: string, rows: number, format: Format): Promise<void> {
  const file = createWriteStream(path);
  const frame = {
    csv: ['phone,name,city,appointment\n', '', ''],
    ndjson: ['', '', ''],
    json: ['[\n', ',', ']\n'],
  } as const;
  const [head, between, tail] = frame[format];
  file.write(head);
  for (let i = 0; i < rows; i++) {
    const digits = 2_010_000_000 + Math.floor(i / 9_000) * 1_000_000 + 2_000_000 + (i % 9_000);
    const day = `2026-12-${String((i % 28) + 1).padStart(2, '0')} 10:00`;
    const person = { phone: `+1${digits}`, name: `Person, ${i}`, city: `City ${i % 500}`, appointment: day };
    const line =
      format === 'csv'
        ? `${person.phone},"${person.name}",${person.city},${day}`
        : `${i === 0 ? '' : between}${JSON.stringify(person)}`;
    if (!file.write(`${line}\n`)) await once(file, 'drain');
  }
  file.end(tail);
  await once(file, 'finish');
}
