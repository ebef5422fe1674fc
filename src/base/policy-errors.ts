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
    title: 'The contact rules hold this call back',
    remedy: 'Call later, or add --ignore-policy to call anyway.',
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
