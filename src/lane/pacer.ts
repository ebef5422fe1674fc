import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/clock.ts';
import type { Bucket } from '../engine/bucket.ts';
import type { Kind, LanePace } from './lane-pace.ts';
import type { SecondCap } from './per-second-cap.ts';

/**
 * Hands one process's share of a lane's tokens to its jobs: calls to hang up first, then due polls; creates get the rest.
 * A question of a person (`ask`) takes what nobody else wants.
 */
export type TokenKind = Kind | 'hang-up' | 'ask';

export type Grant =
  /** Leave at `due` (monotonic ms), through the send gate: a token may be handed out a little before its time. */
  { ok: true; due: number; kind: TokenKind; handedAt: number } | { ok: false; restMs: number };
export type Token = Grant & { ok: true };

export type Pacer = {
  /** Waits for a token; `ok: false` when the lane rests so long that the job should return to its queue, or at the signal. */
  take(kind: TokenKind, signal?: AbortSignal): Promise<Grant>;
  /** How many wait for a token now: of one kind, or of all. */
  waiting(kind?: TokenKind): number;
  /** Most recent requests had to wait for their tokens: a token spent here is missing elsewhere. */
  isScarce(): boolean;
  /** The service asked to wait: tokens that were leased before are forfeited. */
  pause(ms: number): void;
  /** The same for creates, if they have a limit of their own. */
  pauseCreates(ms: number): void;
  /** How long the service still wants the lane to rest; checked last before a request leaves. */
  restsMs(): number;
  /** There are too many calls at once: creates rest for a while, longer each time; polls continue. */
  full(): void;
  /** A call has ended: there may be room for a create again. */
  free(): void;
  /** Notes how long it took from a token until its request could leave. */
  note(tookMs: number): void;
  /** Sends all waiting jobs back to their queue, and hands out no more tokens. */
  stop(): void;
};

export type PacerDeps = {
  bucket: Bucket;
  lane: string;
  /** The bucket's name while the lane shares one with others. */
  tokens?: () => string;
  /** Waits for the lane's turn at a shared bucket; call the function to let the next one go. */
  turn?: () => Promise<() => void> | null;
  pace(): Pick<LanePace, 'rate' | 'burst'> & Partial<LanePace>;
  /** The creates' own pace, if they have one: then each needs a token of `createsLane` first. */
  createPace?: () => LanePace | null;
  createsLane?: string;
  /** The owner has fixed the beat of the polls: no price delays them, and creates get the tokens that are left. */
  keepsBeat?: boolean;
  /** Requests pass it after their tokens. It lets a little less through than the bucket, so jobs wait for it here. */
  secondCap?: Pick<SecondCap, 'crowd'>;
  clock: Clock;
};

/** A job that would wait longer than this goes back to its queue. */
const patienceMs = 2_000;
/** A token later than this is forfeited: a process that was suspended must not send a burst. */
const slackMs = 100;
/** A token is handed out at most this long before its time: a commit comes between it and its request. */
const mostLeadMs = 250;
/** When both wait, at least this share of the tokens goes to creates. */
const createShare = 0.2;
/** The same when the polls keep a beat: each further call would make all of them later than the owner wants. */
const beatCreateShare = 0.05;
/** While others wait, at most one token in so many goes to a question of a person, and not sooner than the time below. */
const askEvery = 20;
const leastAskMs = 1_000;
/** A longer wait for a token means scarcity; a shorter one is the round trip to the bucket. */
const scarceMs = 50;
const crowdLookMs = 250;
const leastFullMs = 250;
const mostFullMs = 4_000;

type Waiter = { askedAt: number; tell: (grant: Grant) => void };

