/** The part of the catalogue of errors that is about contact rules and about the clock by which they are kept. */
export const policyErrors = {
  'policy-differs': {
    title: 'Other contact rules are in force than those of this process',
    remedy: 'Give every process the same CARILLON_POLICY, then restart this one.',
    exit: 2,
    status: 503,
  },
  'policy-in-file': {
    title: 'The contact rules in force come from a file',
    remedy:
      'Change the file that CARILLON_POLICY names and restart; or remove the setting and empty the file first.',
    exit: 2,
    status: 409,
  },
  'policy-holds': {
    title: 'The contact rules never allow this call',
    remedy:
      'Name the person’s state or time zone in a list (`carillon run FILE --map state=COL`), or ignore the contact rules for this call (--ignore-policy).',
    exit: 2,
    status: 409,
  },
  'clock-off': {
    title: 'This machine’s clock differs from the ledger’s by more than a minute',
    remedy: 'Synchronise both with NTP.',
    exit: 2,
    status: 503,
  },
} as const;
