import type { Config } from '../../base/config/config.ts';
import { createSeal } from '../../base/seal.ts';
import { readSecret } from '../../base/secret.ts';
import type { Database } from '../../ledger/database.ts';
import { createErasures } from '../../ledger/erasures/erasures.ts';
import { counted, type Say } from './findings.ts';

/** Erased people: whether this machine has the secret that recognises them, and what is left to erase. */
export async function lookAtErasures(db: Database, config: Config, say: Say): Promise<void> {
  const erasures = createErasures(db, () => createSeal(readSecret(config)));
  await erasures.look();
  const trouble = erasures.trouble();
  if (trouble) return say('fail', `${trouble.message}; this machine does not dial`, trouble.remedy);
  const open = (await erasures.open()).length;
  const days = config.keepDays ?? (await erasures.keptDays());
  const kept = days === null ? 'for ever' : `for ${counted(days, 'day')}`;
  if (open === 0) return say('ok', `none waits; the data of people is kept ${kept}`);
  say(
    'warn',
    `${counted(open, 'person', 'people')} not completely erased: a call or an import has not ended`,
    'Keep `carillon up` or a worker running; it completes the erasure.',
  );
}
