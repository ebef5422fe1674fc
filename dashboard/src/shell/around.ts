/** The part of the navigation that leads around the calls. */
export const aroundItems = [
  { to: '/jobs', label: 'Queues', key: 'q' },
  { to: '/suppressions', label: 'Suppressions', key: 's', role: 'read_people' },
  { to: '/policy', label: 'Contact rules', key: 'r' },
  { to: '/webhooks', label: 'Webhooks', key: 'w', role: 'operate' },
  { to: '/tokens', label: 'Tokens', key: 't', role: 'admin' },
  { to: '/activity', label: 'Activity', key: 'a', role: 'operate' },
  { to: '/settings', label: 'Settings', key: 'e', role: 'admin' },
  { to: '/health', label: 'Health', key: 'h' },
] as const;
