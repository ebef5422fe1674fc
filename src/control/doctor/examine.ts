import { z } from 'zod';
import type { Config } from '../../base/config/config.ts';
import type { Engine } from '../../engine/engine.ts';
import { type Check, createCheck, type Finding, findingShape, type Say } from './findings.ts';
import { checkKeys } from './keys.ts';
import { looks } from './looks.ts';
import { checkApi, checkHome, checkNode, checkProfile, checkService, checkSpool } from './machine.ts';
import { checkMaxCost, checkPolicy } from './rules.ts';
import { type LedgerView, lookAtLedger, lookAtQueue, withDatabase } from './stores.ts';

/** The checks of `carillon doctor`, by a command that opens what it checks, or by a process that works. */
type Checked = {
  config: Config;
  home?(say: Say): void;
  /** Checks the ledger and goes on while it is open; with null where there is none, as the other checks still run. */
  withLedger(next: (ledger: LedgerView | null) => Promise<void>): Promise<void>;
  withEngine(ledger: LedgerView | null, next: (engine: Engine | null) => Promise<void>): Promise<void>;
};

export async function checkAll(
  check: Check,
  { config, home, withLedger, withEngine }: Checked,
): Promise<void> {
  const profile = await check('profile', (say) => checkProfile(config, say));
  await check('home', (say) => {
    checkHome(config, say);
    home?.(say);
  });
  await check('spool', (say) => checkSpool(config, say));
  await check('api', (say) => checkApi(config, say));
  const asks = await check('service', (say) => checkService(config, say));
  await withLedger(async (ledger) => {
    await checkPolicy(check, config, ledger);
    await checkMaxCost(check, config, ledger);
    for (const [what, look] of Object.entries(looks))
      await check(what, (say) => withDatabase(ledger, (db) => look(db, config, say)));
    await withEngine(ledger, async (engine) => {
      if (asks && profile) await checkKeys(check, { config, described: profile.description, ledger, engine });
    });
  });
}

export const examinedAnswer = z
  .object({ ok: z.boolean().describe('False when a check has failed.'), checks: z.array(findingShape) })
  .meta({ id: 'Examined' });

type ExamineDeps = { config: Config; ledgerUrl: string; engine: Engine };

/** By a working process: its machine, its servers, its keys. */
export async function examine({
  config,
  ledgerUrl: url,
  engine,
}: ExamineDeps): Promise<z.output<typeof examinedAnswer>> {
  const checks: Finding[] = [];
  const check = createCheck((finding) => checks.push(finding));
  await check('node', checkNode);
  await checkAll(check, {
    config,
    async withLedger(next) {
      const upToDate = await check('ledger', (say) => lookAtLedger(url, false, config, say));
      await next(upToDate === null ? null : { url, upToDate });
    },
    async withEngine(_, next) {
      await check('queue', (say) => lookAtQueue(engine, say));
      await next(engine);
    },
  });
  return { ok: checks.every(({ state }) => state !== 'fail'), checks };
}
