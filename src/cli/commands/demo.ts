import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSimulator } from '../../../simulator/server.ts';
import { CarillonError } from '../../base/errors.ts';
import { readOrder } from '../../control/order/order.ts';
import { stopEmbedded } from '../../embedded/embedded.ts';
import { type Cli, type Command, command, createCli } from '../cli.ts';
import { runLive } from './run-live.ts';

/** The demo: a whole campaign on a simulated service, without touching the user's own settings or data. */
export function demoCommand(cli: Cli): Command {
  return command(
    'demo',
    'Dispatch a sample campaign on a simulated service, with a fresh ledger of its own. Nobody is called.',
    'carillon demo',
  )
    .option('--json', 'print the summary as one JSON line on stdout')
    .action((flags: { json?: boolean }) => runDemo(cli, Boolean(flags.json)));
}

/** Twenty requests a second, as many services allow; a minute of a call passes in a second. */
const rate = 20;
const speed = 60;

async function runDemo(cli: Cli, json: boolean): Promise<void> {
  const say = (line: string) => (json ? cli.note(line) : cli.out(line));
  const home = await freshHome(cli);
  const simulator = await startSimulator({ rate, speed, seed: 7 });
  // The demo never sees the user's environment, so it cannot call a real service.
  const env = {
    PATH: cli.io.env.PATH,
    VOICE_BASE_URL: simulator.url,
    VOICE_API_KEYS: 'demo=simulated-key',
    VOICE_RATE: String(rate),
    CARILLON_HOME: home,
    LOG_LEVEL: 'error',
  };
  const own = createCli({ ...cli.io, env, cwd: home });
  say(
    `A simulated voice service runs at ${simulator.url}: nobody is called, and a minute passes in a second.`,
  );
  try {
    await runLive(own, {
      file: sample(),
      name: 'demo',
      out: resolve(cli.io.cwd, 'demo.results.csv'),
      order: readOrder({ agent: 'agent_demo' }),
      map: undefined,
      country: 'US',
      attempts: null,
      on402: 'wait',
      mostCalls: null,
      startOver: false,
      yes: true,
      json,
      again: 'carillon demo',
    });
  } finally {
    await simulator.close();
    await stopEmbedded(home);
    rmSync(home, { recursive: true, force: true });
  }
  cli.exit(own.exitCode());
  say(
    'Next: put VOICE_BASE_URL and VOICE_API_KEYS into .env, then `carillon run people.csv --agent <id> --dry-run`.',
  );
}

/** One fixed place a checkout, so that a demo finds and ends what a killed one left behind. */
async function freshHome(cli: Cli): Promise<string> {
  const mark = createHash('sha256').update(cli.io.cwd).digest('hex').slice(0, 8);
  let home = join(tmpdir(), `carillon-demo-${userInfo().uid}-${mark}`);
  if (existsSync(home)) {
    // Still in use: another demo is running, here or in another container.
    const left = await stopEmbedded(home).catch(() => 'in-use');
    if (left === 'in-use') home = `${home}-${process.pid}`;
    else rmSync(home, { recursive: true, force: true });
  }
  mkdirSync(home, { mode: 0o711 });
  return home;
}

/** The sample is found from the sources and from the compiled program alike. */
function sample(): string {
  for (const up of ['../../../', '../../../../']) {
    const path = fileURLToPath(new URL(`${up}examples/people.csv`, import.meta.url));
    if (existsSync(path)) return path;
  }
  throw new CarillonError('file-unreadable', 'The sample examples/people.csv is missing', {
    remedy: 'Install the whole package again.',
  });
}
