import type { CampaignItem } from '../api/description.ts';
import { Badge } from '../kit/badge.tsx';
import { endsByTime } from '../kit/waits.ts';

/**
 * A campaign's state, where nobody can be called now as what it is: it waits for a time, or stands still until somebody
 * acts. One of single calls does not run to an end: it says what it is while it may dial.
 */
type StateBadgeProps = { of: Pick<CampaignItem, 'kind' | 'state' | 'standstill'>; soft?: boolean };

export function StateBadge({ of: { kind, state, standstill: still }, soft = false }: StateBadgeProps) {
  const isOpen = state === 'running' && kind === 'calls';
  if (state !== 'running' || isOpen || !still)
    return <Badge state={isOpen ? 'single calls' : state} soft={soft} />;
  if (waitsForTime(still)) return <Badge state="waiting" label="waits" soft={soft} />;
  return <Badge state={still.cause === 'unknown' ? 'unknown' : 'warning'} label="stands still" soft={soft} />;
}

/** Nobody has to act: it calls by itself when the time has come. */
export const waitsForTime = (still: CampaignItem['standstill']) =>
  still !== null && endsByTime.test(still.cause);

export const hasEnded = ({ state }: Pick<CampaignItem, 'state'>) => state === 'done' || state === 'canceled';

/** Its people are called by a command that has ended. */
export const isUndriven = ({ state, driver, run_active: driven }: CampaignItem) =>
  state === 'running' && driver === 'run' && !driven;
