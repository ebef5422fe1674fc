import type { Random } from '../../../src/base/clock.ts';
import { type Belief, hearBusy, hearClean, newBelief } from '../../../src/rules/limit/belief.ts';
import { capNow, ownOdds } from '../../../src/rules/limit/creates.ts';
import { paceRate } from '../../../src/rules/limit/pace.ts';
import type { World } from './draw.ts';
import { epoch, newBudget } from './ours-budget.ts';
import { createKeyring, createStrangers, type Finding, type Keyring } from './ours-keyring.ts';
import type { Client, ClientMaker, Heard, Trace } from './play.ts';

/** Carillon's rules, as its governor, its bucket and its processes use them. */
const learnEveryMs = 1_000;
/** Tokens that other processes had already leased when a refusal came. */
const leasedSeconds = 0.15;
const leastHoldMs = 250;
const mostHoldMs = 4_000;
const none = { count: 0, creates: 0, eager: 0, sentAt: 0, createdAt: 0, calls: 0 };

export const carillon: ClientMaker = (random, world, trace) =>
  withKeyring(() => undefined)(random, world, trace);

/** The same, and tells which keys were found to share a limit. */
export function withKeyring(onFound: (finding: Finding) => void): ClientMaker {
  return (random, world, trace) =>
    makeLanes(random, world, trace, world.keys > 1 ? createKeyring(onFound) : createStrangers());
}

/** The same when each key is for itself, whatever they share. */
export const strangers: ClientMaker = (random, world, trace) =>
  makeLanes(random, world, trace, createStrangers());

function makeLanes(random: Random, world: World, trace: Trace | undefined, keyring: Keyring): Client[] {
  return Array.from({ length: world.keys }, (_, place) => makeLane(random, world, trace, keyring, place));
}

function makeLane(
  random: Random,
  world: World,
  trace: Trace | undefined,
  keyring: Keyring,
  place: number,
): Client {
  const own = newBudget();
  let { creates, before } = newBelief(epoch);
  let learnedAt = 0;
  let createFree = 0;
  let heldUntil = 0;
  let holdMs = leastHoldMs;
  let known = 0;
  let heard = { ...none };
  const at = () => keyring.shared(place) ?? own;
  const belief = (): Belief => ({ pace: at().pace, creates, before });
  const believe = (next: Belief) => {
    at().pace = next.pace;
    ({ creates, before } = next);
  };
  const gapOf = (now: number) => 1_000 / (paceRate(at().pace) * keyring.part(place, now));

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
      eager: eager * 2 >= count && !keyring.isTried(place, now),
    };
    believe(hearClean(belief(), { ...answered, inFlight: made > 0 ? calls : null }));
  };
  keyring.join({ digest, own, budget: at });

  const refused = ({ now, sentAt, kind, retryAfterMs, calls }: Heard) => {
    const was = at().pace;
    const provoked = keyring.isTried(place, sentAt);
    keyring.digest(place, now);
    keyring.refused(place, now, sentAt);
    const times = { now: epoch + now, sentAt: epoch + sentAt };
    const told = hearBusy(belief(), { ...times, retryAfterMs, random, kind, inFlight: calls, provoked });
    believe(told.belief);
    const budget = at();
    const { pace } = budget;
    if (told.own) {
      budget.free = Math.min(budget.free, Math.max(now, budget.last + 1_000 / paceRate(pace)));
      if (creates.pace) {
        const until = creates.pace.stall ? creates.pace.stall.until - epoch : now + 1_000 / creates.pace.rate;
        createFree = Math.max(now, until);
      } else {
        heldUntil = now + holdMs;
        holdMs = Math.min(mostHoldMs, holdMs * 2);
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
      const budget = at();
      return (budget.leased > 0 ? budget.last + budget.leasedGap : budget.free) + keyring.turn(place);
    },
    createAt(now, calls) {
      const cap = capNow(creates);
      if (cap !== null && calls >= cap) return Math.max(heldUntil, now + 50);
      return Math.max(heldUntil, createFree);
    },
    sent(now, kind) {
      const budget = at();
      budget.last = now;
      if (kind === 'create' && creates.pace) {
        createFree = Math.max(createFree, now + 1_000 / paceRate(creates.pace));
      }
      if (budget.leased > 0) {
        budget.leased -= 1;
        budget.free = Math.max(budget.free, now + budget.leasedGap);
      } else budget.free = now + gapOf(now);
      keyring.sent(place);
    },
    answered(answer) {
      const { now, sentAt, kind, ok, calls, eager } = answer;
      if (!ok) return refused(answer);
      // A call has ended: there may be room again.
      if (calls < known) {
        heldUntil = 0;
        holdMs = leastHoldMs;
      }
      known = calls;
      const was = at().pace;
      keyring.accepted(place, now, sentAt);
      heard.count += 1;
      heard.sentAt = Math.max(heard.sentAt, sentAt);
      if (kind === 'create') {
        heard.creates += 1;
        heard.createdAt = Math.max(heard.createdAt, sentAt);
        heard.calls = calls;
      }
      if (eager) heard.eager += 1;
      const { pace } = at();
      const reopens =
        (pace.stall && epoch + heard.sentAt > pace.cutAt) || (kind === 'create' && creates.pace?.stall);
      if (!reopens && now - learnedAt < learnEveryMs) return;
      learnedAt = now;
      keyring.digest(place, now);
      if (creates.pace) createFree = Math.min(createFree, now + 1_000 / paceRate(creates.pace));
      const budget = at();
      if (budget.leased === 0) budget.free = Math.min(budget.free, Math.max(now, budget.last + gapOf(now)));
      trace?.({ now, ok, kind, was, belief: belief(), odds: ownOdds(creates) });
    },
  };
}
