import type { Me } from '../api/description.ts';
import { useAsk } from '../data/queries.ts';

/** The person who looks at the page, and what they may do; acts that a role lacks are not shown. */
const roles = ['read', 'read_people', 'operate', 'admin'] as const;

export const roleText = (role: Me['role']) => role.replace('_', ' ');

export const useMe = () => useAsk('GET /api/me', {});

export const isEnough = (me: Me | undefined, needed: Me['role']): boolean =>
  me !== undefined && roles.indexOf(me.role) >= roles.indexOf(needed);

export const useMay = (needed: Me['role']): boolean => isEnough(useMe().data, needed);

export async function logOut(): Promise<void> {
  await fetch('/logout', { method: 'POST', body: new URLSearchParams(), redirect: 'manual' });
  window.location.assign('/');
}
