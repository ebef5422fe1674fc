import { useMemo } from 'react';
import type { Me } from '../api/description.ts';
import { looksAs } from '../api/look.ts';
import { useAsk } from '../data/queries.ts';

/** The person who looks at the page, and what they may do; acts that a role lacks are not shown. */
const roles = ['read', 'read_people', 'operate', 'admin'] as const;

export const roleText = (role: Me['role']) => role.replace('_', ' ');

/** An admin may look as one of less, who sees and does less. */
export function useMe() {
  const me = useAsk('GET /api/me', {});
  const { data } = me;
  const seen = useMemo(
    () => data && looksAs && isEnough(data, 'admin') && { ...data, role: looksAs },
    [data],
  );
  return { ...me, data: seen || data };
}

export const isEnough = (me: Me | undefined, needed: Me['role']): boolean =>
  me !== undefined && roles.indexOf(me.role) >= roles.indexOf(needed);

export const useMay = (needed: Me['role']): boolean => isEnough(useMe().data, needed);

export async function logOut(): Promise<void> {
  await fetch('/logout', { method: 'POST', body: new URLSearchParams(), redirect: 'manual' });
  window.location.assign('/');
}
