import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../support/child.ts';
import { describeMachine, median, spread } from '../support/report.ts';
import { openStage, results, root } from '../support/stage.ts';

/** Rows a second from a file into the ledger, and the memory it takes, compared with the obvious script. */
export type ImportOptions = { rows: number; pairs: number };

type Run = { system: System; rows: number; seconds: number; startMb: number; grownMb: number };
const systems = ['carillon', 'bare'] as const;
type System = (typeof systems)[number];

const deadlineMs = 300_000;

export async function measureImport(options: ImportOptions, signal: AbortSignal): Promise<void> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const stage = await openStage([], false);
  const runs: Run[] = [];
  try {
    const file = join(stage.folder, 'people.csv');
    await writePeople(file, options.rows);
    for (let pair = 0; pair < options.pairs; pair++) {
      for (const system of systems) {
        const database = await stage.freshDatabase();
        try {
          const wanted = JSON.stringify({ system, root, file, databaseUrl: database.url });
          const args = [join(root, 'bench', 'support', 'import-child.js'), wanted];
          const env = { PATH: process.env.PATH };
          const ended = await runToEnd(args, { env, cwd: join(root, 'bench'), signal, deadlineMs });
          const run: Run = { system, ...JSON.parse(ended.stdout) };
          if (run.rows !== options.rows)
            throw new Error(`${system} imported ${run.rows} of ${options.rows} rows`);
          runs.push(run);
          say(
            `${system}: ${(run.rows / run.seconds).toFixed(0)} rows a second, ${run.grownMb.toFixed(0)} MB more than at the start`,
          );
        } finally {
          await database.drop();
        }
      }
    }
  } finally {
    await stage.close();
  }
  const of = (system: System) => runs.filter((run) => run.system === system);
  const ratios = of('carillon').map((run, i) => of('bare')[i]!.seconds / run.seconds);
  const ratio = spread(ratios);
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
  say(
    `ratio of rows a second: ${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)})`,
  );
  const path = join(results, 'import.json');
  writeFileSync(
    path,
    `${JSON.stringify({ machine: describeMachine(), ...options, ratio, summary, runs }, null, 2)}\n`,
  );
  say(`Written to ${path}`);
}

/** A realistic list: phones in E.164, names with commas, extra columns. */
async function writePeople(path: string, rows: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('phone,name,city,appointment\n');
  for (let i = 0; i < rows; i++) {
    const digits = 2_010_000_000 + Math.floor(i / 9_000) * 1_000_000 + 2_000_000 + (i % 9_000);
    const line = `+1${digits},"Person, ${i}",City ${i % 500},2026-12-${String((i % 28) + 1).padStart(2, '0')} 10:00\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}
