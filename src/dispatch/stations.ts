import type { Clock, Random } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createMeters, type Meters } from '../base/meters.ts';
import type { Lane } from '../lane/lane.ts';
import { createPollTimes } from '../lane/poll-times.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Queues } from '../queues/queues.ts';
import type { Step } from '../queues/step.ts';
import type { OptOutRule } from '../voice/opt-out.ts';
import { createBrake } from './brake.ts';
import { createBreaker } from './breaker.ts';
import { createDial } from './dial.ts';
import { eraseDue } from './erasure.ts';
import type { Fitness } from './fitness.ts';
import { createHangUp, type PollSooner } from './hang-up.ts';
import type { Journal } from './journal.ts';
import { createLateFields } from './lateness.ts';
import { createPlan } from './plan.ts';
import { createProbe } from './probe.ts';
import { createReconcile } from './reconcile.ts';
import { createRecorder } from './record.ts';
import { createRefresh } from './refresh.ts';
import { reopenPeople } from './reopen.ts';
import { createSample } from './sample.ts';
import type { Scope } from './scope.ts';
import { createSettler } from './settle.ts';
import { openSpool } from './spool.ts';
import { createStamp } from './stamp.ts';
import { createSurvey } from './survey.ts';
import { createTrack } from './track.ts';
import { createUnsent } from './unsent.ts';

/** All stations of one scope, built on the same ledger, queues and lanes. */
export type Stations = {
  scope: Scope;
  queues: Queues;
  lanes(): readonly Lane[];
  /** Updates each lane's pace, backlog and poll price. */
  survey(): Promise<boolean>;
  plan(): Promise<number>;
  /** Whether someone who was due was not planned in the last round, or more may be due. */
  someoneWaits(): boolean;
  /** Sends the probes that are due; returns the milliseconds until the next one, or null. */
  probe(): Promise<number | null>;
  /** `plannedAt`: when its job was made. */
  dial(lane: Lane, attemptId: string, plannedAt?: number): Promise<Step>;
  track(lane: Lane, attemptId: string): Promise<Step>;
  /** Keeps what was learned of how long calls last. */
  keepPollTimes(): Promise<void>;
  /** Asks again for incomplete records while a lane is idle; returns the milliseconds until more are due, or null. */
  refresh(): Promise<number | null>;
  /** Hangs up calls that are due for it; returns whether there were any. */
  hangUp(): Promise<boolean>;
  /**
   * Frees people for whom an order allows more attempts or whom older contact rules hold, skips some rows of canceled
   * campaigns, removes old events and old points of series, and erases what is too old; returns whether there may be more of
   * these. Erasures that waited are ended, too.
   */
  sweep(): Promise<boolean>;
  /** Writes what this process saw of its lanes and campaigns to the series. */
  sample(): Promise<void>;
  /** Pauses campaigns that stop by themselves. */
  brake(): Promise<void>;
  /** Whether this process may dial. */
  isFit(): boolean;
  /** Called when that changes. */
  onFit(listener: (isFit: boolean) => void): void;
  reconcile: { start(): Promise<void>; round(gone?: boolean): Promise<void> };
  /** Something has changed: planning at once is worthwhile. */
  nudge(): void;
  /** Called then. */
  onNudge(listener: () => void): void;
  /** An attempt has lost its job. */
  adrift(): void;
  /** Adds jobs for attempts that have none. */
  onAdrift(listener: () => void): void;
};

export type StationOptions = {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  lanes: readonly Lane[];
  outcomeOf(status: string | null | undefined): string | null;
  /** Where the service's records say that a person wants no more calls. */
  optOut: readonly OptOutRule[];
  /** What the profile sends to cancel a call. */
  cancelBody(): Record<string, unknown>;
  pollSooner: PollSooner;
  stampOf(ids: { campaign: string; attempt: string }): Record<string, unknown> | null;
  baseUrl: string;
  home: string;
  /** Where this process notes its creates. */
  journal: Journal;
  fitness: Fitness;
  laneCap: number | null;
  requestTimeoutMs: number;
  deadlineMs: number;
  /** The fixed interval at which a call is polled; null learns when to poll. */
  pollSeconds: number | null;
  /** Ends the planning after this many calls of the campaign. */
  callCap: number | null;
  /** Whether a key without credit is asked only once, when the process starts. */
  asksOnce?: boolean | undefined;
  /** How long events are kept. */
  eventDays: number;
  /** How long what is known of people is kept; null is for ever. */
  keepDays?: number | null;
  clock: Clock;
  random: Random;
  log: Log;
  /** What the process counts; by default nobody reads it. */
  meters?: Meters;
};

