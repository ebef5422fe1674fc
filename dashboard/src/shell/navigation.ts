import type { Me } from '../api/description.ts';
import { aroundItems } from './around.ts';

/** The pages in the order of the navigation: one line each. `key` opens it after `g`. */
export type NavigationItem = {
  to: string;
  label: string;
  key: string;
  /** The least role that sees something there. */
  role?: Me['role'];
};

export const navigation: readonly NavigationItem[] = [
  { to: '/', label: 'Overview', key: 'o' },
  { to: '/campaigns', label: 'Campaigns', key: 'c' },
  { to: '/people', label: 'People', key: 'p', role: 'read_people' },
  { to: '/unknown', label: 'Unknown', key: 'u' },
  { to: '/keys', label: 'Keys', key: 'k' },
  ...aroundItems,
];
