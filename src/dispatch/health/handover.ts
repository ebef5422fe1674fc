import type { Lane } from '../../lane/lane.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Queues } from '../../queues/queues.ts';
import type { Scope } from '../scope.ts';

export type HandoverDeps = { ledger: Ledger; queues: Queues; scope: Scope; lanes(): readonly Lane[] };

/**
 * Moves what was planned on a closed or leaving lane to an open one, if there is one. A key that is not accepted may
 * never be again: if the others only rest, its plans are given back, so that any of them may probe with these people
 * and call them.
 */
export async function handOver({ ledger, queues, scope, lanes }: HandoverDeps, lane: Lane): Promise<void> {
  const open = lanes().find((each) => each.state === 'open' && !each.leaving);
  if (open) {
    await queues.add(open.bucket, 'dial', await ledger.lanes.move(lane.id, open.id, scope.campaignId));
  } else if (lane.state === 'denied' && lanes().some((each) => each.state !== 'denied')) {
    const planned = await ledger.lanes.planned(lane.id, scope.campaignId);
    await Promise.all(planned.map((id) => ledger.attempts.giveBack({ id, why: 'its key is not accepted' })));
  }
}
