import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { busyWorth } from '../src/lane/poll-price.ts';
import { measureCeiling } from './measure/ceiling.ts';
import { measureCluster } from './measure/cluster.ts';
import { measureCost } from './measure/cost.ts';
import { measureCreates } from './measure/creates.ts';
import { measureDeadlocks } from './measure/deadlocks.ts';
import { measureErase } from './measure/erase.ts';
import { measureEvents } from './measure/events.ts';
import { measureForecast } from './measure/forecast/judge.ts';
import { measureHeld } from './measure/held.ts';
import { measureIdle } from './measure/idle.ts';
import { measureImport } from './measure/import.ts';
import { measureLarge } from './measure/large.ts';
import { measureMoving } from './measure/limits/moving.ts';
import { measureMakespan } from './measure/makespan.ts';
import { measureMillion } from './measure/million.ts';
import { measurePage } from './measure/page.ts';
import { measureInteractions } from './measure/page-interactions.ts';
import { measurePageMemory } from './measure/page-memory.ts';
import { measurePolicy } from './measure/policy.ts';
import { measurePolls } from './measure/polls.ts';
import { measureSearch } from './measure/search.ts';
import { measureShared } from './measure/shared.ts';
import { measureChanges } from './measure/worlds/changes.ts';
import { measureWorlds } from './measure/worlds/measure.ts';
import { type Bench, bench, choice, flag, listOf, text, Usage, whole } from './options.ts';
import { type EngineKind, results } from './support/stage.ts';
import { peerNames } from './support/systems.ts';

/** `npm run bench -- <what>`: measures Carillon against its peers on this machine, over loopback. */
const engineKinds: Record<string, EngineKind[]> = {
  postgres: ['postgres'],
  redis: ['redis'],
  both: ['postgres', 'redis'],
};
const engines = (preset = 'both') => choice('where the queue is', engineKinds, preset);
const retryAfters: Record<string, 'none' | 'seconds' | 'date'> = {
  none: 'none',
  seconds: 'seconds',
  date: 'date',
};
const pairs = whole('runs of each, taking turns', 1, 20, 3);
const ledgerHome = text(
  'keep the ledger in this folder, and use the one that is there (default: a temporary one)',
);
const only = text('only worlds whose name contains this');

