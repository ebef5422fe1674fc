import type { Clock, Random } from '../base/clock.ts';
import type { Bucket } from '../engine/bucket.ts';
import { fullJitter } from '../rules/limit/backoff.ts';
import { type Belief, hearBusy, hearClean, isBelief, newBelief } from '../rules/limit/belief.ts';
import { capNow, watchesCalls } from '../rules/limit/creates.ts';
import { isShut, paceRate } from '../rules/limit/pace.ts';
import { type View, viewOf } from './limit-view.ts';

/** Keeps the pace of one lane, in memory that every process on the lane shares. */
export type Governor = {
  /** The pace for the bucket, and how late a token may be used. */
  pace(): LanePace;
  /** The lane's limit as far as it is known, for display. */
  limit(): { rate: number; learned: boolean };
  view(): View;
  /** Calls at once: the owner's number or the learned one, whichever is less. */
  cap(own: number | null): number | null;
  /** The pace of the creates, if they have a limit of their own; their tokens are those of `createsOf` the lane. */
  createPace(): LanePace | null;
  /** A request got a 429 after `tookMs`: the lane rests, or only its creates. Returns for how long. */
  busy(retryAfterMs: number | null, tookMs: number, kind?: Kind): Promise<number>;
  /** A request failed to reach the service after `tookMs`: the lane rests, longer each time. */
  away(tookMs: number): Promise<number>;
  /** A request was answered; `eager` when others were waiting for a token. */
  clean(eager: boolean, tookMs?: number, kind?: Kind): void;
  /** Reads what other processes have learned. */
  refresh(): Promise<void>;
};

export type Kind = 'create' | 'poll';
export type LanePace = {
  rate: number;
  burst: number;
  /** The lane is stalled, and only single probes are sent. */
  probing: boolean;
  slackMs: number;
};

export type GovernorDeps = {
  bucket: Bucket;
  lane: string;
  /** A rate that the operator fixed, or null to learn it. */
  fixed: number | null;
  burst: number;
  /** The lane's calls in progress, from the ledger; read only while creates are refused, or their number is limited. */
  inFlight?: (() => Promise<number>) | undefined;
  /** Called at once, before the bucket: requests that this process is about to send must wait, or only creates. */
  onRest?: ((ms: number, kind?: Kind) => void) | undefined;
  clock: Clock;
  random: Random;
};

/** A little less than the limit: two clocks never run at exactly the same speed. */
const margin = 0.985;
/**
 * A service whose bucket holds one second of its rate tolerates tokens that are used much later. One that counts each
 * second sees a tenth too many in it when several processes are late at once.
 */
const mostSlackMs = 120;
const learnedSlackMs = 200;
/** Above this a lane is practically unlimited, and a late request need not take another token. */
const unlimitedRate = 2_000;
const learnEvery = 1_000;
/** How long creates rest when there are too many calls at once; a call that ends makes room. */
const capRestMs = 1_000;

/** The tokens of a lane's creates, apart from those of the lane. */
export function createsOf(lane: string): string {
  return `${lane}/creates`;
}

const nothing = { count: 0, creates: 0, eager: 0, sentAt: 0, createdAt: 0 };

