/**
 * The first parts of the page's own addresses: each answers the page, which shows what the rest of the address names.
 * A test holds the page's routes to this list. None may be an address of the API.
 */
export const pageAddresses = [
  'live',
  'listen',
  'campaigns',
  'people',
  'keys',
  'unknown',
  'jobs',
  'imports',
  'suppressions',
  'policy',
  'webhooks',
  'tokens',
  'activity',
  'settings',
  'health',
] as const;
