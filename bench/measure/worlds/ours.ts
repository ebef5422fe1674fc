import { hearBusy, hearClean, newBelief } from '../../../src/rules/limit/belief.ts';
import { capNow, ownOdds } from '../../../src/rules/limit/creates.ts';
import { paceRate } from '../../../src/rules/limit/pace.ts';
import type { ClientMaker } from './play.ts';

/** Carillon's rules, as its governor, its bucket and its processes use them. */
const epoch = 1_699_999_980_000;
const learnEveryMs = 1_000;
/** Tokens that other processes had already leased when a refusal came. */
const leasedSeconds = 0.15;
const leastHoldMs = 250;
const mostHoldMs = 4_000;
const none = { count: 0, creates: 0, eager: 0, sentAt: 0, createdAt: 0, calls: 0 };

export const carillon: ClientMaker = (random, world, trace) =>
  Array.from({ length: world.keys }, () => {
    let belief = newBelief(epoch);
    let free = 0;
    let last = 0;
    let learnedAt = 0;
    let leased = 0;
    let leasedGap = 0;
    let createFree = 0;
    let heldUntil = 0;
    let holdMs = leastHoldMs;
    let known = 0;
    let heard = { ...none };

    const digest = (now: number) => {
      const { count, creates, eager, sentAt, createdAt, calls } = heard;
      heard = { ...none };
      if (count === 0) return;
      const answered = {
        now: epoch + now,
        sentAt: epoch + sentAt,
        createdAt: epoch + createdAt,
        count,
        creates,
        eager: eager * 2 >= count,
      };
      belief = hearClean(belief, { ...answered, inFlight: creates > 0 ? calls : null });
    };

    return {
      nextAt: () => (leased > 0 ? last + leasedGap : free),
      createAt(now, calls) {
        const cap = capNow(belief.creates);
        if (cap !== null && calls >= cap) return Math.max(heldUntil, now + 50);
        return Math.max(heldUntil, createFree);
      },
      sent(at, kind) {
        last = at;
        const own = belief.creates.pace;
        if (kind === 'create' && own) createFree = Math.max(createFree, at + 1_000 / paceRate(own));
        if (leased > 0) {
          leased -= 1;
          free = Math.max(free, at + leasedGap);
        } else free = at + 1_000 / paceRate(belief.pace);
      },
      answered({ now, sentAt, kind, ok, retryAfterMs, calls, eager }) {
        const was = belief.pace;
        if (!ok) {
          digest(now);
          const times = { now: epoch + now, sentAt: epoch + sentAt };
          const told = hearBusy(belief, { ...times, retryAfterMs, random, kind, inFlight: calls });
          belief = told.belief;
          const { pace, creates } = belief;
          if (told.own) {
            free = Math.min(free, Math.max(now, last + 1_000 / paceRate(pace)));
            if (creates.pace) {
              const until = creates.pace.stall
                ? creates.pace.stall.until - epoch
                : now + 1_000 / creates.pace.rate;
              createFree = Math.max(now, until);
            } else {
              heldUntil = now + holdMs;
              holdMs = Math.min(mostHoldMs, holdMs * 2);
            }
          } else if (pace.stall && pace.stall.until - epoch > now) free = pace.stall.until - epoch;
          if (!was.stall && pace.stall && world.processes > 1) {
            leased = Math.floor(was.rate * leasedSeconds * (1 - 1 / world.processes));
            leasedGap = 1_000 / was.rate;
          }
          trace?.({ now, ok, kind, was, belief, odds: ownOdds(creates) });
          return;
        }
        // A call has ended: there may be room again.
        if (calls < known) {
          heldUntil = 0;
          holdMs = leastHoldMs;
        }
        known = calls;
        heard.count += 1;
        heard.sentAt = Math.max(heard.sentAt, sentAt);
        if (kind === 'create') {
          heard.creates += 1;
          heard.createdAt = Math.max(heard.createdAt, sentAt);
          heard.calls = calls;
        }
        if (eager) heard.eager += 1;
        const { pace, creates } = belief;
        const reopens =
          (pace.stall && epoch + heard.sentAt > pace.cutAt) || (kind === 'create' && creates.pace?.stall);
        if (!reopens && now - learnedAt < learnEveryMs) return;
        learnedAt = now;
        digest(now);
        const own = belief.creates.pace;
        if (own) createFree = Math.min(createFree, now + 1_000 / paceRate(own));
        if (leased === 0) free = Math.min(free, Math.max(now, last + 1_000 / paceRate(belief.pace)));
        trace?.({ now, ok, kind, was, belief, odds: ownOdds(belief.creates) });
      },
    };
  });
