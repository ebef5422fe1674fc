import type { Lane } from '../lane/lane.ts';
import { isBusy } from '../lane/poll-times.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Fitness } from './fitness.ts';
import { loadsOf, plannedOn, sum } from './headroom.ts';

/** Reads the lanes as all processes left them, and updates their pace, backlog and poll price. */
export function createSurvey(deps: { ledger: Ledger; fitness: Fitness; lanes(): readonly Lane[] }) {
  /** Returns whether anything is in progress. */
  return async (): Promise<boolean> => {
    await Promise.all([deps.fitness.refresh(), ...deps.lanes().map((lane) => lane.governor.refresh())]);
    const loads = await deps.ledger.lanes.loads();
    for (const lane of deps.lanes()) {
      lane.backlog = plannedOn(lane, loads);
      const placed = sum(loadsOf(lane, loads), (load) => load.placed);
      lane.pollPrice.weigh(placed, lane.governor.limit().rate, isBusy(lane));
    }
    return loads.length > 0;
  };
}
