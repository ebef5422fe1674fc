import type { CampaignItem } from '../../api/description.ts';
import { Badge } from '../../kit/badge.tsx';

/** A campaign's state. One of single calls does not run to an end: it says what it is while it may dial. */
export function StateBadge({ of: { kind, state } }: { of: Pick<CampaignItem, 'kind' | 'state'> }) {
  if (kind === 'calls' && state === 'running') return <Badge state="single" label="single calls" />;
  return <Badge state={state} />;
}
