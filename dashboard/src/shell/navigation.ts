import type { Me } from '../api/ask.ts';
import type { IconName } from '../kit/basics.tsx';
import type { Counts } from './needs.ts';

/** The pages in the order of the navigation, in three groups. `key` opens one after `g`. */
export type NavigationItem = {
  to: string;
  label: string;
  key: string;
  icon: IconName;
  /** The least role that sees something there. */
  role?: Me['role'];
  /** The number beside it; a zero is not shown. */
  count?: keyof Counts;
};

export const navigation: readonly { title: string; items: readonly NavigationItem[] }[] = [
  {
    title: 'Work',
    items: [
      { to: '/', label: 'Overview', key: 'o', icon: 'home' },
      { to: '/live', label: 'Live calls', key: 'l', icon: 'call', count: 'calling' },
      { to: '/campaigns', label: 'Campaigns', key: 'c', icon: 'lines', count: 'running' },
      { to: '/people', label: 'People', key: 'p', icon: 'people', role: 'read_people' },
      { to: '/listen', label: 'Listen back', key: 'b', icon: 'ear', role: 'read_people', count: 'toJudge' },
    ],
  },
  {
    title: 'Safety',
    items: [
      { to: '/unknown', label: 'Unknown', key: 'u', icon: 'query', count: 'unknown' },
      { to: '/keys', label: 'Keys', key: 'k', icon: 'key', count: 'closedKeys' },
      { to: '/numbers', label: 'Numbers', key: 'm', icon: 'hash' },
      { to: '/suppressions', label: 'Suppressions', key: 's', icon: 'bar', role: 'read_people' },
      { to: '/policy', label: 'Contact rules', key: 'r', icon: 'scales', count: 'noRules' },
      { to: '/activity', label: 'Activity', key: 'a', icon: 'clock', role: 'operate' },
    ],
  },
  {
    title: 'Set-up',
    items: [
      { to: '/webhooks', label: 'Webhooks', key: 'w', icon: 'hook', role: 'operate', count: 'downWebhooks' },
      { to: '/alerts', label: 'Alerts', key: 'n', icon: 'bell', role: 'operate', count: 'unsentAlerts' },
      { to: '/tokens', label: 'Tokens', key: 't', icon: 'ticket', role: 'admin' },
      { to: '/jobs', label: 'Queues', key: 'q', icon: 'lanes' },
      { to: '/settings', label: 'Settings', key: 'e', icon: 'sliders', role: 'admin' },
      { to: '/health', label: 'Health', key: 'h', icon: 'pulse', count: 'ill' },
    ],
  },
];

export const allPages = navigation.flatMap(({ items }) => items);
