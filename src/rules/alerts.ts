import type { AlertCode } from './alert-kinds.ts';

/**
 * The rule that finds alerts in what one process sees. Pure: the ledger keeps which are raised, so that each is raised
 * once, whichever process sees it.
 */
/** Why messages that have been due for minutes do not leave. */
export const unsentReason =
  'no process sends it: none runs, or none has the CARILLON_SECRET that sealed this address';

/** What one process sees: the state of the ledger, which all share, and its own. */
export type Watched = {
  /** Names the process and the machine in alerts about them. */
  process: string;
  machine: string;
  keys: readonly { name: string; state: string; reason: string | null }[];
  /** Caller numbers that rest by their answers; `noneAwake` where a campaign calls from them all the same. */
  numbers: readonly { name: string; rest: string; sure: number | null; noneAwake: boolean }[];
  /** Budgets that are spent to a large part: of a campaign by its name, or of a day or a month. */
  budgets: readonly {
    subject: string;
    whose: string;
    spent: number;
    most: number;
    currency: string | null;
  }[];
  /** Campaigns that stand still until somebody acts, for a cause without an alert of its own. */
  still: readonly { subject: string; message: string; remedy: string }[];
  /** Campaigns that end within two days, and how many of their people nobody calls before. */
  ending: readonly { id: string; name: string; endAt: string; left: number; uncalled: number }[];
  /** Attempts of the last quarter of an hour that are unknown. */
  unknown: number;
  /** Imports that failed in the last hour. */
  imports: readonly { id: string; campaign: string; reason: string | null }[];
  /** Campaigns of the last hour most of whose rows were rejected, and why the first of them was. */
  lists: readonly { id: string; name: string; rows: number; rejected: number; reason: string | null }[];
  /** Acts on many that failed in the last hour. */
  acts: readonly { id: string; act: string; reason: string | null }[];
  /** Webhooks that take no events, by the host of their address: the rest of it may be secret. */
  webhooks: readonly { id: string; host: string; reason: string | null }[];
  /** Addresses that alerts do not reach, by kind and id: the rest is secret, or a person's. */
  addresses: readonly { id: string; kind: string; reason: string }[];
  loops: readonly { name: string; ageMs: number; stuck: boolean }[];
  /** Rows that failed by themselves, by the loop that met them. */
  asides: readonly { loop: string; id: string; why: string }[];
  clockAheadMs: number;
  /** The process's reason, if it does not dial because of its contact rules. */
  policyDiffers: string | null;
  /** Processes with other keys, rates or another CARILLON_SECRET than the rest. */
  differing: readonly { process: string; isKey: boolean; message: string }[];
  /** The fault in the ledger's history; null while it is whole. */
  historyLost: string | null;
  /** The disk of the folder that the process writes to; null if it has none. */
  disk: { path: string; free: number; size: number } | null;
};

/** One alert that the process sees now. `subject` is what it is about: a key, a process, a machine. */
type AlertSight = { code: AlertCode; subject: string; message: string; remedy?: string };

const clockOffMs = 5_000;
const gib = 2 ** 30;
/** An alert that is raised stays until the value is better than this part of its threshold. */
const relief = 0.8;
/** A forecast is not more exact than this part of those who wait. */
const leastUncalled = 0.02;

