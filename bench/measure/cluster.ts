import { loadavg } from 'node:os';
import { join } from 'node:path';
import { startCluster, tell } from '../../test/support/redis.ts';
import { runToEnd } from '../support/child.ts';
import { readJournal } from '../support/journal.ts';
import { describeMachine, keep, machineLine, type Spread, say, spread } from '../support/report.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { envOf } from '../support/up.ts';

/** Many keys on a Cluster, beside one Redis: how evenly its masters share the commands, and how many requests it takes. */
export type ClusterOptions = { calls: number; keys: number; pairs: number };

const systems = ['cluster', 'redis'] as const;
type System = (typeof systems)[number];

type Run = {
  system: System;
  /** Requests a second to the service, from the first create to the last result. */
  requests: number;
  /** Commands that each master ran, those of scripts too. */
  commands: number[];
  /** The largest distance of a master's commands from their mean, as a share of it. */
  off: number;
  /** Processes that wanted a core before and after the run, in the mean of a minute. */
  load: [number, number];
};

const masters = 3;
const deadlineMs = 300_000;

export async function measureCluster(options: ClusterOptions, signal: AbortSignal): Promise<void> {
  const machine = describeMachine();
  say(`${machineLine(machine)}; ${options.keys} keys, ${options.calls} calls, ${masters} masters`);
  const stage = await openStage(['redis'], false);
  const runs: Run[] = [];
  try {
    const people = stage.writePeople(options.calls);
    for (let pair = 0; pair < options.pairs; pair++) {
      // They take turns, each first equally often.
      for (const system of pair % 2 === 0 ? systems : systems.toReversed()) {
        if (signal.aborted) throw new Error('interrupted');
        const run = await runOnce(stage, system, { ...options, people }, signal);
        runs.push(run);
        say(describe(run));
      }
    }
  } finally {
    await stage.close();
  }
  const of = (system: System) => runs.filter((run) => run.system === system);
  const ratios = of('cluster').map(({ requests }, at) => requests / of('redis')[at]!.requests);
  const off = of('cluster').map((run) => run.off * 100);
  say(`requests a second, cluster to one Redis: ${told(spread(ratios), 2)}`);
  say(`a master's commands differ from the mean by at most ${told(spread(off), 1)} %`);
  keep('cluster', { ...options, ratios, runs });
}

async function runOnce(
  stage: Stage,
  system: System,
  { calls, keys, people }: ClusterOptions & { people: string },
  signal: AbortSignal,
): Promise<Run> {
  const cluster = system === 'cluster' ? await startCluster(masters) : null;
  const url = cluster?.url ?? (await stage.freshRedis());
  const ports = cluster?.masters.map(({ port }) => port) ?? [Number(new URL(url).port)];
  const database = await stage.freshDatabase();
  const service = await stage.startService(signal);
  const [before = 0] = loadavg();
  try {
    for (const port of ports) await tell(port, 'CONFIG RESETSTAT');
    const flags = ['--agent', 'agent_bench', '--name', 'bench', '--new', '--yes', '--json'];
    const args = [stage.program, 'run', people, ...flags, '--out', join(stage.folder, 'results.csv')];
    // The highest rate allowed: as good as no limit.
    const env = { ...envOf(stage, service.url, database.url, 100_000, keys), REDIS_URL: url };
    await runToEnd(args, { env, cwd: stage.folder, signal, deadlineMs });
    const seen = await readJournal(service.url);
    if (seen.calls !== calls) throw new Error(`${seen.calls} of ${calls} calls were made`);
    const commands = await Promise.all(ports.map(commandsOf));
    const mean = commands.reduce((sum, count) => sum + count, 0) / commands.length;
    return {
      system,
      requests: seen.whole * seen.requestsPerCall,
      commands,
      off: Math.max(...commands.map((count) => Math.abs(count - mean))) / mean,
      load: [before, loadavg()[0] ?? 0],
    };
  } finally {
    await service.stop();
    await database.drop();
    await cluster?.stop();
  }
}

async function commandsOf(port: number): Promise<number> {
  return Number(/total_commands_processed:(\d+)/.exec(await tell(port, 'INFO stats'))?.[1]);
}

function describe({ system, requests, commands, off, load }: Run): string {
  const shared = commands.length > 1 ? `, at most ${(off * 100).toFixed(1)} % from the mean` : '';
  return (
    `${system}: ${requests.toFixed(0)} requests a second; commands ${commands.join(', ')}${shared}; ` +
    `load ${load.map((each) => each.toFixed(1)).join(' to ')}`
  );
}

function told({ median, least, most }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)} to ${most.toFixed(digits)})`;
}
