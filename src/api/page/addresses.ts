/**
 * The first parts of the page's own addresses: each answers the page, which shows what the rest of the address names. A
 * test compares the page's routes with this list. None may be an address of the API.
 */
export const pageAddresses = [
  'live',
  'listen',
  'campaigns',
  'people',
  'keys',
  'numbers',
  'unknown',
  'jobs',
  'imports',
  'suppressions',
  'policy',
  'webhooks',
  'alerts',
  'tokens',
  'activity',
  'settings',
  'health',
] as const;
