/** The part of the catalogue of errors that is about a ledger that was restored, and about its backups. */
export const ledgerErrors = {
  'ledger-unconfirmed': {
    title: 'The ledger has lost some of its history, and waits for a person',
    remedy: 'Run `carillon ledger confirm --lost-since TIME`; until then nobody is called.',
    exit: 3,
    status: 503,
  },
  'ledger-running': {
    title: 'The ledger is in use',
    remedy: 'Stop every Carillon process of this CARILLON_HOME first, and wait until it has ended.',
    exit: 2,
    status: 409,
  },
  'backup-broken': {
    title: 'The backup cannot be used',
    remedy: 'Restore another one; the ledger was not changed.',
    exit: 2,
    status: 500,
  },
  'backup-elsewhere': {
    title: 'The ledger is a Postgres of your own, whose backups Carillon does not make',
    remedy: 'Use the tools of your Postgres; `carillon ledger confirm` is for after a restore.',
    exit: 2,
    status: 409,
  },
} as const;
