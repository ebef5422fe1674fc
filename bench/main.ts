import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { busyWorth } from '../src/lane/poll-price.ts';
import { limitBenches } from './limits.ts';
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
import { measureLargest } from './measure/largest.ts';
import { measureMakespan } from './measure/makespan.ts';
import { measureMillion } from './measure/million.ts';
import { measurePolicy } from './measure/policy.ts';
import { measurePolls } from './measure/polls.ts';
import { measureSearch } from './measure/search.ts';
import { measureShared } from './measure/shared.ts';
import { measureTail } from './measure/tail.ts';
import { type Bench, Usage, type Values, whole } from './options.ts';
import { pageBenches } from './pages.ts';
import { type EngineKind, results } from './support/stage.ts';
import { type SystemName, systemNames } from './support/systems.ts';

/** `npm run bench -- <what>`: measures Carillon against its peers on this machine, over loopback. */
const benches: Record<string, Bench> = {
  ceiling: {
    about: 'calls a second without a limit, from create to stored result, compared with its peers',
    options: {
      calls: ['calls in one run, 100 to 50000', '10000'],
      pairs: ['runs of each, taking turns, 1 to 20', '3'],
      engine: ['where the queue is: postgres, redis or both', 'both'],
      peers: [
        'peers to compare, comma-separated: bullmq, pg-boss, graphile-worker',
        'bullmq,pg-boss,graphile-worker',
      ],
      profile: ['write a CPU profile of every run to bench/results/', false],
    },
    run: (values, signal) =>
      measureCeiling(
        {
          calls: whole('calls', values, 100, 50_000),
          pairs: whole('pairs', values, 1, 20),
          engines: enginesOf(values.engine),
          profile: values.profile === true,
          systems: systemsOf(values.peers),
        },
        signal,
      ),
  },
  cost: {
    about: 'what a call costs in processor time, statements, commits and WAL; Linux only',
    options: {
      rate: ['requests a second of each key, 1 to 1000', '20'],
      seconds: ['seconds to measure, 10 to 600', '40'],
      keys: ['keys, 1 to 2000', '1'],
      open: ['how many of them create calls: the service has closed the others, 1 to 2000', '1'],
      rows: ['people of the list, at least as many as are called, 1 to 1000000', '1'],
      engine: ['where the queue is: postgres, redis or both', 'both'],
    },
    run: (values, signal) =>
      measureCost(
        {
          rate: whole('rate', values, 1, 1_000),
          seconds: whole('seconds', values, 10, 600),
          keys: whole('keys', values, 1, 2_000),
          open: whole('open', values, 1, 2_000),
          rows: whole('rows', values, 1, 1_000_000),
          engines: enginesOf(values.engine),
        },
        signal,
      ),
  },
  held: {
    about: 'calls a second while another transaction keeps a snapshot, against none',
    options: {
      people: ['people of the list, 1000 to 1000000', '60000'],
      seconds: ['seconds to watch each, 15 to 3600', '60'],
      turns: ['runs with and without, taking turns, 1 to 20', '1'],
      engine: ['where the queue is: postgres, redis or both', 'postgres'],
    },
    run: (values, signal) =>
      measureHeld(
        {
          people: whole('people', values, 1_000, 1_000_000),
          seconds: whole('seconds', values, 15, 3_600),
          turns: whole('turns', values, 1, 20),
          engines: enginesOf(values.engine),
        },
        signal,
      ),
  },
  cluster: {
    about: 'many keys on a Redis Cluster: how evenly its masters share them, compared with one Redis',
    options: {
      calls: ['calls in one run, 100 to 50000', '6000'],
      keys: ['keys, 1 to 200', '30'],
      pairs: ['runs of each, taking turns, 1 to 20', '3'],
    },
    run: (values, signal) =>
      measureCluster(
        {
          calls: whole('calls', values, 100, 50_000),
          keys: whole('keys', values, 1, 200),
          pairs: whole('pairs', values, 1, 20),
        },
        signal,
      ),
  },
  ...limitBenches,
  polls: {
    about: 'lag of results at equal polls, against published polling schedules; virtual time',
    options: {
      calls: ['calls in one run, 100 to 50000', '3000'],
      seeds: ['runs of each schedule, 1 to 20', '5'],
    },
    run: (values) =>
      measurePolls({ calls: whole('calls', values, 100, 50_000), seeds: whole('seeds', values, 1, 20) }),
  },
  shared: {
    about: 'calls finished under one shared limit, against the same program polling at a fixed interval',
    options: {
      rate: ['requests a second of simulated time, 1 to 1000', '20'],
      speed: ['how much faster simulated time runs than the wall clock, 1 to 50', '2'],
      seconds: ['seconds of simulated time to measure, 30 to 3600', '180'],
      beat: ['seconds between two polls of the fixed interval, 1 to 600', '5'],
      seed: ['seed of the first pair’s calls, 1 to 1000', '1'],
      pairs: ['runs of each, taking turns, 1 to 20', '3'],
    },
    run: (values, signal) =>
      measureShared(
        {
          rate: whole('rate', values, 1, 1_000),
          speed: whole('speed', values, 1, 50),
          seconds: whole('seconds', values, 30, 3_600),
          beat: whole('beat', values, 1, 600),
          seed: whole('seed', values, 1, 1_000),
          pairs: whole('pairs', values, 1, 20),
        },
        signal,
      ),
  },
  events: {
    about: 'what it costs to tell many readers of each event, and how soon they have it',
    options: {
      readers: ['readers of /api/events, 1 to 10000', '1000'],
      rate: ['events a second, 1 to 20', '1'],
      seconds: ['seconds to measure, 10 to 600', '30'],
    },
    run: (values, signal) =>
      measureEvents(
        {
          readers: whole('readers', values, 1, 10_000),
          perSecond: whole('rate', values, 1, 20),
          seconds: whole('seconds', values, 10, 600),
        },
        signal,
      ),
  },
  deadlocks: {
    about: 'how often processes that poll over one queue in Postgres lock each other out',
    options: {
      jobs: ['delayed jobs, 10 to 100000', '10000'],
      workers: ['processes, 1 to 8', '3'],
      hops: ['how often each job is put off, 0 to 20', '3'],
      delay: ['the longest that a job is put off, in ms, 1 to 60000', '1000'],
      concurrency: ['jobs at once in each process, 1 to 200', '20'],
      seconds: ['give up after this long, 5 to 600', '120'],
    },
    run: (values, signal) =>
      measureDeadlocks(
        {
          jobs: whole('jobs', values, 10, 100_000),
          workers: whole('workers', values, 1, 8),
          hops: whole('hops', values, 0, 20),
          mostDelayMs: whole('delay', values, 1, 60_000),
          concurrency: whole('concurrency', values, 1, 200),
          deadlineMs: whole('seconds', values, 5, 600) * 1_000,
        },
        signal,
      ),
  },
  makespan: {
    about: 'time to finish a list despite an outage and a lower limit midway, against the theoretical bound',
    options: {
      calls: ['calls in one run, 1000 to 40000', '5000'],
      rate: ['requests a second, 10 to 1000', '50'],
      speed: ['how much faster simulated time runs than the wall clock, 1 to 50', '10'],
      lag: ['lag that is worth one request, in seconds of simulated time, 1 to 600', String(busyWorth)],
      runs: ['runs of each, taking turns, 1 to 20', '3'],
    },
    run: (values, signal) =>
      measureMakespan(
        {
          calls: whole('calls', values, 1_000, 40_000),
          rate: whole('rate', values, 10, 1_000),
          speed: whole('speed', values, 1, 50),
          lag: whole('lag', values, 1, 600),
          runs: whole('runs', values, 1, 20),
        },
        signal,
      ),
  },
  forecast: {
    about: 'how often campaigns ended in the range of their forecast, and how far off it was; virtual time',
    options: {
      campaigns: ['how many, 1 to 10000', '200'],
      from: ['the first seed, 1 to 1000000', '1'],
    },
    run: (values) =>
      measureForecast({
        campaigns: whole('campaigns', values, 1, 10_000),
        from: whole('from', values, 1, 1_000_000),
      }),
  },
  tail: {
    about: 'what the end of a list costs, and what would help; virtual time',
    options: {
      calls: ['calls of the list, 100 to 50000', '5000'],
      rate: ['requests a second, 1 to 1000', '5'],
      seeds: ['runs of each, 1 to 20', '3'],
    },
    run: (values) =>
      measureTail({
        calls: whole('calls', values, 100, 50_000),
        rate: whole('rate', values, 1, 1_000),
        seeds: whole('seeds', values, 1, 20),
      }),
  },
  import: {
    about:
      'rows a second into the ledger from a file and by the API, and memory, against a bare script with COPY',
    options: {
      rows: ['rows of the file, 1000 to 5000000', '1000000'],
      pairs: ['runs of each, taking turns, 1 to 20', '3'],
    },
    run: (values, signal) =>
      measureImport(
        { rows: whole('rows', values, 1_000, 5_000_000), pairs: whole('pairs', values, 1, 20) },
        signal,
      ),
  },
  million: {
    about:
      'a campaign of a million against one of a thousand: queue size, time to first call, share of a key',
    options: {
      rows: ['rows of the long list, 10000 to 5000000', '1000000'],
      pairs: ['runs of each, taking turns, 1 to 20', '3'],
      seconds: ['seconds to watch each, 5 to 600', '20'],
      engine: ['where the queue is: postgres, redis or both', 'both'],
    },
    run: (values, signal) =>
      measureMillion(
        {
          rows: whole('rows', values, 10_000, 5_000_000),
          pairs: whole('pairs', values, 1, 20),
          seconds: whole('seconds', values, 5, 600),
          engines: enginesOf(values.engine),
        },
        signal,
      ),
  },
  policy: {
    about: 'what contact rules cost the planner and the fence, on one ledger in turns',
    options: {
      rows: ['rows of the list, 20000 to 5000000', '1000000'],
      turns: ['turns with rules, and as many without, 5 to 500', '60'],
    },
    run: (values, signal) =>
      measurePolicy(
        { rows: whole('rows', values, 20_000, 5_000_000), turns: whole('turns', values, 5, 500) },
        signal,
      ),
  },
  creates: {
    about: 'single calls a second that `carillon api` takes, and how long each request waits',
    options: {
      connections: ['connections, each with one request at a time, 1 to 500', '20'],
      seconds: ['seconds of each run, 3 to 120', '10'],
      rounds: ['runs of each, taking turns, 1 to 20', '3'],
      against: ['another checkout, built, to compare with (default: none)', ''],
    },
    run: (values, signal) =>
      measureCreates(
        {
          connections: whole('connections', values, 1, 500),
          seconds: whole('seconds', values, 3, 120),
          rounds: whole('rounds', values, 1, 20),
          against: String(values.against),
        },
        signal,
      ),
  },
  erase: {
    about: 'time to erase a person from a large ledger, how fast old people go, and what it costs an import',
    options: {
      rows: ['people in the ledger, 1000 to 10000000', '1000000'],
      asks: ['people to erase one by one, 10 to 10000', '50'],
      home: ['keep the ledger in this folder, and use the one that is there (default: a temporary one)', ''],
    },
    run: (values, signal) =>
      measureErase(
        {
          rows: whole('rows', values, 1_000, 10_000_000),
          asks: whole('asks', values, 10, 10_000),
          home: String(values.home),
        },
        signal,
      ),
  },
  search: {
    about: 'time of a search over a ledger of millions, by what is searched for',
    options: {
      rows: ['people in the ledger, 100000 to 50000000', '10000000'],
      asks: ['searches of each kind, 10 to 10000', '300'],
      home: ['keep the ledger in this folder, and use the one that is there (default: a temporary one)', ''],
    },
    run: (values, signal) =>
      measureSearch(
        {
          rows: whole('rows', values, 100_000, 50_000_000),
          asks: whole('asks', values, 10, 10_000),
          home: String(values.home),
        },
        signal,
      ),
  },
  large: {
    about: 'cost of viewing and canceling a campaign of a million, and disk space per person; Linux only',
    options: {
      rows: ['rows of the list, 10000 to 5000000', '1000000'],
      called: ['people on a second list that is called, 1000 to 1000000', '20000'],
    },
    run: (values, signal) =>
      measureLarge(
        {
          rows: whole('rows', values, 10_000, 5_000_000),
          called: whole('called', values, 1_000, 1_000_000),
        },
        signal,
      ),
  },
  ...pageBenches,
  largest: {
    about: 'how long the largest request of each route keeps the event loop waiting',
    options: {
      people: ['people of the campaign that is asked about, 1 to 100000', '5000'],
      only: ['only requests whose name has this in it', ''],
    },
    run: (values, signal) =>
      measureLargest({ people: whole('people', values, 1, 100_000), only: String(values.only) }, signal),
  },
  keys: {
    about: 'what keys cost at rest; Linux only',
    options: {
      seconds: ['seconds to watch, 10 to 600', '60'],
      keys: ['how many, 1 to 2000', '1000'],
      engine: ['where the queue is: postgres, redis or both', 'both'],
    },
    run: (values, signal) =>
      measureIdle(
        {
          seconds: whole('seconds', values, 10, 600),
          keys: whole('keys', values, 1, 2_000),
          engines: enginesOf(values.engine),
        },
        signal,
      ),
  },
};

