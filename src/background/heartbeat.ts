import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { errorLine } from '../base/errors.ts';
import { markOf, type Seal } from '../base/seal.ts';
import { beatSeconds, openAddress } from '../control/alerts/addresses.ts';
import { type PostDeps, postBeat } from '../control/alerts/send.ts';
import { findDialTrouble } from '../control/processes/dialers.ts';
import { sealOf } from '../control/webhooks/manage.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { readWebUrl } from '../rules/webhook/url.ts';

/**
 * A dead man's switch: asks HEARTBEAT_URL and the monitors among the addresses of alerts each minute while dialling works,
 * so that a monitor elsewhere notices when it does not, whatever the reason. One process at a time does it.
 */
type HeartbeatDeps = {
  ledger: Pick<Ledger, 'processes' | 'alertAddresses'>;
  config: PostDeps['config'] & Pick<Config, 'heartbeatUrl' | 'secret' | 'home'>;
  clock: Clock;
  resolve?: PostDeps['resolve'];
};

/** After a beat that was not taken, and while dialling does not work. */
const soonSeconds = 15;
export const heartbeatLookMs = 5_000;

/** Asks one monitor, and returns why it did not take the beat; null when it did. The address is secret, and not in it. */
type Ask = () => Promise<string | null>;

export function createHeartbeat(deps: HeartbeatDeps): () => Promise<void> {
  const { ledger } = deps;
  let seal: Seal | undefined;
  const sealNow = () => {
    seal ??= sealOf(deps.config);
    return seal;
  };
  return async () => {
    const asks = await monitorsOf(deps, sealNow);
    if (asks.length === 0 || !(await ledger.processes.claimBeat(beatSeconds))) return;
    const standstill = await findDialTrouble(ledger);
    const reasons = standstill === null ? await Promise.all(asks.map((ask) => ask())) : [standstill];
    const reason = reasons.find((each) => each !== null) ?? null;
    await ledger.processes.saveBeat(reason, reason === null ? beatSeconds : soonSeconds);
  };
}

async function monitorsOf(deps: HeartbeatDeps, sealNow: () => Seal): Promise<Ask[]> {
  const { ledger } = deps;
  const { heartbeatUrl: url } = deps.config;
  const set: Ask[] = url === undefined ? [] : [() => askSet(deps, url)];
  const added = (await ledger.alertAddresses.list()).filter(({ kind }) => kind === 'monitor');
  // No secret is made while there is no address.
  if (added.length === 0) return set;
  const seal = sealNow();
  const own = added.filter(({ sealed }) => markOf(sealed) === seal.mark);
  return [
    ...set,
    ...own.map((row) => async () => {
      const { error } = await postBeat(deps, openAddress(seal, row)).catch((thrown) => ({
        error: errorLine(thrown),
      }));
      await ledger.alertAddresses.saveBeat(row.id, error);
      return error && `The monitor ${row.id} did not take it: ${error}`;
    }),
  ];
}

async function askSet(deps: HeartbeatDeps, given: string): Promise<string | null> {
  const asked = readWebUrl(given, deps.config.webhookAllowPrivate);
  if ('fault' in asked) return `HEARTBEAT_URL ${asked.fault}`;
  const { error } = await postBeat(deps, { id: '', kind: 'monitor', address: asked.url, secret: null });
  return error && `HEARTBEAT_URL did not take it: ${error}`;
}
