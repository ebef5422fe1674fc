import { once } from 'node:events';
import type { Command } from 'commander';
import { type FaultRule, parseFault } from '../../../simulator/faults.ts';
import { limiterKinds } from '../../../simulator/limits.ts';
import { startSimulator } from '../../../simulator/server.ts';
import type { SimulatorOptions } from '../../../simulator/settings.ts';
import { retryAfterForms, serviceNames } from '../../../simulator/settings.ts';
import { systemClock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import { oneOf } from '../closed-lists.ts';
import { type Cli, pathOf, topCommand } from '../command-io.ts';
import { several } from '../flags.ts';
import { watchSignals } from '../terminal/signals.ts';

/** `carillon sim`: the simulated voice service on a port, to try everything without calling anyone. */
type Flags = {
  port: string;
  host?: string;
  service?: string;
  rate?: string;
  limiter?: string;
  retryAfter?: string;
  credits?: string;
  seed?: string;
  speed?: string;
  latency?: string;
  concurrency?: string;
  lateRecord?: string;
  callbacks?: string;
  idempotency?: string;
  fault?: string[];
  key?: string[];
  agent?: string[];
  journal?: string;
  json?: true;
};

/** A fixed default, so that the line in .env stays true. */
const defaultPort = '4010';

export function simCommand(cli: Cli): Command {
  return topCommand('sim', 'carillon sim --rate 5 --speed 20\ncarillon sim --port 0 --credits 100 --json')
    .option('--port <port>', 'the port; 0 picks a free one', defaultPort)
    .option('--host <address>', 'the address to listen on (default: 127.0.0.1)')
    .addOption(oneOf('--service <name>', 'whose interface to speak (default: standard)', serviceNames))
    .option('--rate <n>', 'requests a second per key, or none (default: 20)')
    .addOption(oneOf('--limiter <kind>', 'how requests are counted', limiterKinds))
    .addOption(oneOf('--retry-after <form>', 'Retry-After on a 429', retryAfterForms))
    .option('--credits <n>', 'how many calls the account can pay for; then 402')
    .option('--seed <n>', 'seed for everything random')
    .option('--speed <n>', 'how fast time runs inside calls: 60 makes a minute pass in a second')
    .option('--latency <ms>', 'delay of each answer in milliseconds: 50, or 20-200')
    .option('--concurrency <n>', 'calls at once per key; a create beyond that gets 429')
    .option(
      '--late-record <time>',
      'how long after its end a call gets cost, transcript, recording and data, such as 30s',
    )
    .option(
      '--callbacks <share>',
      'how many conversations end with a wish to be called back, in structured_data.callback_at, and after how long: 10%/2m',
    )
    .option('--idempotency <time>', 'how long an Idempotency-Key is held: 24h; 0s makes two calls under one')
    .option(
      '--fault <rule>',
      'what goes wrong, as in docs/reference/simulator.md: other-phone@get:p=0.1',
      several,
    )
    .option('--key <secret>', 'a key to accept; repeatable (default: any)', several)
    .option('--agent <id>', 'an agent that exists; repeatable (default: any)', several)
    .option('--journal <file>', 'append every request with its answer to this file, one JSON line each')
    .option('--json', 'print {url, port} as one JSON document')
    .action(async (flags: Flags) => {
      const simulator = await startSimulator(optionsOf(cli, flags));
      const signals = watchSignals();
      try {
        if (flags.json) cli.json({ url: simulator.url, port: simulator.port });
        else {
          cli.note(`The simulated voice service answers at ${simulator.url}. Ctrl-C stops it.`);
          const { service = 'standard' } = flags;
          const lines = service === 'standard' ? 'two' : 'three';
          cli.note(`To use it, put these ${lines} lines into .env or the environment:`);
          if (service !== 'standard') cli.out(`VOICE_SERVICE=${service}`);
          cli.out(`VOICE_BASE_URL=${simulator.url}`);
          cli.out(`VOICE_API_KEYS=${flags.key?.[0] ?? 'any-secret'}`);
        }
        const orphaned = 'npm_command' in cli.io.env ? [parentEnds(signals.signal)] : [];
        if (!signals.signal.aborted) await Promise.race([once(signals.signal, 'abort'), ...orphaned]);
      } finally {
        signals.stop();
        await simulator.close();
      }
    });
}

/** npm and npx leave their child processes running when killed: a simulator that nobody can find keeps its port. */
async function parentEnds(signal: AbortSignal): Promise<void> {
  const parent = process.ppid;
  while (process.ppid === parent && !signal.aborted) await systemClock.sleep(500, signal);
}

function optionsOf(cli: Cli, flags: Flags): SimulatorOptions {
  const { journal } = flags;
  return {
    port: number('--port', flags.port),
    ...given('host', flags.host),
    ...given('service', flags.service as SimulatorOptions['service']),
    ...given('rate', flags.rate === 'none' ? null : number('--rate', flags.rate)),
    ...given('limiter', flags.limiter as SimulatorOptions['limiter']),
    ...given('retryAfter', flags.retryAfter as SimulatorOptions['retryAfter']),
    ...given('credits', number('--credits', flags.credits)),
    ...given('seed', number('--seed', flags.seed)),
    ...given('speed', number('--speed', flags.speed)),
    ...given('latencyMs', latency(flags.latency)),
    ...given('concurrency', number('--concurrency', flags.concurrency)),
    ...given('callbacks', callbacksOf(flags)),
    ...given(
      'idempotencyMs',
      flags.idempotency === undefined ? undefined : span('--idempotency', flags.idempotency),
    ),
    ...given('faults', faultsOf(flags)),
    ...given('keys', flags.key),
    ...given('agents', flags.agent),
    ...given('journalFile', journal === undefined ? journal : pathOf(cli, journal)),
  };
}

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

function span(flag: string, text: string): number {
  const [, amount, unit = 's'] = /^(\d+)([smh])?$/.exec(text.trim()) ?? [];
  if (amount !== undefined) return Number(amount) * units[unit]!;
  throw new CarillonError('usage-invalid', `${flag} is not a time: ${text}`, {
    remedy: 'Give a number with s, m or h, such as 30s.',
  });
}

function callbacksOf({ callbacks }: Flags): SimulatorOptions['callbacks'] | undefined {
  if (callbacks === undefined) return undefined;
  const [, share, time] = /^(\d{1,3})\s*%\s*\/(.*)$/.exec(callbacks.trim()) ?? [];
  if (share !== undefined) return { share: Number(share) / 100, afterMs: span('--callbacks', time!) };
  throw new CarillonError('usage-invalid', `--callbacks is not a share and a time: ${callbacks}`, {
    remedy: 'Give both, such as 10%/2m.',
  });
}

/** The simulator validates the rules. */
function faultsOf({ fault = [], lateRecord }: Flags): SimulatorOptions['faults'] {
  const rules = fault.map((text) => parseFault(text) as FaultRule);
  if (lateRecord !== undefined) rules.push({ kind: 'late-record', ms: span('--late-record', lateRecord) });
  return rules.length > 0 ? rules : undefined;
}

function given<K extends keyof SimulatorOptions>(name: K, value: SimulatorOptions[K]): SimulatorOptions {
  return value === undefined ? {} : { [name]: value };
}

/** The simulator checks the value; here it only becomes a number. */
function number(flag: string, text: string): number;
function number(flag: string, text: string | undefined): number | undefined;
function number(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new CarillonError('usage-invalid', `${flag} is not a number: ${text}`, {
    remedy: 'Run `carillon sim --help` to see what it takes.',
  });
}

function latency(text: string | undefined): number | [number, number] | undefined {
  const range = /^\s*(\d+)\s*-\s*(\d+)\s*$/.exec(text ?? '');
  return range ? [Number(range[1]), Number(range[2])] : number('--latency', text);
}
