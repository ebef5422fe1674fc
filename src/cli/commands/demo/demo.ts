import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSimulator } from '../../../../simulator/server.ts';
import type { SimulatorOptions } from '../../../../simulator/settings.ts';
import type { App } from '../../../app.ts';
import { CarillonError } from '../../../base/errors.ts';
import { readOrder } from '../../../control/order/order.ts';
import { stopEmbedded } from '../../../embedded/embedded.ts';
import { type Cli, type Command, createCli, topCommand } from '../../command-io.ts';
import { runLive } from '../run/live.ts';
import { isFree, readPort, servePage } from '../up.ts';
import { stay } from './stay.ts';

/** The demo: a whole campaign on a simulated service, without touching the user's own settings or data. */
export function demoCommand(cli: Cli): Command {
  return topCommand('demo', 'carillon demo\ncarillon demo --stay')
    .option('--stay', 'serve the page with several simulated campaigns, until Ctrl-C')
    .option(
      '--port <n>',
      'the port of the page; 0 picks a free one (default: 3000, or a free one where it is taken)',
    )
    .option('-q, --quiet', 'no progress: only warnings, errors and the summary at the end')
    .option('--json', 'print the summary as one JSON line on stdout')
    .action((flags: DemoFlags) => runDemo(cli, flags));
}

/** The port of `carillon up`; another one if it is taken. */
const usualPort = 3_000;
/** Slower calls; now and then one with an unknown outcome, or a person who wants to be called back. */
const staying: SimulatorOptions = {
  rate: 7,
  speed: 6,
  faults: [{ kind: 'reset', on: 'create', probability: 0.008 }],
  callbacks: { share: 0.1, afterMs: 90_000 },
};

/** The reader sees how their limits are learned. */
const stayingKeys = {
  VOICE_API_KEYS: 'main=simulated-key,west=other-simulated-key',
  VOICE_MAX_CALLS: 'main=20,west=10',
};

/** The standard interface names no currency; the simulated prices are in dollars. */
function writePrices(home: string): string {
  const path = join(home, 'profile.json');
  writeFileSync(path, JSON.stringify({ get: { fields: { cost: { at: '/cost', currency: 'USD' } } } }));
  return path;
}

/** Twenty requests a second, as many services allow; a minute of a call passes in a second. */
const rate = 20;
const speed = 60;

type DemoFlags = { json?: true; stay?: true; port?: string; quiet?: true };

async function runDemo(cli: Cli, flags: DemoFlags): Promise<void> {
  const json = flags.json === true;
  const stays = flags.stay === true;
  if (json && stays) throw bothGiven();
  const quiet = flags.quiet === true;
  const wanted = readPort('--port', flags.port);
  if (wanted && !(await isFree(wanted)))
    throw new CarillonError('usage-invalid', `The port ${wanted} is taken`, {
      remedy: 'Give another with --port; 0 picks a free one.',
    });
  const say = (line: string) => {
    if (!quiet) (json ? cli.note : cli.out)(line);
  };
  const home = await freshHome(cli);
  const simulator = await startSimulator({ rate, speed, seed: 7, ...(stays ? staying : {}) });
  const port = wanted ?? ((await isFree(usualPort)) ? usualPort : 0);
  // The demo never sees the user's environment, so it cannot call a real service.
  const env = {
    PATH: cli.io.env.PATH,
    VOICE_BASE_URL: simulator.url,
    ...(stays
      ? { ...stayingKeys, VOICE_PROFILE: writePrices(home) }
      : { VOICE_API_KEYS: 'demo=simulated-key', VOICE_RATE: String(rate) }),
    CARILLON_HOME: home,
    LOG_LEVEL: 'error',
    PORT: String(port),
  };
  const own = createCli({ ...cli.io, env, cwd: home });
  say(
    `A simulated voice service runs at ${simulator.url}: nobody is called, and a minute passes in ${stays ? 'ten seconds' : 'a second'}.`,
  );
  try {
    if (stays) return await stay(own);
    const beside = (app: App) => showPage(app, port, quiet ? () => undefined : json ? own.note : own.out);
    const run = {
      file: sample(),
      name: 'demo',
      isOwnName: true,
      out: resolve(cli.io.cwd, 'demo.results.csv'),
      rejects: resolve(cli.io.cwd, 'demo.results.rejected.csv'),
      order: readOrder({ agent: 'agent_demo', country: 'US' }),
      map: undefined,
      attempts: null,
      on402: 'wait',
      mostCalls: null,
      startOver: false,
      yes: true,
      json,
      quiet,
      again: 'carillon demo',
    } as const;
    await runLive(own, run, beside);
  } finally {
    await simulator.close();
    await stopEmbedded(home);
    rmSync(home, { recursive: true, force: true });
  }
  cli.exit(own.exitCode());
  say(
    'Next: put VOICE_SERVICE (`carillon service list`) and VOICE_API_KEYS into .env, then `carillon run people.csv --agent <id> --dry-run`.',
  );
}

/** The dialling does not wait for the page, and ends it. */
function showPage(app: App, port: number, say: (line: string) => void): void {
  const stations = app.stations({ dialer: app.dialer, campaignId: null, runId: null });
  const note = (line: string) => say(line);
  const served = servePage(app, { host: '127.0.0.1', port, stations, note }).then(
    (url) => say(`Watch it at ${url} while it runs; \`carillon demo --stay\` keeps the page up.`),
    (error: Error) => say(`The page cannot be shown: ${error.message}.`),
  );
  app.lifecycle.add({ name: 'the start of the page', close: () => served });
}

function bothGiven(): CarillonError {
  return new CarillonError('usage-invalid', '--stay and --json cannot be combined', {
    remedy: 'Give only one of them.',
  });
}

/** One fixed place per checkout, so that a demo finds and ends what a killed one left behind. */
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
  for (const up of ['../../../../', '../../../../../']) {
    const path = fileURLToPath(new URL(`${up}examples/people.csv`, import.meta.url));
    if (existsSync(path)) return path;
  }
  throw new CarillonError('file-unreadable', 'The sample examples/people.csv is missing', {
    remedy: 'Install the whole package again.',
  });
}
