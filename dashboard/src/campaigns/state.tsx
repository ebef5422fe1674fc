import type { CampaignItem } from '../api/description.ts';
import { Badge } from '../kit/badge.tsx';

/** A campaign's state. One of single calls does not run to an end: it says what it is while it may dial. */
type StateBadgeProps = { of: Pick<CampaignItem, 'kind' | 'state'>; soft?: boolean };

export function StateBadge({ of: { kind, state }, soft = false }: StateBadgeProps) {
  if (kind === 'calls' && state === 'running')
    return <Badge state="single" label="single calls" soft={soft} />;
  return <Badge state={state} soft={soft} />;
}

export function driverText({ driver, run_active }: Pick<CampaignItem, 'driver' | 'run_active'>): string {
  if (driver === 'background') return 'workers';
  return run_active ? 'an active run' : 'a run that has ended';
}

export const hasEnded = ({ state }: Pick<CampaignItem, 'state'>) => state === 'done' || state === 'canceled';
