import type { Rest } from '../../base/at-rest.ts';
import type { Wakes } from '../../lane/awake-lanes.ts';
import type { Lane } from '../../lane/lane.ts';
import { isBusy } from '../../lane/poll-times.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { DialPermit } from '../trust/dial-permit.ts';
import { loadsOf, plannedOn, sum } from './headroom.ts';

type UpdateLanesDeps = {
  ledger: Ledger;
  permit: DialPermit;
  lanes(): readonly Lane[];
  wakes: Wakes;
  /** Notified while the process has work. */
  rest?: Pick<Rest, 'stir'> | undefined;
};

/** Reads the lanes as all processes left them, wakes those with work, and updates pace, backlog and poll price. */
export function createUpdateLanes({ ledger, permit, lanes, wakes, rest }: UpdateLanesDeps) {
  /** Returns whether anything is in progress. */
  return async (): Promise<boolean> => {
    await Promise.all([permit.refresh(), ...wakes.awake().map((lane) => lane.governor.refresh())]);
    const loads = await ledger.lanes.loads();
    const busy = new Set(loads.map((load) => load.laneId));
    for (const lane of lanes()) {
      lane.backlog = busy.has(lane.id) ? plannedOn(lane, loads) : 0;
      const placed = busy.has(lane.id) ? sum(loadsOf(lane, loads), (load) => load.placed) : 0;
      lane.pollPrice.weigh(placed, lane.governor.limit().rate, isBusy(lane));
    }
    wakes.saw(busy);
    if (rest && (busy.size > 0 || !(await ledger.lanes.idle()))) rest.stir();
    return busy.size > 0;
  };
}
