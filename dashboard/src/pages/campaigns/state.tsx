import type { CampaignItem } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';

/** A campaign's state. One of single calls does not run to an end: it says what it is while it may dial. */
type StateBadgeProps = { of: Pick<CampaignItem, 'kind' | 'state'>; soft?: boolean };

export function StateBadge({ of: { kind, state }, soft = false }: StateBadgeProps) {
  if (kind === 'calls' && state === 'running')
    return <Badge state="single" label="single calls" soft={soft} />;
  return <Badge state={state} soft={soft} />;
}