const benches: Record<string, Bench> = {
  ceiling: bench(
    'calls a second without a limit, from create to stored result, compared with its peers',
    {
      calls: whole('calls in one run', 100, 50_000, 10_000),
      pairs,
      engine: engines(),
      peers: listOf('peers to compare', peerNames),
      profile: flag('write a CPU profile of every run to bench/results/'),
    },
    measureCeiling,
  ),
  cost: bench(
    'what a call costs in processor time, statements, commits and WAL; Linux only',
    {
      rate: whole('requests a second of each key', 1, 1_000, 20),
      seconds: whole('seconds to measure', 10, 600, 40),
      keys: whole('keys', 1, 2_000, 1),
      open: whole('how many of them create calls: the service has closed the others', 1, 2_000, 1),
      rows: whole('people of the list, at least as many as are called', 1, 1_000_000, 1),
      engine: engines(),
    },
    measureCost,
  ),
  held: bench(
    'calls a second while another transaction keeps a snapshot, against none',
    {
      people: whole('people of the list', 1_000, 1_000_000, 60_000),
      seconds: whole('seconds to watch each', 15, 3_600, 60),
      turns: whole('runs with and without, taking turns', 1, 20, 1),
      engine: engines('postgres'),
    },
    measureHeld,
  ),
  cluster: bench(
    'many keys on a Redis Cluster: how evenly its masters share them, compared with one Redis',
    {
      calls: whole('calls in one run', 100, 50_000, 6_000),
      keys: whole('keys', 1, 200, 30),
      pairs,
    },
    measureCluster,
  ),
  worlds: bench(
    'a thousand services with limits of every kind, drawn by seed: used and refused; virtual time',
    {
      worlds: whole('how many', 1, 100_000, 1_000),
      from: whole('the first seed', 1, 1_000_000, 1),
      kinds: text(
        'only worlds whose name has one of these words, comma-separated; plain: with one difficulty',
      ),
      minutes: whole('minutes of each; changes are drawn for the first 30', 2, 600, 30),
      peers: flag('play the peers in the same worlds too'),
    },
    measureWorlds,
  ),
  changes: bench(
    'named services whose limit falls and rises, caps of calls, and other clients of a key; virtual time',
    { seeds: whole('runs of each', 1, 100, 20), only },
    measureChanges,
  ),
  'limits-real': bench(
    'the whole program against an independent service in Python whose unknown limit changes (37 minutes a run)',
    {
      runs: whole('runs of each world', 1, 20, 3),
      only,
      jitter: whole('milliseconds by which requests may arrive late', 0, 1_000, 10),
      speed: whole('how much shorter calls are than real ones', 1, 100, 10),
      retryAfter: choice('what a refusal says', retryAfters, 'none'),
    },
    measureMoving,
  ),
  polls: bench(
    'lag of results at equal polls, against published polling schedules; virtual time',
    { calls: whole('calls in one run', 100, 50_000, 3_000), seeds: whole('runs of each schedule', 1, 20, 5) },
    measurePolls,
  ),
  shared: bench(
    'calls finished under one shared limit, against the same program polling at a fixed interval',
    {
      rate: whole('requests a second of simulated time', 1, 1_000, 20),
      speed: whole('how much faster simulated time runs than the wall clock', 1, 50, 2),
      seconds: whole('seconds of simulated time to measure', 30, 3_600, 180),
      beat: whole('seconds between two polls of the fixed interval', 1, 600, 5),
      seed: whole('seed of the first pair’s calls', 1, 1_000, 1),
      pairs,
    },
    measureShared,
  ),
  events: bench(
    'what it costs to tell many readers of each event, and how soon they have it',
    {
      readers: whole('readers of /api/events', 1, 10_000, 1_000),
      rate: whole('events a second', 1, 20, 1),
      seconds: whole('seconds to measure', 10, 600, 30),
    },
    measureEvents,
  ),
  deadlocks: bench(
    'how often processes that poll over one queue in Postgres lock each other out',
    {
      jobs: whole('delayed jobs', 10, 100_000, 10_000),
      workers: whole('processes', 1, 8, 3),
      hops: whole('how often each job is put off', 0, 20, 3),
      delay: whole('the longest that a job is put off, in ms', 1, 60_000, 1_000),
      concurrency: whole('jobs at once in each process', 1, 200, 20),
      seconds: whole('give up after this long', 5, 600, 120),
    },
    measureDeadlocks,
  ),
  makespan: bench(
    'time to finish a list despite an outage and a lower limit midway, against the theoretical bound',
    {
      calls: whole('calls in one run', 1_000, 40_000, 5_000),
      rate: whole('requests a second', 10, 1_000, 50),
      speed: whole('how much faster simulated time runs than the wall clock', 1, 50, 10),
      lag: whole('lag that is worth one request, in seconds of simulated time', 1, 600, busyWorth),
      runs: pairs,
    },
    measureMakespan,
  ),
  forecast: bench(
    'how often campaigns ended in the range of their forecast, and how far off it was; virtual time',
    { campaigns: whole('how many', 1, 10_000, 200), from: whole('the first seed', 1, 1_000_000, 1) },
    measureForecast,
  ),
  import: bench(
    'rows a second into the ledger from a file and by the API, and memory, against a bare script with COPY',
    { rows: whole('rows of the file', 1_000, 5_000_000, 1_000_000), pairs },
    measureImport,
  ),
  million: bench(
    'a campaign of a million against one of a thousand: queue size, time to first call, share of a key',
    {
      rows: whole('rows of the long list', 10_000, 5_000_000, 1_000_000),
      pairs,
      seconds: whole('seconds to watch each', 5, 600, 20),
      engine: engines(),
    },
    measureMillion,
  ),
  policy: bench(
    'what contact rules cost the planner and the fence, on one ledger in turns',
    {
      rows: whole('rows of the list', 20_000, 5_000_000, 1_000_000),
      turns: whole('turns with rules, and as many without', 5, 500, 60),
    },
    measurePolicy,
  ),
  creates: bench(
    'single calls a second that `carillon api` takes, and how long each request waits',
    {
      connections: whole('connections, each with one request at a time', 1, 500, 20),
      seconds: whole('seconds of each run', 3, 120, 10),
      rounds: pairs,
      against: text('another checkout, built, to compare with (default: none)'),
    },
    measureCreates,
  ),
  erase: bench(
    'time to erase a person from a large ledger, how fast old people go, and what it costs an import',
    {
      rows: whole('people in the ledger', 1_000, 10_000_000, 1_000_000),
      asks: whole('people to erase one by one', 10, 10_000, 50),
      home: ledgerHome,
    },
    measureErase,
  ),
  search: bench(
    'time of a search over a ledger of millions, by what is searched for',
    {
      rows: whole('people in the ledger', 100_000, 50_000_000, 10_000_000),
      asks: whole('searches of each kind', 10, 10_000, 300),
      home: ledgerHome,
    },
    measureSearch,
  ),
  large: bench(
    'cost of viewing and canceling a campaign of a million, and disk space per person; Linux only',
    {
      rows: whole('rows of the list', 10_000, 5_000_000, 1_000_000),
      called: whole('people on a second list that is called', 1_000, 1_000_000, 20_000),
    },
    measureLarge,
  ),
  page: bench(
    'cost of open tabs for Postgres, and the first paint on a slow processor; Linux with Chromium only',
    {
      tabs: whole('tabs of one browser', 1, 50, 20),
      seconds: whole('seconds to watch, with and without them', 5, 300, 30),
      rows: whole('rows of the campaign', 1_000, 1_000_000, 20_000),
    },
    measurePage,
  ),
  'page-memory': bench(
    'memory of the overview and of a campaign while they are open for a day; with Chromium only',
    {
      hours: whole('hours of the page’s clock', 1, 24, 8),
      seconds: whole('seconds in which they pass', 60, 3_600, 300),
      rate: whole('requests a second of the campaign that is dialled', 1, 200, 40),
    },
    measurePageMemory,
  ),
  'page-interactions': bench(
    'time from a key or a press to the next frame, on a ledger of a million; with Chromium only',
    {
      rows: whole('people in the ledger', 100_000, 10_000_000, 1_000_000),
      rounds: whole('rounds of an operator’s day', 1, 100, 10),
      home: ledgerHome,
    },
    measureInteractions,
  ),
  keys: bench(
    'what keys cost at rest; Linux only',
    {
      seconds: whole('seconds to watch', 10, 600, 60),
      keys: whole('how many', 1, 2_000, 1_000),
      engine: engines(),
    },
    measureIdle,
  ),
};

