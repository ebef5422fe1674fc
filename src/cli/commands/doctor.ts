import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Config, loadConfig, readEnvironment } from '../../base/config/config.ts';
import type { Log } from '../../base/log.ts';
import { checkAll } from '../../control/doctor/examine.ts';
import { type Check, createCheck, type Finding, type Say } from '../../control/doctor/findings.ts';
import { checkNode } from '../../control/doctor/machine.ts';
import { type LedgerView, lookAtLedger, lookAtQueue } from '../../control/doctor/stores.ts';
import { createEngine, type Engine } from '../../engine/engine.ts';
import { settingsOf } from '../../voice/load-service.ts';
import { type Cli, topCommand } from '../command-io.ts';
import { withLedgerUrl } from '../ledger-address.ts';
import { checkOtherHome } from '../sudo-home.ts';

/** `carillon doctor`: checks each dependency, key and setting, and says how to fix what is wrong. */
export function doctorCommand(cli: Cli): Command {
  return topCommand(
    'doctor',
    'carillon doctor\ncarillon doctor --json | jq -r ".checks[] | select(.state != \\"ok\\")"',
  )
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: true }) => {
      const checks: Finding[] = [];
      await examine(cli, (finding) => {
        checks.push(finding);
        if (!options.json) cli.out(drawFinding(finding));
      });
      const failed = checks.filter((check) => check.state === 'fail').length;
      if (options.json) cli.json({ ok: failed === 0, checks });
      if (failed === 0) return;
      cli.exit(1);
      cli.note(`carillon: ${failed} of ${checks.length} checks failed. Each arrow (->) says what to do.`);
    });
}

async function examine(cli: Cli, found: (finding: Finding) => void): Promise<void> {
  const check = createCheck(found);
  await check('node', checkNode);
  const config = await check('settings', (say) => checkSettings(cli, say));
  if (!config) return;
  const log = cli.log('silent');
  await checkAll(check, {
    config,
    home: (say) => checkOtherHome(cli, say),
    withLedger: (next) => withCheckedLedger(check, config, log, next),
    withEngine: (ledger, next) => withEngine(check, config, log, ledger, next),
  });
}

function checkSettings(cli: Cli, say: Say): Config {
  const { env, cwd } = cli.io;
  // A description that cannot be read is reported by its own check.
  const config = loadConfig(readEnvironment(env, cwd), env, (service, profilePath) => {
    try {
      return settingsOf(service, profilePath);
    } catch {
      return {};
    }
  });
  const hasFile = existsSync(join(cwd, '.env'));
  say(
    'ok',
    hasFile ? `.env in ${cwd} and the environment` : `the environment only: there is no .env in ${cwd}`,
  );
  // A misspelt name is a setting that nobody reads.
  const known = new Set(config.settings.map(({ name }) => name));
  const unread = Object.keys(readEnvironment(env, cwd)).filter(
    (name) => /^(?:CARILLON|VOICE)_/.test(name) && !known.has(name),
  );
  if (unread.length > 0)
    say('warn', `nothing reads ${unread.join(', ')}`, '.env.example lists every setting.');
  return config;
}

const marks = { ok: 'ok  ', warn: 'warn', fail: 'fail' } as const;

function drawFinding({ state, what, detail, remedy }: Finding): string {
  const line = `${marks[state]}  ${what.padEnd(12)}  ${detail}`;
  return remedy ? `${line}  -> ${remedy}` : line;
}

/** Continues with null without a ledger: the other checks still run. */
async function withCheckedLedger(
  check: Check,
  config: Config,
  log: Log,
  next: (ledger: LedgerView | null) => Promise<void>,
): Promise<void> {
  let went = false;
  const go = (ledger: LedgerView | null) => {
    went = true;
    return next(ledger);
  };
  await check('ledger', (say) =>
    withLedgerUrl(config, log, async (url, fresh) => {
      const upToDate = await check('ledger', () => lookAtLedger(url, fresh, config, say));
      await go(upToDate === null ? null : { url, upToDate });
    }),
  );
  if (!went) await go(null);
}

async function withEngine(
  check: Check,
  config: Config,
  log: Log,
  ledger: LedgerView | null,
  next: (engine: Engine | null) => Promise<void>,
): Promise<void> {
  const { redisUrl } = config;
  const engine = await check('queue', async (say) => {
    if (!redisUrl && !ledger) {
      say('fail', 'it is in the ledger’s Postgres, which cannot be used', 'Fix the ledger first.');
      return null;
    }
    const made = await createEngine({ redisUrl, databaseUrl: ledger?.url ?? '', log });
    try {
      await lookAtQueue(made, say);
      return made;
    } catch (error) {
      await made.close();
      throw error;
    }
  });
  try {
    await next(engine);
  } finally {
    await engine?.close();
  }
}
