import type { Clock, Random } from '../base/clock.ts';
import type { MaxCalls } from '../base/config/keys.ts';
import type { Bucket } from '../engine/bucket.ts';
import { fullJitter } from '../rules/limit/backoff.ts';
import {
  type Belief,
  hearBusy,
  hearClean,
  hearFull,
  isBelief,
  newBelief,
  type Published,
} from '../rules/limit/belief.ts';
import { capNow, watchesCalls } from '../rules/limit/creates.ts';
import { type Inbound, leftToMake, wasOver, withOneMore } from '../rules/limit/inbound.ts';
import type { Pace } from '../rules/limit/pace-state.ts';
import { createPaceOf, differs, type Kind, type LanePace, lanePaceOf } from './lane-pace.ts';
import { callLimitOf, type View, viewOf } from './limit-view.ts';
import type { Seat, SharedBudget } from './shared-budget.ts';

/** Keeps the pace of one lane, in memory that every process on the lane shares. */
export type Governor = {
  /** The pace for the bucket, and how late a token may be used. */
  pace(): LanePace;
  /** The lane's limit as far as it is known, or its part of one that it shares; for plans and for display. */
  limit(): { rate: number; learned: boolean };
  /** The most requests that may leave in a second, if others draw from the same bucket. */
  most(): number;
  /** The name of the bucket that the lane's tokens come from: its own, or that of an account. */
  tokens(): string;
  view(): View;
  /** Calls at once: the owner's number or the learned one, whichever is less. */
  cap(): number | null;
  /** The calls that came in, as any process last read them; undefined before that. */
  inbound(): Inbound | undefined;
  /** The service told how many calls came in. */
  hearInbound(calls: number): Promise<void>;
  /** A call has ended that may have been taken for one in progress when the service last told them. */
  hearEnd(endedAt: number | null, dialedAt: number): Promise<void>;
  /** The pace of the creates, if they have a limit of their own; their tokens are those of `createsOf` the lane. */
  createPace(): LanePace | null;
  /** A request got a 429 after `tookMs`: the lane rests, or only its creates. Returns for how long. */
  busy(retryAfterMs: number | null, tookMs: number, kind?: Kind): Promise<number>;
  /** A create found no room for another call at once: the creates rest. Returns for how long. */
  full(tookMs: number): Promise<number>;
  /** A request failed to reach the service after `tookMs`, and why: the lane rests, longer each time. */
  away(tookMs: number, why?: string): Promise<number>;
  /** A request was answered; `eager` when others were waiting for a token. */
  clean(eager: boolean, tookMs?: number, kind?: Kind): void;
  /** Reads what other processes have learned. */
  refresh(): Promise<void>;
};

/** The limit of all requests, that of creates, or calls at once. */
export type RefusalCause = 'rate' | 'creates' | 'calls';

type GovernorDeps = {
  bucket: Bucket;
  lane: string;
  /** A rate that the operator fixed, or null to learn it. */
  fixed: number | null;
  burst: number;
  /** The owner's number of calls at once. */
  calls?: MaxCalls | null | undefined;
  /** Where the lane begins until it has learned better. */
  published?: Published | undefined;
  /** The lane's calls in progress, from the ledger; read only while creates are refused, or their number is limited. */
  inFlight?: (() => Promise<number>) | undefined;
  /** Called at once, before the bucket: requests that this process is about to send must wait, or only creates. */
  onRest?: ((ms: number, kind?: Kind) => void) | undefined;
  /** Told of each 429 and what it was taken for. */
  onRefused?: ((cause: RefusalCause) => void) | undefined;
  /** Told of each rest of a service that cannot be reached, whichever request met it. */
  onAway?: ((restMs: number, why: string | undefined) => void) | undefined;
  /** Its place among the keys of its account; none for a key with a limit of its own. */
  seat?: Seat | undefined;
  clock: Clock;
  random: Random;
};

type Change = (belief: Belief) => Belief;

const learnEvery = 1_000;
/** A belief that others change so often is changed again with the next answers. */
const mostTries = 8;
/** How long creates rest when there are too many calls at once; a call that ends makes room. */
const capRestMs = 1_000;

/** The tokens of a lane's creates, apart from those of the lane. */
export function createsOf(lane: string): string {
  return `${lane}/creates`;
}

const nothing = { count: 0, creates: 0, eager: 0, sentAt: 0, createdAt: 0 };