const usage = [
  'npm run bench -- <what> [options]',
  ...Object.entries(benches).map(([name, { about, options }]) =>
    [
      `\n${name.padEnd(18)}${about}`,
      ...Object.entries(options).map(
        ([option, { meaning, preset }]) =>
          `  --${option.padEnd(14)} ${meaning}${preset ? ` (default: ${preset})` : ''}`,
      ),
    ].join('\n'),
  ),
].join('\n');

async function main(argv: string[], signal: AbortSignal): Promise<void> {
  const [what = '', ...rest] = argv;
  const chosen = benches[what];
  if (!chosen) throw new Usage(what ? `The benchmark ${what} does not exist.` : 'Name a benchmark.');
  const flags = Object.entries(chosen.options).map(([name, { preset }]) => [
    name,
    { type: preset === false ? ('boolean' as const) : ('string' as const) },
  ]);
  const values: Record<string, unknown> = parseArgs({
    args: rest,
    options: Object.fromEntries(flags),
  }).values;
  const read = Object.entries(chosen.options).map(([name, option]) => {
    const given = (values[name] as string | boolean | undefined) ?? option.preset;
    try {
      return [name, option.read(given)];
    } catch (error) {
      throw new Usage(`--${name} must be ${(error as Error).message}, not ${given}.`);
    }
  });
  mkdirSync(results, { recursive: true });
  await chosen.run(Object.fromEntries(read), signal);
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
try {
  await main(process.argv.slice(2), stop.signal);
} catch (error) {
  const { message, code } = error as Error & { code?: string };
  const misused = error instanceof Usage || code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(misused ? `${message}\n\n${usage}\n` : `bench: ${message}\n`);
  process.exitCode = misused ? 2 : 1;
}
