/** The part of the catalogue of errors that is about webhooks, and about the secret that seals theirs. */
export const webhookErrors = {
  'webhook-unknown': {
    title: 'The webhook was not found',
    remedy: 'Run `carillon webhook list` to see the webhooks and their ids.',
    exit: 2,
    status: 404,
  },
  'webhook-address': {
    title: 'A webhook may not go to this address',
    remedy: 'Give a public https:// address, or set WEBHOOK_ALLOW_PRIVATE=1 to allow private networks.',
    exit: 2,
    status: 422,
  },
  'secret-other': {
    title: 'The webhooks’ secrets in this ledger were sealed with another CARILLON_SECRET',
    remedy:
      'Set the CARILLON_SECRET that sealed them (or copy the file "secret" from that CARILLON_HOME); or remove the webhooks and add them again.',
    exit: 2,
    status: 503,
  },
} as const;