export function createPacer(deps: PacerDeps): Pacer {
  const { bucket, lane, clock } = deps;
  const lines: Record<TokenKind, Waiter[]> = { create: [], poll: [], 'hang-up': [], ask: [] };
  let askedAt = Number.NEGATIVE_INFINITY;
  let owed = 0;
  let scarcity = 0;
  let pumping = false;
  let promised = 0;
  let leaseAt = 0;
  let restUntil = 0;
  let createsRestUntil = 0;
  let fullUntil = 0;
  let fullMs = leastFullMs;
  let leadMs = 0;
  const stopped = new AbortController();
  // A fast lane has many tokens pending at a time.
  setMaxListeners(0, stopped.signal);

  const waiting = (kind?: TokenKind) =>
    kind ? lines[kind].length : Object.values(lines).reduce((sum, line) => sum + line.length, 0);

  /** A question has waited long enough, and so has everyone since the last one. */
  const isAskDue = (): boolean => {
    const since = Math.max(lines.ask[0]?.askedAt ?? Number.POSITIVE_INFINITY, askedAt);
    const gapMs = Math.max(leastAskMs, (askEvery * 1_000) / deps.pace().rate);
    return clock.monotonic() - since >= gapMs;
  };

  /**
   * A poll is planned for the time at which it is worth most, and a call needs several: taking turns with creates would
   * make them later and later. Their price keeps them few enough; if it fails, creates still get this share.
   */
  const choose = (): TokenKind => {
    if (lines['hang-up'].length > 0) return 'hang-up';
    if (lines.ask.length > 0 && (waiting() === lines.ask.length || isAskDue())) return 'ask';
    if (lines.create.length === 0) return 'poll';
    if (lines.poll.length === 0) return 'create';
    owed += deps.keepsBeat ? beatCreateShare : createShare;
    if (owed < 1) return 'poll';
    owed -= 1;
    return 'create';
  };

  const hand = (due: number) => {
    promised -= 1;
    const now = clock.monotonic();
    if (now < restUntil) return void pump();
    const kind = choose();
    const waiter = lines[kind].shift();
    if (!waiter) return;
    if (kind === 'ask') askedAt = now;
    const waited = Math.max(now, due) - waiter.askedAt > scarceMs ? 1 : 0;
    scarcity += (waited - scarcity) * 0.05;
    waiter.tell({ ok: true, due, kind, handedAt: now });
  };

  const dismiss = (restMs: number, kinds: readonly TokenKind[] = ['create', 'poll', 'hang-up', 'ask']) => {
    for (const kind of kinds) for (const { tell } of lines[kind].splice(0)) tell({ ok: false, restMs });
  };

  /** Keeps as many of each kind as tokens have been granted: with nobody left to take it, a token is wasted. */
  const dismissRest = (restMs: number) => {
    for (const line of Object.values(lines))
      for (const { tell } of line.splice(promised)) tell({ ok: false, restMs });
  };

  /** Hands out the tokens of one lease at their times; overdue ones are forfeited. */
  const schedule = (delays: number[], from: number) => {
    for (const delay of delays) {
      promised += 1;
      const early = delay - leadMs - (clock.monotonic() - from);
      if (early <= 1) hand(from + delay);
      else void handAt(early, from + delay);
    }
  };

  /** Does not reject: it only sleeps, and tells who waits. */
  const handAt = async (delay: number, due: number) => {
    await clock.sleep(delay, stopped.signal);
    if (clock.monotonic() - due <= slackMs) return hand(due);
    promised -= 1;
    await pump();
  };

  /** Whether tokens may be leased now. It waits while the lane rests or the second is full, and then answers false. */
  const isClear = async (): Promise<boolean> => {
    const restMs = restUntil - clock.monotonic();
    const pauseMs = Math.max(restMs, leaseAt - clock.monotonic());
    const crowd = pauseMs > 0 ? null : deps.secondCap?.crowd();
    if (restMs > patienceMs) dismiss(restMs);
    else if (pauseMs > 0) await clock.sleep(Math.ceil(pauseMs), stopped.signal);
    else if (crowd) await Promise.race([crowd, clock.sleep(crowdLookMs, stopped.signal)]);
    else return true;
    return false;
  };

  /** How many tokens to lease now, how far ahead, and how long to wait at least when there is none. */
  const nextLease = ({ rate, probing }: ReturnType<PacerDeps['pace']>) => {
    // Other processes' jobs wait for tokens too: a question takes one that is free now, until it is its turn.
    if (waiting() === lines.ask.length && !isAskDue()) return { want: 1, horizonMs: 0, leastMs: 25 };
    const want = Math.min(waiting() - promised, Math.max(1, Math.ceil(rate / 5)));
    // A stalled lane leases one token at a time: more would keep their long gaps when it opens.
    const horizonMs = probing ? leadMs : Math.max(250, 1_500 / rate) + leadMs;
    return { want, horizonMs, leastMs: 1 };
  };

  /** Leases tokens for their times, which count from 20 ms before the answer or less; false when there is none. */
  const lease = async (): Promise<boolean> => {
    const pace = deps.pace();
    const { want, horizonMs, leastMs } = nextLease(pace);
    const asked = clock.monotonic();
    const { delays, waitMs } = await bucket.take(deps.tokens?.() ?? lane, want, horizonMs, pace);
    const from = Math.max(asked, clock.monotonic() - 20);
    schedule(delays, from);
    if (delays.length === 0 && waitMs > patienceMs) dismissRest(waitMs);
    // No more may be leased as far ahead: once half of these are spent, several are leased at once.
    const pauseMs = Math.max(delays.length > 0 ? 0 : waitMs, (promised * 500) / pace.rate);
    if (delays.length < want) leaseAt = from + Math.max(leastMs, Math.min(250, pauseMs));
    return delays.length > 0;
  };

  /** Does not reject: when the engine is away, those who wait are told. */
  const pump = async () => {
    if (pumping) return;
    pumping = true;
    let endTurn: (() => void) | null = null;
    try {
      while (waiting() > promised && !stopped.signal.aborted) {
        if (!(await isClear())) continue;
        const turn: Promise<() => void> | null | undefined = endTurn ? null : deps.turn?.();
        if (turn) {
          endTurn = await turn;
          continue;
        }
        if (!(await lease())) continue;
        endTurn?.();
        endTurn = null;
      }
    } catch {
      // The engine is away: no job gets a token, and all come back in a second.
      dismiss(1_000);
    } finally {
      endTurn?.();
      pumping = false;
    }
  };

  /** How long a job should rest instead of waiting in line; 0 when it may wait. */
  const refusesFor = (kind: TokenKind): number => {
    if (stopped.signal.aborted) return 1_000;
    return kind === 'create' ? Math.max(0, Math.max(fullUntil, createsRestUntil) - clock.monotonic()) : 0;
  };

  /** Waits for a token of the creates, if they have a limit of their own; or how long the job should rest instead. */
  const takeOwn = async (): Promise<number> => {
    const pace = deps.createPace?.();
    if (!pace || !deps.createsLane) return 0;
    try {
      const { delays, waitMs } = await bucket.take(deps.createsLane, 1, patienceMs, pace);
      if (delays.length === 0) return Math.max(1, waitMs);
      await clock.sleep(delays[0]!, stopped.signal);
      return 0;
    } catch {
      return 1_000;
    }
  };

  return {
    async take(kind, signal) {
      // While one waits for its own token, the creates may be told to rest.
      const restMs = refusesFor(kind) || (kind === 'create' ? (await takeOwn()) || refusesFor(kind) : 0);
      if (restMs > 0) return { ok: false, restMs };
      return new Promise((resolve) => {
        const leave = () => {
          const at = lines[kind].indexOf(waiter);
          if (at >= 0) lines[kind].splice(at, 1);
          resolve({ ok: false, restMs: 0 });
        };
        const waiter: Waiter = {
          askedAt: clock.monotonic(),
          tell(grant) {
            signal?.removeEventListener('abort', leave);
            resolve(grant);
          },
        };
        if (signal?.aborted) return leave();
        signal?.addEventListener('abort', leave, { once: true });
        lines[kind].push(waiter);
        void pump();
      });
    },
    waiting,
    isScarce: () => scarcity > 0.5 || restUntil > clock.monotonic(),
    restsMs: () => Math.max(0, restUntil - clock.monotonic()),
    pause(ms) {
      restUntil = Math.max(restUntil, clock.monotonic() + ms);
    },
    pauseCreates(ms) {
      createsRestUntil = Math.max(createsRestUntil, clock.monotonic() + ms);
    },
    full() {
      const now = clock.monotonic();
      if (now < fullUntil) return;
      fullUntil = now + fullMs;
      dismiss(fullMs, ['create']);
      fullMs = Math.min(mostFullMs, fullMs * 2);
    },
    free() {
      fullUntil = 0;
      fullMs = leastFullMs;
    },
    note(tookMs) {
      // Twice the mean: most requests are ready in time, and the lead stays short.
      leadMs = Math.min(mostLeadMs, leadMs * 0.9 + 0.2 * Math.max(0, tookMs));
    },
    stop() {
      stopped.abort();
      dismiss(1_000);
    },
  };
}
