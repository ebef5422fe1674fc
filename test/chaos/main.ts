import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ServiceName, serviceNames } from '../../simulator/settings.ts';
import { type Extra, extraNames } from './extras.ts';
import { runMutations } from './mutate.ts';
import { playPlain, tellPlain } from './plain.ts';
import { printRound, printTotals } from './report.ts';
import { playRound, type Verdict } from './round.ts';
import { type EngineKind, makePlan } from './schedule.ts';
import { openStage, results } from './stage.ts';

/** `npm run chaos`: campaigns under real faults of real processes, judged by the service's journal. */
const usage = `npm run chaos -- [--rounds 3] [--people 1000] [--engine postgres|redis|cluster|both] [--seed N] [--seconds N] [--keep] [--system carillon|plain] [--sharing N] [--numbers N] [--pool N] [--budget N] [--policy] [--promise] [--with LIST] [--processes N] [--service NAME]

--rounds   rounds on each engine, with consecutive seeds
--seed     seed of the first round; the same seed gives the same schedule (default: from the clock)
--people   rows of each campaign
--seconds  the longest that faults strike in a round
--system   plain: the obvious dispatcher on BullMQ instead, with the SIGKILLs of the same seed
--sharing  how many campaigns call the same people at the same time
--numbers  how many phone numbers each person has (default: the seed draws 1 or 2)
--pool     most calls at once from each of three caller numbers (default: the seed draws)
--budget   what a background campaign may cost (default: the seed draws)
--policy   contact rules over three campaigns with the same people, four processes, and SIGKILLs only
--promise  the service holds idempotency keys for a day: nobody may stay unknown
--with     always play these: clocks, settings, keys, disk, twins, lost; or none (default: the seed draws them)
--service  whose interface the simulator speaks (default: standard)
--processes  how many processes dial (default: the seed draws two or three)
--faults   only these kinds besides the SIGKILLs, comma-separated
--mutations [words]  remove one safeguard at a time and check that a test notices
--keep     keep the folder of every round, not only of broken ones`;

class Usage extends Error {}

type Options = {
  rounds: number;
  seed: number;
  people: number;
  sharing: number;
  numbers: number | null;
  pool?: number;
  budget?: number;
  engines: EngineKind[];
  seconds: number | null;
  keep: boolean;
  system: 'carillon' | 'plain';
  service: ServiceName;
  faults: string[] | null;
  promise: boolean;
  policy: boolean;
  extras: Extra[] | null;
  processes: number | null;
  mutations: boolean;
  only: string | null;
};

function readOptions(argv: string[]): Options {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      people: { type: 'string', default: '1000' },
      sharing: { type: 'string', default: '1' },
      numbers: { type: 'string' },
      pool: { type: 'string' },
      budget: { type: 'string' },
      engine: { type: 'string', default: 'both' },
      seconds: { type: 'string' },
      system: { type: 'string', default: 'carillon' },
      service: { type: 'string', default: 'standard' },
      faults: { type: 'string' },
      policy: { type: 'boolean', default: false },
      promise: { type: 'boolean', default: false },
      with: { type: 'string' },
      processes: { type: 'string' },
      mutations: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  });
  const { engine, system } = values;
  if (system !== 'carillon' && system !== 'plain')
    throw new Usage(`--system must be carillon or plain, not ${system}.`);
  const service = serviceNames.find((name) => name === values.service);
  if (!service)
    throw new Usage(`--service must be one of ${serviceNames.join(', ')}, not ${values.service}.`);
  if (engine !== 'postgres' && engine !== 'redis' && engine !== 'cluster' && engine !== 'both')
    throw new Usage(`--engine must be postgres, redis, cluster or both, not ${engine}.`);
  if (engine === 'cluster' && system === 'plain') throw new Usage('--system plain has no --engine cluster.');
  return {
    rounds: whole('--rounds', values.rounds, 1, 1_000),
    seed: whole('--seed', values.seed, 0, 2 ** 31),
    people: whole('--people', values.people, 10, 100_000),
    sharing: values.policy ? 3 : whole('--sharing', values.sharing, 1, 10),
    ...(values.pool === undefined ? {} : { pool: whole('--pool', values.pool, 1, 1_000) }),
    ...(values.budget === undefined ? {} : { budget: whole('--budget', values.budget, 1, 1_000_000) }),
    numbers: values.numbers === undefined ? null : whole('--numbers', values.numbers, 1, 10),
    engines: engine === 'both' ? ['postgres', 'redis'] : [engine],
    seconds: values.seconds === undefined ? null : whole('--seconds', values.seconds, 4, 3_600),
    keep: values.keep,
    system,
    service,
    faults: values.faults?.split(',') ?? null,
    policy: values.policy,
    promise: values.promise,
    extras: values.with === undefined ? null : readExtras(values.with),
    processes: values.processes === undefined ? null : whole('--processes', values.processes, 1, 8),
    mutations: values.mutations,
    only: positionals[0] ?? null,
  };
}

function readExtras(text: string): Extra[] {
  if (text === 'none') return [];
  return text.split(',').map((word) => {
    const found = extraNames.find((name) => name === word);
    if (!found) throw new Usage(`--with must be some of ${extraNames.join(', ')}, or none, not ${word}.`);
    return found;
  });
}

function whole(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Usage(`${flag} must be a whole number of ${least} to ${most}, not ${text}.`);
}

const say = (line: string) => process.stdout.write(`${line}\n`);

async function play(options: Options, signal: AbortSignal): Promise<boolean> {
  const stage = await openStage(options.engines);
  const verdicts: Verdict[] = [];
  const failures: string[] = [];
  try {
    for (let n = 0; n < options.rounds; n++) {
      for (const engine of options.engines) {
        if (signal.aborted) break;
        const plan = makePlan(options.seed + n, {
          ...options,
          engine,
          killsAlone: options.system === 'plain' || options.policy,
        });
        try {
          if (options.system === 'plain') {
            say(tellPlain(await playPlain(stage, plan, signal)));
            continue;
          }
          const verdict = await playRound(stage, plan, { keep: options.keep, signal });
          verdicts.push(verdict);
          printRound(verdict, say);
          keepFigures(options, failures, verdicts);
        } catch (error) {
          failures.push(`${plan.seed} ${engine}: ${(error as Error).message}`);
          say(`\nround ${plan.seed}  ${engine} could not run: ${(error as Error).stack}`);
        }
      }
    }
  } finally {
    await stage.close();
  }
  if (options.system === 'plain') return failures.length === 0;
  printTotals(verdicts, failures, say);
  say(`Written to ${keepFigures(options, failures, verdicts)}`);
  return failures.length === 0 && verdicts.every((each) => each.violations.length === 0);
}

/** After every round: the findings of a long run must not be lost with it. */
function keepFigures(options: Options, failures: readonly string[], verdicts: readonly Verdict[]): string {
  mkdirSync(results, { recursive: true });
  const path = join(results, `chaos-${options.seed}.json`);
  writeFileSync(path, `${JSON.stringify({ options, failures, verdicts }, null, 2)}\n`);
  return path;
}

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stop.abort());
try {
  const options = readOptions(process.argv.slice(2));
  const sound = options.mutations ? runMutations(say, options.only) : await play(options, stop.signal);
  if (!sound) process.exitCode = 1;
} catch (error) {
  const { message, code } = error as Error & { code?: string };
  const misused = error instanceof Usage || code?.startsWith('ERR_PARSE_ARGS');
  process.stderr.write(misused ? `${message}\n\n${usage}\n` : `chaos: ${message}\n`);
  process.exitCode = misused ? 2 : 1;
}
