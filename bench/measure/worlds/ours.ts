import type { Random } from '../../../src/base/clock.ts';
import { type Belief, hearBusy, hearClean, newBelief } from '../../../src/rules/limit/belief.ts';
import { capNow, ownOdds } from '../../../src/rules/limit/creates.ts';
import { paceRate } from '../../../src/rules/limit/pace.ts';
import type { World } from './draw.ts';
import { type Budget, epoch, newBudget } from './ours-budget.ts';
import type { Client, ClientMaker, Heard, Trace } from './play.ts';

/** Carillon's rules, as its governor, its bucket and its processes use them. */
const learnEveryMs = 1_000;
/** How many seconds of tokens other processes had already leased when a refusal came. */
const leasedSeconds = 0.15;
const leastFullMs = 250;
const mostFullMs = 4_000;
const none = { count: 0, creates: 0, eager: 0, sentAt: 0, createdAt: 0, calls: 0 };

/** The keys of a world are declared as one account: they have one budget, and take turns. */
export const carillon: ClientMaker = (random, world, trace) => {
  const account: Account = { budget: newBudget(), lanes: [], nth: 0 };
  return Array.from({ length: world.keys }, (_, place) => makeLane(random, world, trace, account, place));
};

type Account = { budget: Budget; lanes: { digest(now: number): void; sentNth: number }[]; nth: number };
/** A lane lets lanes that have waited longer go first, by this much. */
const moment = 1e-4;

function makeLane(
  random: Random,
  world: World,
  trace: Trace | undefined,
  account: Account,
  place: number,
): Client {
  const { budget, lanes } = account;
  let { creates, before } = newBelief(epoch);
  let learnedAt = 0;
  let createFree = 0;
  let fullUntil = 0;
  let fullMs = leastFullMs;
  let known = 0;
  let heard = { ...none };
  const belief = (): Belief => ({ pace: budget.pace, creates, before });
  const believe = (next: Belief) => {
    budget.pace = next.pace;
    ({ creates, before } = next);
  };
  const gapOf = () => 1_000 / paceRate(budget.pace);

  const digest = (now: number) => {
    const { count, creates: made, eager, sentAt, createdAt, calls } = heard;
    heard = { ...none };
    if (count === 0) return;
    const answered = {
      now: epoch + now,
      sentAt: epoch + sentAt,
      createdAt: epoch + createdAt,
      count,
      creates: made,
      eager: eager * 2 >= count,
    };
    believe(hearClean(belief(), { ...answered, inFlight: made > 0 ? calls : null }));
  };
  lanes.push({ digest, sentNth: 0 });
  const digestAll = (now: number) => {
    for (const lane of lanes) lane.digest(now);
  };

  const refused = ({ now, sentAt, kind, retryAfterMs, calls }: Heard) => {
    const was = budget.pace;
    digestAll(now);
    const times = { now: epoch + now, sentAt: epoch + sentAt };
    const told = hearBusy(belief(), { ...times, retryAfterMs, random, kind, inFlight: calls });
    believe(told.belief);
    const { pace } = budget;
    if (told.own) {
      budget.free = Math.min(budget.free, Math.max(now, budget.last + 1_000 / paceRate(pace)));
      if (creates.pace) {
        const until = creates.pace.stall ? creates.pace.stall.until - epoch : now + 1_000 / creates.pace.rate;
        createFree = Math.max(now, until);
      } else {
        fullUntil = now + fullMs;
        fullMs = Math.min(mostFullMs, fullMs * 2);
      }
    } else if (pace.stall && pace.stall.until - epoch > now) budget.free = pace.stall.until - epoch;
    if (!was.stall && pace.stall && world.processes > 1) {
      budget.leased = Math.floor(was.rate * leasedSeconds * (1 - 1 / world.processes));
      budget.leasedGap = 1_000 / was.rate;
    }
    trace?.({ now, ok: false, kind, was, belief: belief(), odds: ownOdds(creates) });
  };

  return {
    nextAt() {
      const own = lanes[place]!.sentNth;
      const turn = lanes.filter(({ sentNth }) => sentNth < own).length * moment;
      return (budget.leased > 0 ? budget.last + budget.leasedGap : budget.free) + turn;
    },
    createAt(now, calls) {
      const cap = capNow(creates);
      if (cap !== null && calls >= cap) return Math.max(fullUntil, now + 50);
      return Math.max(fullUntil, createFree);
    },
    sent(now, kind) {
      budget.last = now;
      if (kind === 'create' && creates.pace) {
        createFree = Math.max(createFree, now + 1_000 / paceRate(creates.pace));
      }
      if (budget.leased > 0) {
        budget.leased -= 1;
        budget.free = Math.max(budget.free, now + budget.leasedGap);
      } else budget.free = now + gapOf();
      account.nth += 1;
      lanes[place]!.sentNth = account.nth;
    },
    answered(answer) {
      const { now, sentAt, kind, ok, calls, eager } = answer;
      if (!ok) return refused(answer);
      // A call has ended: there may be room again.
      if (calls < known) {
        fullUntil = 0;
        fullMs = leastFullMs;
      }
      known = calls;
      const was = budget.pace;
      heard.count += 1;
      heard.sentAt = Math.max(heard.sentAt, sentAt);
      if (kind === 'create') {
        heard.creates += 1;
        heard.createdAt = Math.max(heard.createdAt, sentAt);
        heard.calls = calls;
      }
      if (eager) heard.eager += 1;
      const { pace } = budget;
      const reopens =
        (pace.stall && epoch + heard.sentAt > pace.cutAt) || (kind === 'create' && creates.pace?.stall);
      if (!reopens && now - learnedAt < learnEveryMs) return;
      learnedAt = now;
      digestAll(now);
      if (creates.pace) createFree = Math.min(createFree, now + 1_000 / paceRate(creates.pace));
      if (budget.leased === 0) budget.free = Math.min(budget.free, Math.max(now, budget.last + gapOf()));
      trace?.({ now, ok, kind, was, belief: belief(), odds: ownOdds(creates) });
    },
  };
}
