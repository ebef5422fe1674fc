import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { createAsides } from '../base/asides.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../base/config/config.ts';
import { errorLine } from '../base/errors.ts';
import { type Log, maskPhone } from '../base/log.ts';
import { markOf, type Seal } from '../base/seal.ts';
import type { Rounds } from '../base/stuck-loops.ts';
import { beatSeconds } from '../control/alerts/addresses.ts';
import { openAddress, type PostDeps, postAlerts, postBeat } from '../control/alerts/send.ts';
import { type ForecastDeps, forecastCampaign } from '../control/campaigns/forecast.ts';
import { campaignsStill } from '../control/campaigns/standstill.ts';
import { differenceLine, findDialTrouble } from '../control/processes/dialers.ts';
import { sealOf } from '../control/webhooks/manage.ts';
import type { DialPermit } from '../dispatch/trust/dial-permit.ts';
import type { Lane } from '../lane/lane.ts';
import type { AlertAddressRow, DueAddress } from '../ledger/alert-addresses/alert-addresses.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { sumsOf } from '../ledger/tallies/tallies.ts';
import { type AlertKind, alertKinds } from '../rules/alert-kinds.ts';
import { findAlerts, type Watched } from '../rules/alerts.ts';
import { waitAfter } from '../rules/webhook/standing.ts';
import { readWebUrl } from '../rules/webhook/url.ts';

/** Looks at the ledger and at this process, and lets the ledger raise and clear the alerts that follow. */
export type WatchDeps = {
  ledger: Ledger;
  rounds: Pick<Rounds, 'ages' | 'asides'>;
  permit: Pick<DialPermit, 'aheadMs' | 'trouble'>;
  endings: Endings;
  /** The keys of this process: other keys may come from an old setting. */
  lanes: readonly Pick<Lane, 'name'>[];
  home: string;
  machine: string;
  process: string;
};

export function createWatch(deps: WatchDeps): () => Promise<void> {
  const { alerts } = deps.ledger;
  return async () => {
    const raised = new Set((await alerts.list()).map(({ code, subject }) => `${code} ${subject}`));
    const sights = findAlerts(await look(deps), (code, subject) => raised.has(`${code} ${subject}`));
    await alerts.watch(
      sights.map((sight) => {
        const kind: AlertKind = alertKinds[sight.code];
        const { severity, title, remedy, afterSeconds: after = 0, unseenSeconds: unseen = 45 } = kind;
        // A caller number is ours; any other phone is a person's, and the activity keeps what an alert said.
        const message = sight.code === 'number-resting' ? sight.message : maskPhone(sight.message);
        return { remedy, ...sight, message, severity, title, after, unseen };
      }),
    );
  };
}

type Endings = () => Promise<Watched['ending'][number][]>;
const soonMs = 2 * 86_400_000;
/** Of more campaigns than these nobody is told that they end too early. */
const mostEndings = 20;

/** Looks at the running campaigns that end soon. Each takes a forecast, so what was found stands for a while. */
export function createEndings(deps: ForecastDeps, everyMs = 20_000): Endings {
  let found: Awaited<ReturnType<Endings>> = [];
  let nextAt = 0;
  return async () => {
    const now = deps.clock.now();
    if (now < nextAt) return found;
    nextAt = now + everyMs;
    const lines = await deps.ledger.campaigns.page(null, 200, ['running'], null, ['list']);
    const soon = lines.flatMap(({ id, name, baseUrl, times, ...line }) => {
      const end = times?.endAt;
      const left = sumsOf(line).counts.waiting;
      const ends = end !== undefined && Date.parse(end) > now && Date.parse(end) < now + soonMs;
      return ends && left > 0 && baseUrl === deps.ledger.baseUrl ? [{ id, name, endAt: end, left }] : [];
    });
    found = await Promise.all(
      soon.slice(0, mostEndings).map(async (each) => {
        const { uncalled } = await forecastCampaign(deps, each.id);
        return { ...each, uncalled: uncalled ?? 0 };
      }),
    );
    return found;
  };
}

/** The part of a budget from which on a person is told. */
const nearlySpent = 0.8;

async function look({ ledger, rounds, permit, lanes, endings, home, ...names }: WatchDeps): Promise<Watched> {
  // The other alerts do not wait for one whose figures cannot be added.
  const part = <T>(name: string, read: () => Promise<T[]>) =>
    rounds.asides.guard('watcher', name, read).then((found) => found ?? []);
  const [rows, facts, budgets, differing, numbers, still, ending, disk] = await Promise.all([
    part('keys', ledger.lanes.list),
    ledger.alerts.facts(),
    part('budgets', () => ledger.budgets.near(nearlySpent)),
    part('processes', ledger.processes.differing),
    part('numbers', ledger.callerNumbers.resting),
    part('campaigns', () => campaignsStill(ledger)),
    part('forecasts', endings),
    diskOf(home),
  ]);
  const trouble = permit.trouble();
  return {
    ...names,
    keys: rows.filter((row) => lanes.some(({ name }) => name === row.name)),
    ...facts,
    numbers,
    still,
    ending,
    budgets,
    webhooks: facts.webhooks.map(({ url, ...each }) => ({
      ...each,
      host: URL.canParse(url) ? new URL(url).host : each.id,
    })),
    differing: differing.map((each) => ({
      process: each.process,
      isKey: each.key !== null,
      message: differenceLine(each),
    })),
    loops: rounds.ages(),
    asides: rounds.asides.list(),
    clockAheadMs: permit.aheadMs(),
    historyLost: trouble?.code === 'ledger-unconfirmed' ? `${trouble.message}.` : null,
    policyDiffers: trouble?.code === 'policy-differs' ? trouble.message : null,
    disk,
  };
}

