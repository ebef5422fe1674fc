/**
 * The one catalogue of alerts: what needs a person, what it means and what to do; and the rule that finds them in what
 * one process sees. Pure: the ledger keeps which are raised, so that each is raised once, whichever process sees it.
 */
export const severities = ['critical', 'warning'] as const;
export type Severity = (typeof severities)[number];

type AlertKind = {
  /** `critical`: nobody is called on some key or by some process. */
  severity: Severity;
  title: string;
  /** Its threshold in a few words, where it has one. */
  when?: string;
  remedy: string;
  /** How long it must have lasted to be raised, and for how long no process may have seen it to be cleared. */
  afterSeconds: number;
  unseenSeconds: number;
};

export const alertKinds = {
  'key-denied': {
    severity: 'critical',
    title: 'The service does not accept a key',
    remedy: 'Correct the key in VOICE_API_KEYS or at the service, then run `carillon keys resume NAME`.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
  'key-out-of-credit': {
    severity: 'critical',
    title: 'A key has no credit',
    remedy: 'Top up the account: Carillon asks by itself, and continues when there is credit.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
  'key-failing': {
    severity: 'warning',
    title: 'The service fails on a key',
    when: 'after 10 s',
    remedy: 'Ask the service what is wrong: Carillon probes it, and continues when it answers.',
    afterSeconds: 10,
    unseenSeconds: 120,
  },
  'number-resting': {
    severity: 'warning',
    title: 'A caller number rests, because people answer it less',
    remedy:
      'See `carillon numbers`, and ask its carrier whether it is marked as spam: it returns by itself, or with `carillon numbers return +E164`.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
  'budget-near': {
    severity: 'warning',
    title: 'A budget is nearly spent',
    when: 'from 80 % of it',
    remedy:
      'When it is spent, people wait: raise `max_cost` of the campaign (VOICE_MAX_COST for a day or a month), or leave it.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
  'campaign-stands': {
    severity: 'warning',
    title: 'A campaign calls nobody',
    when: 'after a minute, while people are due',
    remedy: 'See why with `carillon campaign show NAME`.',
    afterSeconds: 60,
    unseenSeconds: 45,
  },
  'unknown-rising': {
    severity: 'warning',
    title: 'Calls become unknown',
    when: '3 calls within 15 min',
    remedy:
      'Settle them on the page Unknown, or with `carillon unknown list`: their reasons say whether the service, the network or a process fails.',
    afterSeconds: 0,
    unseenSeconds: 300,
  },
  'loop-stuck': {
    severity: 'critical',
    title: 'The background work of a process is stuck',
    when: '30 s late',
    remedy:
      'Read that process’s log and `/readyz`; if other processes reach the ledger and the queue, restart it.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
  'row-aside': {
    severity: 'warning',
    title: 'A row is set aside, because work on it fails',
    remedy:
      'The others go on, and it is tried again by itself; read that process’s log and report what it says of the row.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
  'clock-off': {
    severity: 'warning',
    title: 'The clock of a machine is wrong',
    when: '5 s off the ledger’s',
    remedy: 'Synchronise both machines with NTP; more than a minute apart, the process stops dialling.',
    afterSeconds: 30,
    unseenSeconds: 60,
  },
  'policy-differs': {
    severity: 'critical',
    title: 'A process has other contact rules than the others: it calls nobody',
    when: 'after 15 s',
    remedy: 'Give all processes the same CARILLON_POLICY, and restart those that differ.',
    afterSeconds: 15,
    unseenSeconds: 45,
  },
  'keys-differ': {
    severity: 'critical',
    title: 'A process has another key or rate than the others: it calls nobody',
    remedy:
      'Give all processes the same VOICE_API_KEYS and VOICE_RATE, and restart those that differ; or run `carillon keys confirm NAME` with the right ones.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
  'secret-differs': {
    severity: 'warning',
    title: 'A process has another secret than the others',
    remedy:
      'Give all processes the same CARILLON_SECRET, and restart those that differ: what one seals, another cannot open.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
  'history-lost': {
    severity: 'critical',
    title: 'The ledger has lost some of its history, and nobody is called',
    remedy:
      'Run `carillon ledger show`, then `carillon ledger confirm --lost-since TIME`: people whom it called since are left to you, not called again.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
  'disk-filling': {
    severity: 'warning',
    title: 'The disk of a machine is filling',
    when: 'under a tenth or 1 GiB is free',
    remedy: 'Free some space or enlarge the disk: a full disk stops the embedded ledger and the spool.',
    afterSeconds: 30,
    unseenSeconds: 60,
  },
  'webhook-down': {
    severity: 'warning',
    title: 'A webhook takes no events',
    when: 'after 2 min',
    remedy:
      'Repair its receiver, or remove it (`carillon webhook list` has its id): its events are delivered when it answers.',
    afterSeconds: 120,
    unseenSeconds: 60,
  },
  'alerts-unsent': {
    severity: 'warning',
    title: 'Alerts do not reach one of their addresses',
    when: 'after a minute',
    remedy: 'See why with `carillon alert list`, repair it, and try it with `carillon alert test ID`.',
    afterSeconds: 60,
    unseenSeconds: 45,
  },
  'import-failed': {
    severity: 'warning',
    title: 'A list could not be imported',
    remedy: 'Correct what the reason names and send the list again; nothing of it was stored.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
  'bulk-failed': {
    severity: 'warning',
    title: 'An act on many people failed',
    remedy: 'Correct what the reason names and order it again; the finished part stays done.',
    afterSeconds: 0,
    unseenSeconds: 45,
  },
} as const satisfies Record<string, AlertKind>;

export type AlertCode = keyof typeof alertKinds;
export const alertCodes = Object.keys(alertKinds) as AlertCode[];

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
  /** Attempts of the last quarter of an hour that are unknown. */
  unknown: number;
  /** Imports that failed in the last hour. */
  imports: readonly { id: string; campaign: string; reason: string | null }[];
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
export type AlertSight = { code: AlertCode; subject: string; message: string; remedy?: string };

const clockOffMs = 5_000;
const gib = 2 ** 30;
/** An alert that is raised stays until the value is better than this part of its threshold. */
const relief = 0.8;

/** `isRaised` makes the threshold of a raised alert easier to reach, so that it does not come and go. */
export function findAlerts(
  seen: Watched,
  isRaised: (code: AlertCode, subject: string) => boolean,
): AlertSight[] {
  const found: AlertSight[] = [];
  const see = (code: AlertCode, subject: string, message: string) => found.push({ code, subject, message });
  for (const { name, state, reason } of seen.keys) {
    const [code, words] = keyAlerts[state as keyof typeof keyAlerts] ?? [];
    if (code) see(code, name, `The key ${name} is ${words}${reason ? `: ${reason}` : ''}`);
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
  if (seen.unknown >= (isRaised('unknown-rising', '') ? 1 : 3)) {
    const [calls, are] = seen.unknown === 1 ? ['call', 'is'] : ['calls', 'are'];
    see('unknown-rising', '', `${seen.unknown} ${calls} of the last 15 minutes ${are} unknown`);
  }
  for (const { id, campaign, reason } of seen.imports)
    see('import-failed', id, `The import ${id} to ${campaign} failed${reason ? `: ${reason}` : ''}`);
  for (const { id, act, reason } of seen.acts)
    see('bulk-failed', id, `The bulk act ${id} (${act}) failed${reason ? `: ${reason}` : ''}`);
  for (const { id, host, reason } of seen.webhooks)
    see('webhook-down', id, `${host} takes no events${reason ? `: ${reason}` : ''}`);
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
