import type { Command } from 'commander';
import { type Cli, command } from '../cli.ts';
import {
  checkApi,
  checkHome,
  checkNode,
  checkProfile,
  checkService,
  checkSettings,
  checkSpool,
} from '../doctor/checks.ts';
import { checkKeys } from '../doctor/checks-keys.ts';
import { checkPolicy } from '../doctor/checks-policy.ts';
import { withEngine, withLedger } from '../doctor/checks-stores.ts';
import { checkWebhooks } from '../doctor/checks-webhooks.ts';
import { createCheck, drawFinding, type Finding } from '../doctor/findings.ts';

/** `carillon doctor`: checks each dependency, key and setting, and says how to fix what is wrong. */
export function doctorCommand(cli: Cli): Command {
  return command(
    'doctor',
    'Check every dependency, key and setting, and say how to fix what is wrong.',
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
  const profile = await check('profile', (say) => checkProfile(config, say));
  await check('home', (say) => checkHome(config, say));
  await check('spool', (say) => checkSpool(config, say));
  await check('api', (say) => checkApi(config, say));
  const asks = await check('service', (say) => checkService(config, say));
  // Silent: the findings say what is wrong.
  const log = cli.log('silent');
  await withLedger(check, config, log, async (ledger) => {
    await checkPolicy(check, config, ledger);
    await checkWebhooks(check, config, ledger);
    await withEngine(check, config, log, ledger, async (engine) => {
      if (asks && profile) await checkKeys(check, { config, profile, log, ledger, engine });
    });
  });
}