/** Null without a folder: this process then cannot fill its disk. */
async function diskOf(path: string): Promise<Watched['disk']> {
  const disk = await statfs(path).catch(() => null);
  return disk && { path, free: disk.bavail * disk.bsize, size: disk.blocks * disk.bsize };
}

/** What sending to the addresses of alerts needs. */
type SendDeps = {
  ledger: Pick<Ledger, 'alertAddresses'>;
  config: PostDeps['config'] & Pick<Config, 'secret' | 'home'>;
  clock: Clock;
  resolve?: PostDeps['resolve'];
};
type AlertSenderDeps = SendDeps & { log: Log; rounds?: Pick<Rounds, 'asides'> | undefined };

/** How soon an alert is noticed. */
export const alertBeatMs = 2_000;
const mostAtOnce = 5;
/** If this process dies, another one sends it after this long: longer than a message may take. */
const leaseSeconds = 60;
/** An address is never given up: whoever repairs it is told what still holds. */
const longestWaitMs = 3_600_000;

/** Tells the addresses of alerts what waits for them. Any number of processes may do it: each claims what it sends. */
export function createAlertSender(deps: AlertSenderDeps): () => Promise<void> {
  const { ledger, config, clock, log } = deps;
  const { guard } = deps.rounds?.asides ?? createAsides(deps);
  const claimant = randomUUID();
  let seal: Seal | undefined;

  const sendTo = async (due: DueAddress, by: Seal) => {
    const { id, kind, atMost, tries, since } = due;
    const post = async () => postAlerts(deps, openAddress(by, due), await ledger.alertAddresses.notices(id));
    const { numbers, error } = await post().catch((thrown) => ({ numbers: [], error: errorLine(thrown) }));
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

type HeartbeatDeps = SendDeps & {
  ledger: Pick<Ledger, 'processes'>;
  config: Pick<Config, 'heartbeatUrl'>;
};

/** After a beat that was not taken, and while dialling does not work. */
const soonSeconds = 15;
export const heartbeatLookMs = 5_000;

/** Asks one monitor, and returns why it did not take the beat; null when it did. The address is secret, and not in it. */
type Ask = () => Promise<string | null>;

/**
 * A dead man's switch: asks HEARTBEAT_URL and the monitors among the addresses of alerts each minute while dialling works,
 * so that a monitor elsewhere notices when it does not, whatever the reason. One process at a time does it.
 */
export function createHeartbeat(deps: HeartbeatDeps): () => Promise<void> {
  const { ledger, config } = deps;
  let seal: Seal | undefined;

  const added = async (): Promise<Ask[]> => {
    const rows = (await ledger.alertAddresses.list()).filter(({ kind }) => kind === 'monitor');
    // No secret is made while there is no address.
    if (rows.length === 0) return [];
    seal ??= sealOf(config);
    const { mark } = seal;
    return rows.filter(({ sealed }) => markOf(sealed) === mark).map((row) => () => askAdded(row));
  };
  const askAdded = async (row: AlertAddressRow) => {
    const post = async () => postBeat(deps, openAddress(seal!, row));
    const { error } = await post().catch((thrown) => ({ error: errorLine(thrown) }));
    await ledger.alertAddresses.saveBeat(row.id, error);
    return error && `The monitor ${row.id} did not take it: ${error}`;
  };

  return async () => {
    const { heartbeatUrl: url } = config;
    const asks = [...(url === undefined ? [] : [() => askSet(deps, url)]), ...(await added())];
    if (asks.length === 0 || !(await ledger.processes.claimBeat(beatSeconds))) return;
    const standstill = await findDialTrouble(ledger);
    const reasons = standstill === null ? await Promise.all(asks.map((ask) => ask())) : [standstill];
    const reason = reasons.find((each) => each !== null) ?? null;
    await ledger.processes.saveBeat(reason, reason === null ? beatSeconds : soonSeconds);
  };
}

async function askSet(deps: HeartbeatDeps, given: string): Promise<string | null> {
  const asked = readWebUrl(given, deps.config.webhookAllowPrivate);
  if ('fault' in asked) return `HEARTBEAT_URL ${asked.fault}`;
  const { error } = await postBeat(deps, { id: '', kind: 'monitor', address: asked.url, secret: null });
  return error && `HEARTBEAT_URL did not take it: ${error}`;
}
