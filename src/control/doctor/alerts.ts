import type { Config } from '../../base/config/config.ts';
import { markOf } from '../../base/seal.ts';
import { createAlertAddresses } from '../../ledger/alert-addresses/alert-addresses.ts';
import type { Database } from '../../ledger/database.ts';
import { createProcesses } from '../../ledger/processes/processes.ts';
import { findDialTrouble } from '../processes/dialers.ts';
import { sealOf } from '../webhooks/manage.ts';
import { counted, type Say } from './findings.ts';

/** Whether alerts reach people: the addresses that are told of them, and the heartbeat. */
export async function lookAtAddresses(db: Database, config: Config, say: Say): Promise<void> {
  const all = (await createAlertAddresses(db).list()).filter(({ kind }) => kind !== 'monitor');
  // Somebody may watch the page, or Prometheus.
  if (all.length === 0) return say('ok', 'no address is told of them; `carillon alert add` adds one');
  const { mark } = sealOf(config);
  const others = all.filter(({ sealed }) => markOf(sealed) !== mark).length;
  if (others > 0) {
    say(
      'fail',
      `${counted(others, 'address was', 'addresses were')} sealed with another CARILLON_SECRET than this one`,
      'Set the CARILLON_SECRET that sealed them, or remove these addresses and add them again.',
    );
  }
  const mails = all.filter(({ kind }) => kind === 'email').length;
  if (mails > 0 && !config.alertMail) {
    say(
      'warn',
      `${counted(mails, 'address is', 'addresses are')} of e-mail, and ALERT_SMTP_URL is not set here`,
      'Set it, here and for the processes that run.',
    );
  }
  const failing = all.filter(({ reason }) => reason !== null);
  for (const { id, kind, reason } of failing) {
    const remedy = `Repair it, then run \`carillon alert test ${id}\`; it is tried again by itself too.`;
    say('warn', `they do not reach ${id} (${kind}): ${reason}`, remedy);
  }
  if (others + failing.length === 0 && (mails === 0 || config.alertMail))
    say('ok', `${counted(all.length, 'address is', 'addresses are')} told of them`);
}

/** After this long without a beat, the monitor raises its alarm, or is about to. */
const lateSeconds = 150;

export async function lookAtHeartbeat(db: Database, config: Config, say: Say): Promise<void> {
  const added = (await createAlertAddresses(db).list()).some(({ kind }) => kind === 'monitor');
  if (config.heartbeatUrl === undefined && !added)
    return say('ok', 'none; `carillon alert add monitor URL` adds one');
  const processes = createProcesses(db, config.voice.baseUrl ?? '');
  const { beatAgo, reason } = await processes.lastBeat();
  const last = beatAgo === null ? 'there was none yet' : `the last was ${Math.round(beatAgo)} s ago`;
  const standstill = await findDialTrouble({ processes });
  if (standstill !== null)
    return say(
      'warn',
      `none while dialling does not work: ${standstill}; ${last}`,
      'Start `carillon up`, or repair what is named.',
    );
  if (reason !== null) return say('warn', `${reason}; ${last}`, 'Correct its address, or ask the monitor.');
  if (beatAgo !== null && beatAgo < lateSeconds) return say('ok', last);
  say('warn', last, 'Start `carillon up`, and set HEARTBEAT_URL and CARILLON_SECRET for it as here.');
}
