/** The parts of the API, in the order in which the description shows them. */
export const tags = {
  calls: 'Single calls: created once, looked up, and changed at the service.',
  campaigns: 'Campaigns: one order to call a list.',
  recipients: 'The people on a campaign’s list, their attempts and results.',
  bulk: 'Acts on everyone whom a filter finds.',
  unknown: 'Attempts whose outcome nobody knows, which wait for a person.',
  services: 'The voice services that Carillon can use, and the one in use.',
  keys: 'The keys of the service, and the numbers of their accounts.',
  suppressions: 'Phones that must not be called.',
  policy: 'Contact rules of every campaign and single call.',
  events: 'Events, as they happen.',
  webhooks: 'Addresses that are told what happens.',
  tokens: 'Tokens for the API, and the record of who did what.',
  operations: 'Whether the process lives, and its metrics.',
} as const;

export type Tag = keyof typeof tags;