export function createGovernor(deps: GovernorDeps): Governor {
  const { bucket, lane, fixed, clock, random } = deps;
  let known: Belief = newBelief(clock.now());
  let heard = { ...nothing };
  let absences = 0;
  /** Until when this process rests the lane because the service is away (monotonic). */
  let awayUntil = Number.NEGATIVE_INFINITY;
  let learnedAt = Number.NEGATIVE_INFINITY;
  let learning = false;
  let setTo: LanePace | null = null;
  let createsSetTo: LanePace | null = null;

  const paceOf = ({ pace }: Belief): LanePace => {
    if (isShut(pace.stall)) {
      return { rate: paceRate(pace), burst: 1, probing: true, slackMs: learnedSlackMs };
    }
    if (fixed === null) return { rate: pace.rate, burst: 1, probing: false, slackMs: learnedSlackMs };
    return { rate: fixed * margin, burst: deps.burst, probing: false, slackMs: slackOf(fixed) };
  };

  const createPaceOf = ({ creates: { pace } }: Belief): LanePace | null =>
    pace && { rate: paceRate(pace), burst: 1, probing: isShut(pace.stall), slackMs: learnedSlackMs };

  /** Sets the buckets' rates, except for a change too small to matter. */
  const updateBucket = async () => {
    const next = paceOf(known);
    if (!setTo || setTo.burst !== next.burst || differs(setTo, next)) {
      setTo = next;
      await bucket.setRate(lane, next);
    }
    const creates = createPaceOf(known);
    if (!creates || (createsSetTo && !differs(createsSetTo, creates))) return;
    createsSetTo = creates;
    await bucket.setRate(createsOf(lane), creates);
  };

  /** Compare-and-set, so that two processes that meet one 429 cut the rate once. */
  const learn = async (change: (belief: Belief) => Belief): Promise<void> => {
    for (let tries = 0; tries < 8; tries++) {
      const { version, value } = await bucket.readState(lane);
      const before = isBelief(value) ? value : known;
      const after = change(before);
      known = after;
      if (after === value || (await bucket.writeState(lane, version, after))) break;
    }
    await updateBucket();
  };

  const takeHeard = () => {
    const taken = heard;
    heard = { ...nothing };
    return taken;
  };

  const digest = (belief: Belief, taken: typeof nothing, now: number, inFlight: number | null): Belief => {
    if (taken.count === 0) return belief;
    const { count, creates, sentAt, createdAt } = taken;
    // A fixed rate says nothing about the limit, and must not grow.
    const eager = fixed === null && taken.eager * 2 >= count;
    return hearClean(belief, { now, sentAt, count, creates, eager, inFlight, createdAt });
  };

  /** The calls in progress, when creates may have a limit of their own. */
  const callsAfter = async ({ creates }: typeof nothing): Promise<number | null> =>
    creates > 0 && watchesCalls(known.creates) ? ((await deps.inFlight?.()) ?? null) : null;

  return {
    pace: () => paceOf(known),
    limit: () => ({ rate: fixed ?? known.pace.rate, learned: fixed === null }),
    view: () => viewOf(known, fixed),
    cap(own) {
      const learned = capNow(known.creates);
      return own === null || learned === null ? (own ?? learned) : Math.min(own, learned);
    },

    createPace: () => createPaceOf(known),

    async busy(retryAfterMs, tookMs, kind = 'poll') {
      const now = clock.now();
      const inFlight = kind === 'create' ? ((await deps.inFlight?.()) ?? 0) : 0;
      const refusal = { now, sentAt: now - tookMs, retryAfterMs, random, kind, inFlight };
      const taken = takeHeard();
      let own = false;
      // Before the bucket is asked: at a limit of creates only these rest; otherwise the lane rests at once.
      if (!hearBusy(known, refusal).own) deps.onRest?.(retryAfterMs || 100);
      await learn((before) => {
        const decided = hearBusy(digest(before, taken, now, null), refusal);
        own = decided.own;
        return decided.belief;
      });
      const stall = own ? known.creates.pace?.stall : known.pace.stall;
      const restMs = Math.max(1, (stall?.until ?? now) - clock.now());
      if (own && !stall) return capRestMs;
      if (own) deps.onRest?.(restMs, 'create');
      await bucket.rest(own ? createsOf(lane) : lane, restMs);
      if (!own) deps.onRest?.(restMs);
      return restMs;
    },

    async away(tookMs) {
      const now = clock.monotonic();
      // A request that left before the rest was over met the same absence: a crowd must not turn a second into hours.
      if (now - tookMs < awayUntil) return Math.max(1, Math.ceil(awayUntil - now));
      absences += 1;
      const restMs = 250 + fullJitter(absences, 500, 30_000, random);
      awayUntil = now + restMs;
      deps.onRest?.(restMs);
      await bucket.rest(lane, restMs);
      return restMs;
    },

    clean(eager, tookMs = 0, kind = 'poll') {
      absences = 0;
      const now = clock.now();
      heard.count += 1;
      heard.sentAt = Math.max(heard.sentAt, now - tookMs);
      if (kind === 'create') {
        heard.creates += 1;
        heard.createdAt = Math.max(heard.createdAt, now - tookMs);
      }
      if (eager) heard.eager += 1;
      const { pace, creates } = known;
      const reopens = [pace, kind === 'create' ? creates.pace : null].some(
        (each) => each?.stall && heard.sentAt > each.cutAt,
      );
      if (learning || (!reopens && now - learnedAt < learnEvery)) return;
      learning = true;
      learnedAt = now;
      const taken = takeHeard();
      callsAfter(taken)
        .then((inFlight) => learn((before) => digest(before, taken, now, inFlight)))
        // The engine is away: the governor learns from the next answers instead.
        .catch(() => undefined)
        .finally(() => {
          learning = false;
        });
    },

    async refresh() {
      const { value } = await bucket.readState(lane);
      if (isBelief(value)) known = value;
      await updateBucket();
    },
  };
}

function differs(a: LanePace, b: LanePace): boolean {
  return Math.abs(a.rate / b.rate - 1) >= 0.001;
}

/**
 * Tokens are evenly spaced over all processes. If each is used within this time, a service whose bucket holds one
 * second of its rate never runs out, however the requests bunch.
 */
function slackOf(rate: number): number {
  if (rate > unlimitedRate) return Number.POSITIVE_INFINITY;
  const held = Math.max(0, 1 - 1 / rate) * 800;
  return Math.min(mostSlackMs, Math.max(held, ((1 - margin) * 1_000) / rate));
}
