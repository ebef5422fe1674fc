import type { Ledger } from '../ledger/ledger.ts';
import type { Queues } from '../queues/queues.ts';
import type { LaneDesk } from './lane.ts';
import type { Scope } from './scope.ts';

export type MoveDeps = { ledger: Ledger; queues: Queues; scope: Scope; desks(): readonly LaneDesk[] };

/** What was planned on a lane that creates no more goes to one that is open, when there is one. */
export async function moveOn({ ledger, queues, scope, desks }: MoveDeps, lane: LaneDesk): Promise<void> {
  const open = desks().find((desk) => desk.state === 'open');
  if (!open) return;
  await queues.add(open.bucket, 'dial', await ledger.lanes.move(lane.id, open.id, scope.campaignId));
}
