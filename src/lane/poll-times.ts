import { createBoundedMap } from '../base/bounded-map.ts';
import type { Random } from '../base/clock.ts';
import { type Hazard, newHazard, observe, type Sight } from '../rules/polls/hazard.ts';
import { createPlanner, type Planner } from '../rules/polls/poll.ts';
import type { Lane } from './lane.ts';

/** What this process has learned about each campaign's calls, and when to poll one of them. */
export type PollTimes = {
  /** A call was alive at one age, and was polled at another. */
  saw(campaignId: string, sight: Sight): void;
  /** Milliseconds until the next poll of a call. */
  nextInMs(lane: Lane, call: TrackedCall): number;
};

/** `resultDelay` is the seconds of delay that a request is worth on this campaign; null leaves it to the lane. */
export type TrackedCall = {
  campaignId: string;
  status: string | null;
  age: number;
  resultDelay: number | null;
};

/** How many campaigns are remembered: a worker sees thousands. */
const mostCampaigns = 200;

/** `fixedSeconds` is the fixed beat of the owner's choice; null polls by what was learned. */
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
      // A fixed beat does not need it.
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

/** A late poll does not move the ones after it; one that is less than half a beat away is skipped. */
function untilBeat(age: number, beat: number): number {
  return Math.ceil((age + beat / 2) / beat) * beat - age;
}

/** People wait to be called on this lane, and they wait for tokens: each one not spent on a poll is a call gained. */
export function isBusy(lane: Lane): boolean {
  return lane.pacer.isScarce() && (lane.backlog > 0 || lane.pacer.waiting('create') > 0);
}
