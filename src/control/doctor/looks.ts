import type { Config } from '../../base/config/config.ts';
import { createSeal, markOf } from '../../base/seal.ts';
import { readSecret, secretFile } from '../../base/secret.ts';
import { createAlertAddresses } from '../../ledger/alert-addresses/alert-addresses.ts';
import type { Database } from '../../ledger/database.ts';
import { createErasures } from '../../ledger/erasures/erasures.ts';
import { createLanes } from '../../ledger/lanes/lanes.ts';
import { createProcesses } from '../../ledger/processes/processes.ts';
import { createWebhooks } from '../../ledger/webhooks/webhooks.ts';
import { alertKinds } from '../../rules/alert-kinds.ts';
import { differenceLine, findDialers, findDialTrouble } from '../processes/dialers.ts';
import { sealOf } from '../webhooks/manage.ts';
import { counted, type Say } from './findings.ts';

/** What doctor looks at in the ledger: whom it tells of what happens, the people to erase, and the workers. */
export const looks = {
  webhooks: lookAtWebhooks,
  alerts: lookAtAddresses,
  heartbeat: lookAtHeartbeat,
  erasures: lookAtErasures,
  workers: lookAtWorkers,
} satisfies Record<string, (db: Database, config: Config, say: Say) => Promise<void>>;

/** The webhooks: whether this machine can sign for them, and which of them do not accept events. */
async function lookAtWebhooks(db: Database, config: Config, say: Say): Promise<void> {
  const all = await createWebhooks(db).list();
  // No secret is created while there is no webhook.
  if (all.length === 0) return say('ok', 'none');
  const sealed = all.map(({ secret }) => secret);
  const others = sayOthers(say, config, sealed, (n) => counted(n, 'webhook'));
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

/** Says how many were sealed with another secret than this machine's, and returns it. */
function sayOthers(
  say: Say,
  config: Config,
  sealed: readonly string[],
  what: (others: number) => string,
): number {
  const { mark } = sealOf(config);
  const others = sealed.filter((each) => markOf(each) !== mark).length;
  const ours = config.secret === undefined ? `the file ${secretFile} in ${config.home}` : 'CARILLON_SECRET';
  if (others > 0)
    say(
      'fail',
      `${what(others)} ${others === 1 ? 'was' : 'were'} sealed with another secret than ${ours}`,
      'Set the CARILLON_SECRET that sealed them, or remove these and add them again.',
    );
  return others;
}

/** Whether alerts reach people: the addresses that are told of them, and the heartbeat. */
async function lookAtAddresses(db: Database, config: Config, say: Say): Promise<void> {
  const all = (await createAlertAddresses(db).list()).filter(({ kind }) => kind !== 'monitor');
  // Somebody may watch the page, or Prometheus.
  if (all.length === 0) return say('ok', 'no address is told of them; `carillon alert add` adds one');
  const sealed = all.map((address) => address.sealed);
  const others = sayOthers(say, config, sealed, (n) => counted(n, 'address', 'addresses'));
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

async function lookAtHeartbeat(db: Database, config: Config, say: Say): Promise<void> {
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

/** Erased people: whether this machine has the secret that recognises them, and what is left to erase. */
async function lookAtErasures(db: Database, config: Config, say: Say): Promise<void> {
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

/** The background workers: whether one runs if campaigns wait for it, and whether each may dial. */
async function lookAtWorkers(db: Database, config: Config, say: Say): Promise<void> {
  const processes = createProcesses(db, config.voice.baseUrl ?? '');
  const differing = await processes.differing();
  for (const code of ['keys-differ', 'secret-differs'] as const)
    for (const each of differing.filter(({ key }) => (key === null) === (code === 'secret-differs')))
      say('warn', differenceLine(each), alertKinds[code].remedy);
  const { alive, barred } = await findDialers({ processes });
  const told = new Set(differing.map(({ process }) => process));
  for (const { process, why, remedy } of barred.filter((each) => !told.has(each.process)))
    say('warn', `${process} does not dial: ${why}`, remedy);
  if (barred.length > 0) return;
  if (alive > 0) return say('ok', `${counted(alive, 'process dials', 'processes dial')}`);
  const { baseUrl } = config.voice;
  const due = baseUrl ? await createLanes(db, baseUrl).plannable(null, null) : [];
  if (due.length === 0) return say('ok', 'none runs, and no campaign waits for one');
  const lists = due.filter(({ kind }) => kind === 'list').length;
  say(
    'warn',
    `none runs, and ${lists > 0 ? counted(lists, 'campaign waits', 'campaigns wait') : 'single calls wait'} for one`,
    'Start `carillon up` or `carillon worker`.',
  );
}
