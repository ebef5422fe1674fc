import type { CampaignItem } from '../api/description.ts';
import { Badge } from '../kit/badge.tsx';

/** A campaign's state. One of single calls does not run to an end: it says what it is while it may dial. */
type StateBadgeProps = { of: Pick<CampaignItem, 'kind' | 'state'>; soft?: boolean };

export function StateBadge({ of: { kind, state }, soft = false }: StateBadgeProps) {
  const isOpen = kind === 'calls' && state === 'running';
  return <Badge state={isOpen ? 'single calls' : state} soft={soft} />;
}

export const hasEnded = ({ state }: Pick<CampaignItem, 'state'>) => state === 'done' || state === 'canceled';

/** Its people are called by a command that has ended. */
export const isUndriven = ({ state, driver, run_active: driven }: CampaignItem) =>
  state === 'running' && driver === 'run' && !driven;
