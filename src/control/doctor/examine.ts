import { z } from 'zod';
import type { Config } from '../../base/config/config.ts';
import { createLog } from '../../base/log.ts';
import type { Engine } from '../../engine/engine.ts';
import { checkAlerts, checkHeartbeat } from './alerts.ts';
import { checkErasures } from './erasures.ts';
import { createCheck, type Finding, findingShape } from './findings.ts';
import { checkKeys } from './keys.ts';
import { checkApi, checkHome, checkNode, checkProfile, checkService, checkSpool } from './machine.ts';
import { checkMaxCost, checkPolicy } from './rules.ts';
import { lookAtLedger, lookAtQueue } from './stores.ts';
import { checkWebhooks } from './webhooks.ts';
import { checkWorkers } from './workers.ts';

/** The checks of `carillon doctor`, made by a working process: its machine, its servers, its keys. */
export const examinedAnswer = z
  .object({ ok: z.boolean().describe('False when a check has failed.'), checks: z.array(findingShape) })
  .meta({ id: 'Examined' });
export type Examined = z.output<typeof examinedAnswer>;

type ExamineDeps = { config: Config; ledgerUrl: string; engine: Engine };

export async function examine({ config, ledgerUrl: url, engine }: ExamineDeps): Promise<Examined> {
  const checks: Finding[] = [];
  const check = createCheck((finding) => checks.push(finding));
  await check('node', checkNode);
  const profile = await check('profile', (say) => checkProfile(config, say));
  await check('home', (say) => checkHome(config, say));
  await check('spool', (say) => checkSpool(config, say));
  await check('api', (say) => checkApi(config, say));
  const asks = await check('service', (say) => checkService(config, say));
  const upToDate = await check('ledger', (say) => lookAtLedger(url, false, config, say));
  const ledger = upToDate === null ? null : { url, upToDate };
  await checkPolicy(check, config, ledger);
  await checkMaxCost(check, config, ledger);
  await checkWebhooks(check, config, ledger);
  await checkAlerts(check, config, ledger);
  await checkHeartbeat(check, config, ledger);
  await checkErasures(check, config, ledger);
  await checkWorkers(check, config, ledger);
  await check('queue', (say) => lookAtQueue(engine, say));
  // Silent: the findings say what is wrong.
  const log = createLog('silent');
  if (asks && profile)
    await checkKeys(check, { config, described: profile.description, log, ledger, engine });
  return { ok: checks.every(({ state }) => state !== 'fail'), checks };
}
