import { createBoundedMap } from '../base/bounded-map.ts';
import type { Random } from '../base/clock.ts';
import { type Hazard, newHazard, observe, type Sight } from '../rules/polls/hazard.ts';
import { createPlanner, type Planner } from '../rules/polls/poll.ts';
import type { Lane } from './lane.ts';

/** What this process has learned of each campaign's calls, and when it is worth asking for one of them. */
export type PollTimes = {
  /** A call was alive at one age, and was asked at another. */
  saw(campaignId: string, sight: Sight): void;
  /** Milliseconds until the next poll of a call. */
  nextInMs(lane: Lane, call: Call): number;
};

/** `resultDelay` is the seconds of delay that a request is worth on this campaign; null leaves it to the lane. */
export type Call = { campaignId: string; status: string | null; age: number; resultDelay: number | null };

/** Of so many it is remembered what was learned: a worker lives through thousands. */
const mostCampaigns = 200;

/** `fixedSeconds` stands for an owner who wants to ask at a fixed beat, whatever was learned. */
export function createPollTimes(fixedSeconds: number | null, random: Random): PollTimes {
  const known = createBoundedMap<{ hazard: Hazard; planner: Planner }>(mostCampaigns);

  const of = (campaignId: string) => {
    let own = known.get(campaignId);
    if (!own) {
      const hazard = newHazard();
      own = { hazard, planner: createPlanner(hazard, random) };
    }
    known.set(campaignId, own);
    return own;
  };

  return {
    saw(campaignId, sight) {
      // Whoever keeps a beat has no use for it.
      if (fixedSeconds === null) observe(of(campaignId).hazard, sight);
    },
    nextInMs(lane, call) {
      const busy = isBusy(lane);
      const worth = lane.pollPrice.worth(call.resultDelay, busy);
      const seconds =
        fixedSeconds === null
          ? of(call.campaignId).planner.nextIn(call.age, call.status ?? '', worth)
          : untilBeat(call.age, fixedSeconds);
      lane.pollPrice.planned(seconds, busy);
      return seconds * 1_000;
    },
  };
}

/** A poll that came late moves none of those after it; one that is less than half a beat away is left out. */
function untilBeat(age: number, beat: number): number {
  return Math.ceil((age + beat / 2) / beat) * beat - age;
}

/** People wait to be called on this lane, and tokens are what they wait for: one not spent on a poll is a call gained. */
export function isBusy(lane: Lane): boolean {
  return lane.pacer.isScarce() && (lane.backlog > 0 || lane.pacer.waiting('create') > 0);
}
