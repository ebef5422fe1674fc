/** The one catalogue of alerts: what needs a person, what it means and what to do. */
export const severities = ['critical', 'warning'] as const;
export type Severity = (typeof severities)[number];

export type AlertKind = {
  /** `critical`: nobody is called on some key or by some process. */
  severity: Severity;
  title: string;
  remedy: string;
  /** How long it must have lasted to be raised (0), and for how long no process may have seen it to be cleared (45). */
  afterSeconds?: number;
  unseenSeconds?: number;
};

export const alertKinds = {
  'key-denied': {
    severity: 'critical',
    title: 'The service does not accept a key',
    remedy: 'Correct the key in VOICE_API_KEYS or at the service, then run `carillon keys resume NAME`.',
  },
  'key-out-of-credit': {
    severity: 'critical',
    title: 'A key has no credit',
    remedy: 'Top up the account: Carillon asks by itself, and continues when there is credit.',
  },
  'key-failing': {
    severity: 'warning',
    title: 'The service fails on a key',
    remedy: 'Ask the service what is wrong: Carillon probes it, and continues when it answers.',
    afterSeconds: 10,
    unseenSeconds: 120,
  },
  'number-resting': {
    severity: 'warning',
    title: 'A caller number rests, because people answer it less',
    remedy:
      'See `carillon numbers`, and ask its carrier whether it is marked as spam: it returns by itself, or with `carillon numbers return +E164`.',
  },
  'budget-near': {
    severity: 'warning',
    title: 'A budget is nearly spent',
    remedy:
      'When it is spent, people wait: raise `max_cost` of the campaign (VOICE_MAX_COST for a day or a month), or leave it.',
  },
  'campaign-stands': {
    severity: 'warning',
    title: 'A campaign calls nobody',
    remedy: 'See why with `carillon campaign show NAME`.',
    afterSeconds: 60,
  },
  'campaign-ends': {
    severity: 'warning',
    title: 'A campaign ends before everyone is called',
    remedy:
      'Let it end later, widen its hours or allow more calls at once: `carillon campaign forecast NAME --with end_at=TIME` says what that changes.',
    afterSeconds: 60,
  },
  'unknown-rising': {
    severity: 'warning',
    title: 'Calls become unknown',
    remedy:
      'Settle them on the page Unknown, or with `carillon unknown list`: their reasons say whether the service, the network or a process fails.',
    unseenSeconds: 300,
  },
  'loop-stuck': {
    severity: 'critical',
    title: 'The background work of a process is stuck',
    remedy:
      'Read that process’s log and `/readyz`; if other processes reach the ledger and the queue, restart it.',
  },
  'row-aside': {
    severity: 'warning',
    title: 'One piece of work keeps failing; the rest goes on',
    remedy:
      'The others go on, and it is tried again by itself; read that process’s log and report what it says of the row.',
  },
  'clock-off': {
    severity: 'warning',
    title: 'The clock of a machine is wrong',
    remedy: 'Synchronise both machines with NTP; more than a minute apart, the process stops dialling.',
    afterSeconds: 30,
    unseenSeconds: 60,
  },
  'policy-differs': {
    severity: 'critical',
    title: 'A process has other contact rules than the others: it calls nobody',
    remedy: 'Give all processes the same CARILLON_POLICY, and restart those that differ.',
    afterSeconds: 15,
  },
  'keys-differ': {
    severity: 'critical',
    title: 'A process has another key or rate than the others: it calls nobody',
    remedy:
      'Give all processes the same VOICE_API_KEYS and VOICE_RATE, and restart those that differ; or run `carillon keys confirm NAME` with the right ones.',
  },
  'secret-differs': {
    severity: 'warning',
    title: 'A process has another CARILLON_SECRET than the others',
    remedy:
      'Give all processes the same CARILLON_SECRET, and restart those that differ: what one seals, another cannot open.',
  },
  'history-lost': {
    severity: 'critical',
    title: 'The ledger has lost some of its history, and nobody is called',
    remedy:
      'Run `carillon ledger show`, then `carillon ledger confirm --lost-since TIME`: people whom it called since are left to you, not called again.',
  },
  'disk-filling': {
    severity: 'warning',
    title: 'The disk of a machine is filling',
    remedy: 'Free some space or enlarge the disk: a full disk stops the embedded ledger and the spool.',
    afterSeconds: 30,
    unseenSeconds: 60,
  },
  'webhook-down': {
    severity: 'warning',
    title: 'A webhook takes no events',
    remedy:
      'Repair its receiver, or remove it (`carillon webhook list` has its id): its events are delivered when it answers.',
    afterSeconds: 120,
    unseenSeconds: 30,
  },
  'alerts-unsent': {
    severity: 'warning',
    title: 'Alerts do not reach one of their addresses',
    remedy: 'See why with `carillon alert list`, repair it, and try it with `carillon alert test ID`.',
    afterSeconds: 60,
  },
  'import-failed': {
    severity: 'warning',
    title: 'A list could not be imported',
    remedy: 'Correct what the reason names and send the list again; nothing of it was stored.',
  },
  'list-rejected': {
    severity: 'warning',
    title: 'Most rows of a list were rejected',
    remedy:
      'Correct what this names, such as the country, and add these rows again: `carillon campaign export NAME --rejected` has them.',
  },
  'bulk-failed': {
    severity: 'warning',
    title: 'An act on many people failed',
    remedy: 'Correct what the reason names and order it again; the finished part stays done.',
  },
} as const satisfies Record<string, AlertKind>;

export type AlertCode = keyof typeof alertKinds;
export const alertCodes = Object.keys(alertKinds) as AlertCode[];