const usage = [
  'npm run bench -- <what> [options]',
  ...Object.entries(benches).map(([name, bench]) =>
    [
      `\n${name.padEnd(13)}${bench.about}`,
      ...Object.entries(bench.options).map(
        ([option, [meaning, preset]]) =>
          `  --${option.padEnd(9)} ${meaning}${preset === false ? '' : ` (default: ${preset})`}`,
      ),
    ].join('\n'),
  ),
].join('\n');

async function main(argv: string[], signal: AbortSignal): Promise<void> {
  const [what = '', ...rest] = argv;
  const bench = benches[what];
  if (!bench) throw new Usage(what ? `The benchmark ${what} does not exist.` : 'Name a benchmark.');
  const options = Object.fromEntries(
    Object.entries(bench.options).map(([name, [, preset]]) => [
      name,
      preset === false
        ? ({ type: 'boolean', default: false } as const)
        : ({ type: 'string', default: preset } as const),
    ]),
  );
  const { values } = parseArgs({ args: rest, options });
  mkdirSync(results, { recursive: true });
  await bench.run(values as Values, signal);
}

function enginesOf(engine: unknown): EngineKind[] {
  if (engine === 'both') return ['postgres', 'redis'];
  if (engine === 'postgres' || engine === 'redis') return [engine];
  throw new Usage(`--engine must be postgres, redis or both, not ${engine}.`);
}

function systemsOf(peers: unknown): SystemName[] {
  const names = String(peers).split(',');
  const wrong = names.find((name) => name === 'carillon' || !systemNames.includes(name as SystemName));
  if (wrong !== undefined)
    throw new Usage(`--peers must name bullmq, pg-boss or graphile-worker, not ${wrong}.`);
  return ['carillon', ...(names as SystemName[])];
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
