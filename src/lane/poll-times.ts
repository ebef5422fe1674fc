import { createBoundedMap } from '../base/bounded-map.ts';
import type { Random } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import {
  add,
  type CountsByStatus,
  countsFor,
  endingsIn,
  fromKept,
  type KeptCounts,
  toKept,
} from '../rules/polls/ages.ts';
import { aliveOf, type Hazard, newHazard, observe, warm, watch } from '../rules/polls/hazard.ts';
import { createPlanner, type Planner } from '../rules/polls/poll.ts';
import { retrace, type Sight } from '../rules/polls/stages.ts';
import type { Lane } from './lane.ts';

/** What this process has learned about each campaign's calls, and when to poll one of them. */
export type PollTimes = {
  /** A call was alive at one age, and was polled at another. */
  saw(call: CallOwner, sight: Sight): void;
  /** Milliseconds until the next poll of a call. */
  nextInMs(lane: Lane, call: TrackedCall): number;
  /** Writes what was seen since the last write to the ledger, for later campaigns. */
  keep(): Promise<void>;
};

/** A call teaches about its campaign's calls with its agent; what is learned is kept for its agent and its key. */
type CallOwner = { campaignId: string; agentId: string; laneId: number };

/** `resultDelay` is the seconds of delay that a request is worth on this campaign; null leaves it to the lane. */
type TrackedCall = CallOwner & {
  status: string | null;
  age: number;
  resultDelay: number | null;
};

/** The ledger keeps what was learned. */
export type LengthStore = {
  ofAgent(agentId: string): Promise<KeptCounts[]>;
  ofLane(laneId: number): Promise<KeptCounts[]>;
  learn(laneId: number, agentId: string, counts: readonly KeptCounts[]): Promise<void>;
};

type PollTimesDeps = {
  /** The fixed interval that the owner chose; null polls by what was learned. */
  fixedSeconds: number | null;
  random: Random;
  store: LengthStore;
  log: Log;
};

type Learner = {
  hazard: Hazard;
  planner: Planner;
  /** Sights that are not yet kept, by lane. */
  fresh: Map<number, Fresh>;
  agentId: string;
};
type Fresh = { alive: Map<string, Float64Array>; sights: Sight[] };

/** How many campaigns are remembered, counting each agent of one: a worker sees thousands. */
const mostCampaigns = 200;
/** An agent with fewer endings is not known well enough, and all calls of its key say more. */
const enoughOfAgent = 30;
/** The most changes kept between two writes: more would say the same. */
const mostFresh = 5_000;

export function createPollTimes(deps: PollTimesDeps): PollTimes {
  const { fixedSeconds, random, store, log } = deps;
  const known = createBoundedMap<Learner>(mostCampaigns);
  /** Learners with something to keep. */
  const unkept = new Set<Learner>();

  /** The campaign begins with the prior, until the answer is there or if the ledger is away. */
  const recall = async ({ agentId, laneId }: CallOwner, hazard: Hazard) => {
    try {
      const own = fromKept(await store.ofAgent(agentId));
      warm(hazard, endingsIn(own) >= enoughOfAgent ? own : fromKept(await store.ofLane(laneId)));
    } catch (error) {
      log.debug({ agent: agentId, err: (error as Error).message }, 'how long calls last could not be read');
    }
  };

  const of = (call: CallOwner): Learner => {
    const key = `${call.campaignId} ${call.agentId}`;
    let own = known.get(key);
    if (!own) {
      const hazard = newHazard();
      own = { hazard, planner: createPlanner(hazard, random), fresh: new Map(), agentId: call.agentId };
      void recall(call, hazard);
    }
    known.set(key, own);
    return own;
  };

  return {
    saw(call, seen) {
      // A fixed beat does not need it.
      if (fixedSeconds !== null) return;
      const own = of(call);
      const sight = observe(own.hazard, seen);
      const fresh: Fresh = own.fresh.get(call.laneId) ?? { alive: new Map(), sights: [] };
      own.fresh.set(call.laneId, fresh);
      if (sight.next === sight.status) watch(aliveOf(fresh.alive, sight.status), sight);
      else if (fresh.sights.length < mostFresh) fresh.sights.push(sight);
      unkept.add(own);
    },
    nextInMs(lane, call) {
      const busy = isBusy(lane);
      const worth = lane.pollPrice.worth(call.resultDelay, busy);
      const seconds =
        fixedSeconds === null
          ? of(call).planner.nextIn(call.age, call.status ?? '', worth)
          : untilBeat(call.age, fixedSeconds);
      lane.pollPrice.planned(seconds, busy);
      return seconds * 1_000;
    },
    async keep() {
      for (const own of [...unkept]) {
        for (const [laneId, fresh] of [...own.fresh]) {
          // Sights from now on belong to the next write.
          own.fresh.delete(laneId);
          const counts = toKept(countFresh(own.hazard, fresh));
          if (counts.length > 0) await store.learn(laneId, own.agentId, counts);
        }
        if (own.fresh.size === 0) unkept.delete(own);
      }
    },
  };
}

/** Counts what was seen, with the times of changes as they are estimated now. */
function countFresh(hazard: Hazard, { alive, sights }: Fresh): CountsByStatus {
  const counted: CountsByStatus = new Map();
  for (const [status, seconds] of alive) add(countsFor(counted, status).watched, seconds);
  for (const sight of sights) retrace(hazard.stages, sight, counted);
  return counted;
}

/** A late poll does not move later ones; a poll less than half a beat away is skipped. */
function untilBeat(age: number, beat: number): number {
  return Math.ceil((age + beat / 2) / beat) * beat - age;
}

/** Whether people wait for tokens on this lane: each token not spent on a poll is a call gained. */
export function isBusy(lane: Lane): boolean {
  return lane.pacer.isScarce() && (lane.backlog > 0 || lane.pacer.waiting('create') > 0);
}