export function createStations(options: StationOptions): Stations {
  const { ledger, queues, scope, callCap } = options;
  const listeners: (() => void)[] = [];
  const finders: (() => void)[] = [];
  const lateFields = createLateFields(options);
  const { fitness } = options;
  // What is told to the ledger or read from it is in its time.
  const clock: Clock = { ...options.clock, now: fitness.now };
  const common = {
    ...options,
    clock,
    meters: options.meters ?? createMeters(),
    lateFields,
    lanes: () => options.lanes,
    nudge: () => {
      for (const listener of listeners) listener();
    },
    pollTimes: createPollTimes({
      fixedSeconds: options.pollSeconds,
      random: options.random,
      store: ledger.lengths,
      log: options.log,
    }),
    unsent: createUnsent(options),
    spool: openSpool({ ...options, dialer: scope.dialer }),
    stamp: createStamp(options),
    settler: createSettler({ ledger, lateFields, clock, optOut: options.optOut }),
    quota: async () =>
      callCap !== null && scope.campaignId
        ? callCap - callsOf(await ledger.attempts.calls(scope.campaignId))
        : null,
  };
  const planner = createPlan(common);
  const survey = createSurvey(common);
  // These two also tell the ledger's time from this machine's.
  const own = { ...common, clock: options.clock };
  const breaker = createBreaker(common);
  const recorder = createRecorder({ ...common, breaker });
  const dial = createDial({ ...own, recorder });
  const isFit = () => fitness.trouble() === null && common.spool.trouble() === null;
  const watch = createWatch(isFit);
  return {
    scope,
    queues,
    lanes: common.lanes,
    async survey() {
      const isBusy = await survey();
      watch.look();
      return isBusy;
    },
    plan: planner.round,
    someoneWaits: planner.someoneWaits,
    probe: createProbe({ ...common, breaker }),
    dial(...order) {
      watch.look();
      return dial(...order);
    },
    track: createTrack(own),
    keepPollTimes: common.pollTimes.keep,
    refresh: createRefresh(common),
    hangUp: createHangUp(common),
    async sweep() {
      for (const id of await ledger.campaigns.toReopen(options.baseUrl)) await reopenPeople(ledger, id);
      const { policies, campaigns, events, series } = ledger;
      const more = [
        await campaigns.sweep(options.baseUrl),
        await policies.freeHeld(),
        await policies.prune(),
        await events.tidy(options.eventDays * 86_400),
        await series.forget(),
        await eraseDue({ ledger, keepDays: options.keepDays ?? null }),
      ];
      return more.includes(true);
    },
    sample: createSample(common),
    brake: createBrake(options),
    isFit,
    onFit: watch.onChange,
    reconcile: createReconcile(common),
    nudge: common.nudge,
    onNudge: (listener) => {
      listeners.push(listener);
    },
    adrift: () => {
      for (const find of finders) find();
    },
    onAdrift: (listener) => {
      finders.push(listener);
    },
  };
}

/** Tells those who listen when an answer changes. */
function createWatch(ask: () => boolean) {
  const listeners: ((answer: boolean) => void)[] = [];
  let last = true;
  return {
    look() {
      const answer = ask();
      if (answer === last) return;
      last = answer;
      for (const listener of listeners) listener(answer);
    },
    /** A listener that comes late learns what the others know, unless it is yes. */
    onChange(listener: (answer: boolean) => void) {
      listeners.push(listener);
      if (!last) listener(false);
    },
  };
}

function callsOf({ made, planned }: { made: number; planned: number }): number {
  return made + planned;
}
