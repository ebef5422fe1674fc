import type { Lane } from '../lane/lane.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Queues } from '../queues/queues.ts';
import type { Scope } from './scope.ts';

export type HandoverDeps = { ledger: Ledger; queues: Queues; scope: Scope; lanes(): readonly Lane[] };

/** Moves what was planned on a closed lane to an open one, if there is one. */
export async function handOver({ ledger, queues, scope, lanes }: HandoverDeps, lane: Lane): Promise<void> {
  const open = lanes().find((lane) => lane.state === 'open');
  if (!open) return;
  await queues.add(open.bucket, 'dial', await ledger.lanes.move(lane.id, open.id, scope.campaignId));
}
