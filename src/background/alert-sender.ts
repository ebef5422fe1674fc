import { randomUUID } from 'node:crypto';
import { createAsides } from '../base/asides.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { errorLine } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { Seal } from '../base/seal.ts';
import type { Rounds } from '../base/stuck-loops.ts';
import { openAddress } from '../control/alerts/addresses.ts';
import { type PostDeps, type PostedAlerts, postAlerts } from '../control/alerts/send.ts';
import { sealOf } from '../control/webhooks/manage.ts';
import type { DueAddress } from '../ledger/alert-addresses/alert-addresses.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { waitAfter } from '../rules/webhook/standing.ts';

/** Tells the addresses of alerts what waits for them. Any number of processes may do it: each claims what it sends. */
type AlertSenderDeps = {
  ledger: Pick<Ledger, 'alertAddresses'>;
  config: PostDeps['config'] & Pick<Config, 'secret' | 'home'>;
  clock: Clock;
  log: Log;
  rounds?: Pick<Rounds, 'asides'> | undefined;
  resolve?: PostDeps['resolve'];
};

/** How soon an alert is noticed. */
export const alertBeatMs = 2_000;
const mostAtOnce = 5;
/** If this process dies, another one sends it after this long: longer than a message may take. */
const leaseSeconds = 60;
/** An address is never given up: whoever repairs it is told what still holds. */
const longestWaitMs = 3_600_000;

export function createAlertSender(deps: AlertSenderDeps): () => Promise<void> {
  const { ledger, config, clock, log } = deps;
  const { guard } = deps.rounds?.asides ?? createAsides(deps);
  const claimant = randomUUID();
  let seal: Seal | undefined;

  const sendTo = async (due: DueAddress, by: Seal) => {
    const { id, kind, atMost, tries, since } = due;
    let posted: PostedAlerts;
    try {
      posted = await postAlerts(deps, openAddress(by, due), await ledger.alertAddresses.notices(id));
    } catch (error) {
      posted = { numbers: [], answer: null, error: errorLine(error) };
    }
    const { numbers, error } = posted;
    const retryMs = Math.min(
      longestWaitMs,
      waitAfter(tries + 1, clock.now() - since.getTime()) ?? longestWaitMs,
    );
    const waitSeconds = error === null ? atMost : retryMs / 1_000;
    await ledger.alertAddresses.save(id, claimant, { numbers, error, waitSeconds });
    if (error !== null && tries === 0)
      log.warn({ address: id, kind, why: error }, 'alerts do not reach an address; they are sent again');
  };

  return async () => {
    // No secret is made while there is no address.
    if (!seal && (await ledger.alertAddresses.list()).length === 0) return;
    seal ??= sealOf(config);
    const due = await ledger.alertAddresses.claim(claimant, leaseSeconds, mostAtOnce, seal.mark);
    await Promise.all(due.map((each) => guard('alert sender', each.id, () => sendTo(each, seal!))));
  };
}
