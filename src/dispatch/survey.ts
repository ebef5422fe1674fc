import type { Lane } from '../lane/lane.ts';
import { isBusy } from '../lane/poll-times.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { loadsOf, plannedOn, sum } from './headroom.ts';

/** Looks over the lanes as all processes have left them: their pace, their backlog, and what a request is worth. */
export function createSurvey(deps: { ledger: Ledger; lanes(): readonly Lane[] }) {
  /** Answers whether anything is under way. */
  return async (): Promise<boolean> => {
    await Promise.all(deps.lanes().map((lane) => lane.governor.refresh()));
    const loads = await deps.ledger.lanes.loads();
    for (const lane of deps.lanes()) {
      lane.backlog = plannedOn(lane, loads);
      const placed = sum(loadsOf(lane, loads), (load) => load.placed);
      lane.pollPrice.weigh(placed, lane.governor.limit().rate, isBusy(lane));
    }
    return loads.length > 0;
  };
}
