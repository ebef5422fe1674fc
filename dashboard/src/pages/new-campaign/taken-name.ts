import { useEffect, useState } from 'react';
import { useAsk } from '../../data/queries.ts';
import type { Draft } from './draft.ts';

/** Tells while the name is typed that another campaign has it; the API decides when it is saved. */
const settleMs = 400;

export function useTakenName({ name, saved }: Draft): string | undefined {
  const typed = name.trim();
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), settleMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useAsk(
    'GET /api/campaigns',
    { query: { name: settled, limit: 1 } },
    { enabled: settled !== '', on: ['campaign.'] },
  );
  const other = found.data?.items[0];
  if (settled !== typed || !other || other.id === saved?.id) return undefined;
  return `A campaign named ${typed} already exists. Choose another name.`;
}