/** `isRaised` makes the threshold of a raised alert easier to reach, so that it does not come and go. */
export function findAlerts(
  seen: Watched,
  isRaised: (code: AlertCode, subject: string) => boolean,
): AlertSight[] {
  const found: AlertSight[] = [];
  const why = (reason: string | null) => (reason ? `: ${reason}` : '');
  const see = (code: AlertCode, subject: string, message: string) => found.push({ code, subject, message });
  for (const { name, state, reason } of seen.keys) {
    const [code, words] = keyAlerts[state as keyof typeof keyAlerts] ?? [];
    if (code) see(code, name, `The key ${name} is ${words}${why(reason)}`);
  }
  for (const { name, rest, sure, noneAwake } of seen.numbers) {
    const what = rest === 'short' ? 'its calls turned short' : 'people answer it less';
    const how = sure === null ? '' : ` (${Math.floor(sure * 1_000) / 10} % sure)`;
    const all = noneAwake ? '. A campaign has no other number that is not at rest, and calls from it' : '';
    see('number-resting', name, `The caller number ${name} rests: ${what}${how}${all}`);
  }
  for (const { subject, whose, spent, most, currency } of seen.budgets) {
    const of = currency === null ? '' : ` ${currency}`;
    see('budget-near', subject, `${whose} has spent ${spent.toFixed(2)} of ${most.toFixed(2)}${of}`);
  }
  for (const each of seen.still) found.push({ code: 'campaign-stands', ...each });
  for (const { id, name, endAt, left, uncalled } of seen.ending) {
    if (uncalled < Math.max(1, left * (isRaised('campaign-ends', id) ? 0 : leastUncalled))) continue;
    const when = endAt.replace('T', ' ').slice(0, 16);
    see(
      'campaign-ends',
      id,
      `${name}: about ${uncalled} of ${left} people are not called before ${when} UTC`,
    );
  }
  if (seen.unknown >= (isRaised('unknown-rising', '') ? 1 : 3)) {
    const [calls, are] = seen.unknown === 1 ? ['call', 'is'] : ['calls', 'are'];
    see('unknown-rising', '', `${seen.unknown} ${calls} of the last 15 minutes ${are} unknown`);
  }
  for (const { id, campaign, reason } of seen.imports)
    see('import-failed', id, `The import ${id} to ${campaign} failed${why(reason)}`);
  for (const { id, name, rows, rejected, reason } of seen.lists) {
    const which = rejected === rows ? `All ${rows}` : `${rejected} of ${rows}`;
    const first = reason === null ? '' : `: the first says “${reason}”`;
    see('list-rejected', id, `${which} rows of ${name} were rejected${first}`);
  }
  for (const { id, act, reason } of seen.acts)
    see('bulk-failed', id, `The bulk act ${id} (${act}) failed${why(reason)}`);
  for (const { id, host, reason } of seen.webhooks)
    see('webhook-down', id, `${host} takes no events${why(reason)}`);
  for (const { id, kind, reason } of seen.addresses) {
    const what = kind === 'monitor' ? 'The heartbeat does not reach the monitor' : 'Alerts do not reach';
    see('alerts-unsent', id, `${what} ${id}${kind === 'monitor' ? '' : ` (${kind})`}: ${reason}`);
  }
  const stuck = seen.loops.filter((loop) => loop.stuck);
  const seconds = Math.round(Math.max(...stuck.map(({ ageMs }) => ageMs)) / 1_000);
  const loops = stuck.map(({ name }) => name).join(', ');
  const what = `${seen.process} has not ended a round of the ${loops} for ${seconds} s`;
  if (stuck.length > 0) see('loop-stuck', seen.process, what);
  for (const { loop, id, why } of seen.asides)
    see('row-aside', `${loop} ${id}`, `The ${loop} of ${seen.process} has set ${id} aside: ${why}`);
  const ahead = Math.abs(seen.clockAheadMs);
  if (ahead > clockOffMs * (isRaised('clock-off', seen.machine) ? relief : 1)) {
    const way = seen.clockAheadMs > 0 ? 'ahead of' : 'behind';
    const off = `${Math.round(ahead / 1_000)} s ${way} the ledger’s`;
    see('clock-off', seen.machine, `The clock of ${seen.machine} is ${off}`);
  }
  if (seen.historyLost !== null) see('history-lost', '', seen.historyLost);
  if (seen.policyDiffers !== null)
    see('policy-differs', seen.process, `${seen.process}: ${seen.policyDiffers}`);
  for (const { process, isKey, message } of seen.differing)
    see(isKey ? 'keys-differ' : 'secret-differs', process, message);
  if (seen.disk) {
    const { path, free, size } = seen.disk;
    const subject = `${seen.machine}:${path}`;
    const least = Math.max(gib, size / 10) / (isRaised('disk-filling', subject) ? relief : 1);
    const left = `${(free / gib).toFixed(1)} GiB left of ${(size / gib).toFixed(1)}`;
    if (free < Math.min(least, size / 2)) see('disk-filling', subject, `${subject} has ${left}`);
  }
  return found;
}

const keyAlerts = {
  denied: ['key-denied', 'denied by the service'],
  out_of_credit: ['key-out-of-credit', 'without credit'],
  failing: ['key-failing', 'resting, because the service fails'],
} as const satisfies Record<string, readonly [AlertCode, string]>;
