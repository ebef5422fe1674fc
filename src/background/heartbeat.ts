import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { findStandstill } from '../control/processes/standstill.ts';
import { createSender } from '../control/webhooks/send.ts';
import type { ResolveHost } from '../http/resolve.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { readWebUrl } from '../rules/webhook/url.ts';

/**
 * A dead man's switch: asks HEARTBEAT_URL each minute while dialling works, so that a monitor elsewhere notices when it
 * does not, whatever the reason. One process at a time does it.
 */
export type HeartbeatDeps = {
  ledger: Pick<Ledger, 'processes'>;
  config: Pick<Config, 'heartbeatUrl' | 'webhookAllowPrivate'>;
  clock: Clock;
  resolve?: ResolveHost;
};

const everySeconds = 60;
/** After a beat that was not taken, and while dialling does not work. */
const soonSeconds = 15;
const timeoutMs = 10_000;
/** How often a process looks whether a beat is due. */
export const heartbeatLookMs = 5_000;

export function createHeartbeat(deps: HeartbeatDeps): (() => Promise<void>) | undefined {
  const { ledger, config } = deps;
  const { heartbeatUrl: url } = config;
  if (url === undefined) return undefined;
  return async () => {
    if (!(await ledger.processes.claimBeat(everySeconds))) return;
    const reason = (await findStandstill(ledger)) ?? (await beat(deps, url));
    await ledger.processes.saveBeat(reason, reason === null ? everySeconds : soonSeconds);
  };
}

/** Why it was not taken; null when it was. The address is secret, and not in it. */
async function beat({ config, clock, resolve }: HeartbeatDeps, given: string): Promise<string | null> {
  const { webhookAllowPrivate: allowPrivate } = config;
  const asked = readWebUrl(given, allowPrivate);
  if ('fault' in asked) return `HEARTBEAT_URL ${asked.fault}`;
  const sender = createSender({ url: asked.url, secret: null, allowPrivate, clock, resolve, timeoutMs });
  try {
    const { ok, status, error } = await sender.send({ id: '', body: null });
    return ok ? null : `HEARTBEAT_URL did not take it: ${error ?? `it answered ${status}`}`;
  } finally {
    await sender.close();
  }
}
