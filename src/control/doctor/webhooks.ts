import type { Config } from '../../base/config/config.ts';
import { markOf } from '../../base/seal.ts';
import { secretFile } from '../../base/secret.ts';
import type { Database } from '../../ledger/database.ts';
import { createWebhooks } from '../../ledger/webhooks/webhooks.ts';
import { sealOf } from '../webhooks/manage.ts';
import { counted, type Say } from './findings.ts';

/** The webhooks: whether this machine can sign for them, and which of them do not accept events. */
export async function lookAtWebhooks(db: Database, config: Config, say: Say): Promise<void> {
  const all = await createWebhooks(db).list();
  // No secret is created while there is no webhook.
  if (all.length === 0) return say('ok', 'none');
  const mark = sealOf(config).mark;
  const others = all.filter(({ secret }) => markOf(secret) !== mark).length;
  if (others > 0) sayOther(say, config, others);
  const bad = all.filter(({ state }) => state !== 'active');
  for (const { id, url, state, reason } of bad)
    say(
      'warn',
      `${id} at ${new URL(url).host} is ${state}: ${reason}`,
      remedies[state as keyof typeof remedies],
    );
  if (others + bad.length === 0) say('ok', `${counted(all.length, 'webhook')}, all active`);
}

const remedies = {
  failing: 'See why its receiver does not take events; it is asked again, and nothing is lost.',
  resting: 'When its receiver works again, run `carillon webhook test` with its id; or remove it.',
} as const;

function sayOther(say: Say, { secret, home }: Config, others: number): void {
  const ours = secret === undefined ? `the file ${secretFile} in ${home}` : 'CARILLON_SECRET';
  say(
    'fail',
    `the secrets of ${counted(others, 'webhook')} were sealed with another secret than ${ours}`,
    'Set the CARILLON_SECRET that sealed them, or remove these webhooks and add them again.',
  );
}