export function createGovernor(deps: GovernorDeps): Governor {
  const { bucket, lane, fixed, clock, random } = deps;
  let known: Belief = newBelief(clock.now(), deps.published);
  let heard = { ...nothing };
  let absences = 0;
  /** Until when this process rests the lane because the service is away (monotonic). */
  let awayUntil = Number.NEGATIVE_INFINITY;
  let learnedAt = Number.NEGATIVE_INFINITY;
  let learning = false;
  let setTo: LanePace | null = null;
  let createsSetTo: LanePace | null = null;

  const { seat } = deps;
  /** The belief that holds for the lane now: its pace may be that of a budget that it shares. */
  const current = (): Belief => {
    return seat ? { ...known, pace: seat.budget.pace() } : known;
  };
  const tokens = seat?.budget.name ?? lane;

  const fixedPace = fixed === null ? null : { rate: fixed, burst: deps.burst };
  const pace = () => lanePaceOf(current(), fixedPace);

  /** Sets the buckets' rates, except for a change too small to matter. */
  const updateBucket = async () => {
    const next = pace();
    if (!setTo || setTo.burst !== next.burst || differs(setTo, next)) {
      setTo = next;
      await bucket.setRate(tokens, next);
    }
    const creates = createPaceOf(known);
    if (!creates || (createsSetTo && !differs(createsSetTo, creates))) return;
    createsSetTo = creates;
    await bucket.setRate(createsOf(lane), creates);
  };

  /** Compare-and-set, so that two processes that meet one 429 cut the rate once. */
  const changeOwn = async (change: Change): Promise<void> => {
    for (let tries = 0; tries < mostTries; tries++) {
      const { version, value } = await bucket.readState(lane);
      known = change(isBelief(value) ? value : known);
      if (known === value || (await bucket.writeState(lane, version, known))) break;
    }
  };

  /** The pace is the budget's, which hears of all its lanes itself; the creates are the lane's. */
  const changeShared = async (budget: SharedBudget, accepted: Change, refused?: Change): Promise<void> => {
    let met: Pace = budget.pace();
    await budget.change((shared) => {
      met = shared;
      return refused ? refused({ ...known, pace: shared }).pace : shared;
    });
    await changeOwn((own) => {
      const heard = accepted({ ...own, pace: met });
      const { creates, before } = refused ? refused(heard) : heard;
      return creates === own.creates && before === own.before ? own : { ...own, creates, before };
    });
  };

  /** Learns from what was accepted, and then from a refusal. */
  const learn = async (accepted: Change, refused?: Change) => {
    if (seat) await changeShared(seat.budget, accepted, refused);
    else await changeOwn((own) => (refused ? refused(accepted(own)) : accepted(own)));
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

  seat?.attach((ms) => deps.onRest?.(ms));
  const restAll = (ms: number) => (seat ? seat.rest(ms) : deps.onRest?.(ms));

  return {
    pace,
    limit: () => ({
      rate: (fixed ?? current().pace.rate) * (seat?.share() ?? 1),
      learned: fixed === null,
    }),
    most: () => fixed ?? current().pace.rate,
    tokens: () => tokens,
    view: () => ({
      ...viewOf(current(), fixed),
      account: seat ? [...seat.others] : null,
      calls: callLimitOf(deps.calls, known, clock.now()),
    }),
    cap() {
      const learned = capNow(known.creates);
      const own = deps.calls ? leftToMake(deps.calls, known.inbound, clock.now()) : null;
      return own === null || learned === null ? (own ?? learned) : Math.min(own, learned);
    },

    inbound: () => known.inbound,

    hearInbound: (calls) => changeOwn((belief) => ({ ...belief, inbound: { calls, at: clock.now() } })),

    async hearEnd(endedAt, dialedAt) {
      if (wasOver(known.inbound, endedAt, dialedAt, clock.now())) await changeOwn(withOneMore);
    },

    createPace: () => createPaceOf(known),

    async busy(retryAfterMs, tookMs, kind = 'poll') {
      const now = clock.now();
      const inFlight = kind === 'create' ? ((await deps.inFlight?.()) ?? 0) : 0;
      const sentAt = now - tookMs;
      const refusal = { now, sentAt, retryAfterMs, random, kind, inFlight };
      const taken = takeHeard();
      let own = false;
      // Before the bucket is asked: at a limit of creates only these rest; otherwise the lane rests at once.
      if (!hearBusy(current(), refusal).own) restAll(retryAfterMs || 100);
      await learn(
        (before) => digest(before, taken, now, null),
        (before) => {
          const decided = hearBusy(before, refusal);
          own = decided.own;
          return decided.belief;
        },
      );
      const stall = own ? known.creates.pace?.stall : current().pace.stall;
      deps.onRefused?.(own ? (stall ? 'creates' : 'calls') : 'rate');
      const restMs = Math.max(1, (stall?.until ?? now) - clock.now());
      if (own && !stall) return capRestMs;
      if (own) deps.onRest?.(restMs, 'create');
      await bucket.rest(own ? createsOf(lane) : tokens, restMs);
      if (!own) restAll(restMs);
      return restMs;
    },

    async full(tookMs) {
      const now = clock.now();
      const inFlight = (await deps.inFlight?.()) ?? 0;
      const taken = takeHeard();
      await learn(
        (before) => digest(before, taken, now, null),
        (before) => hearFull(before, { now, sentAt: now - tookMs, inFlight }),
      );
      deps.onRefused?.('calls');
      return capRestMs;
    },

    async away(tookMs, why) {
      const now = clock.monotonic();
      // A request that left before the rest was over met the same absence: a crowd must not turn a second into hours.
      if (now - tookMs < awayUntil) return Math.max(1, Math.ceil(awayUntil - now));
      absences += 1;
      const restMs = 250 + fullJitter(absences, 500, 30_000, random);
      awayUntil = now + restMs;
      deps.onRest?.(restMs);
      deps.onAway?.(restMs, why);
      await bucket.rest(tokens, restMs);
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
      seat?.works();
      const isShared = seat?.budget.note(eager && fixed === null, now - tookMs) ?? false;
      const { pace, creates } = current();
      const reopens = [pace, kind === 'create' ? creates.pace : null].some(
        (each) => each?.stall && heard.sentAt > each.cutAt,
      );
      if (learning || (!reopens && !isShared && now - learnedAt < learnEvery)) return;
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
      await seat?.budget.refresh();
      const { value } = await bucket.readState(lane);
      if (isBelief(value)) known = value;
      await updateBucket();
    },
  };
}
