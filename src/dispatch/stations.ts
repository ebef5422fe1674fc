import { type Asides, createAsides } from '../base/asides.ts';
import type { Rest } from '../base/at-rest.ts';
import { patienceFor } from '../base/batch.ts';
import type { Clock, Random } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { createMeters, type Meters } from '../base/metrics/meters.ts';
import type { OpenSpan } from '../base/spans.ts';
import { createWakes } from '../lane/awake-lanes.ts';
import type { Lane } from '../lane/lane.ts';
import { createPollTimes } from '../lane/poll-times.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { drop } from '../queues/job.ts';
import type { Queues } from '../queues/queues.ts';
import type { OptOutRule } from '../voice/opt-out.ts';
import { createAnswerRecorder } from './create-answer.ts';
import { createDial } from './dial.ts';
import { createFreeUnsent } from './disk/free-unsent.ts';
import type { Journal } from './disk/journal.ts';
import { openSpool } from './disk/spool.ts';
import { createHangUp, type PollSooner } from './hang-up.ts';
import { createBrake, createNumberWatch } from './health/brake.ts';
import { createBreaker, handOver } from './health/breaker.ts';
import { createProbe } from './health/probe.ts';
import { createUpdateLanes } from './health/update-lanes.ts';
import { createLateFields } from './late-fields.ts';
import { createLook } from './look.ts';
import { createPlan } from './plan.ts';
import { createReconcile } from './reconcile.ts';
import { createRefresh } from './refresh.ts';
import { createSample } from './sample.ts';
import type { Scope } from './scope.ts';
import { createSettler } from './settle.ts';
import { asJob, type JobTurn } from './spans.ts';
import { createStamp } from './stamp.ts';
import { createSweep } from './sweep.ts';
import { createTrace } from './trace.ts';
import { createTrack } from './track.ts';
import type { DialPermit } from './trust/dial-permit.ts';

/** All stations of one scope, built on the same ledger, queues and lanes. */
export type Stations = ReturnType<typeof createStations>;

export type StationOptions = {
  ledger: Ledger;
  queues: Queues;
  scope: Scope;
  lanes: readonly Lane[];
  /** The places in the service's records that say that a person wants no more calls. */
  optOut: readonly OptOutRule[];
  pollSooner: PollSooner;
  /** The keys of a call's metadata under which campaign and attempt are written. */
  stampKeys: { campaign?: string | undefined; attempt?: string | undefined } | null;
  baseUrl: string;
  home: string;
  /** The file in which this process notes its creates. */
  journal: Journal;
  permit: DialPermit;
  requestTimeoutMs: number;
  deadlineMs: number;
  /** The fixed interval at which a call is polled; null learns when to poll. */
  pollSeconds: number | null;
  /** Whether a key without credit is asked only once, when the process starts. */
  asksOnce?: boolean | undefined;
  eventDays: number;
  /** How long data about people is kept; null is as the ledger says. */
  keepDays?: number | null;
  clock: Clock;
  random: Random;
  log: Log;
  /** The counters of the process; nobody reads them by default. */
  meters?: Meters;
  /** Those of the process; without them, of these stations alone. */
  asides?: Asides | undefined;
  /** Notified while there is work. */
  rest?: Rest | undefined;
};

export function createStations(options: StationOptions) {
  const { ledger, scope } = options;
  const nudges = createSignal();
  const losses = createSignal();
  const lateFields = createLateFields(options);
  const { permit } = options;
  // Times that are written to the ledger or read from it are the ledger's.
  const clock: Clock = { ...options.clock, now: permit.now };
  const wakes = createWakes({ lanes: () => options.lanes, tell: ledger.db.wake, clock });
  const queues = wakingQueues(options.queues, wakes.added);
  const common = {
    ...options,
    queues,
    wakes,
    clock,
    meters: options.meters ?? createMeters(),
    asides: options.asides ?? createAsides(options),
    lateFields,
    lanes: () => options.lanes,
    nudge: nudges.tell,
    pollTimes: createPollTimes({
      fixedSeconds: options.pollSeconds,
      random: options.random,
      store: ledger.ageCounts,
      log: options.log,
    }),
    unsent: createFreeUnsent(options),
    trace: createTrace({ ledger, clock }),
    spool: openSpool({ ...options, dialer: scope.dialer }),
    stamp: createStamp(options),
    settler: createSettler({ ledger, lateFields, clock, optOut: options.optOut }),
  };
  const planner = createPlan(common);
  const updateLanes = createUpdateLanes(common);
  // These two also distinguish the ledger's time from this machine's.
  const own = { ...common, clock: options.clock };
  const breaker = createBreaker(common);
  const recorder = createAnswerRecorder({ ...common, breaker });
  const dial = createDial({ ...own, recorder });
  const track = createTrack({ ...own, breaker });
  const reconcile = createReconcile(common);
  /** The longer a job waited for its turn, the longer it may wait for others. */
  const turnOf = (span: OpenSpan, madeAt = clock.now()): JobTurn => ({
    span,
    patienceMs: patienceFor(clock.now() - madeAt),
  });
  const isFit = () => permit.trouble() === null && common.spool.trouble() === null;
  const fit = createWatch(isFit);
  return {
    scope,
    queues,
    lanes: common.lanes,
    wakes,
    asides: common.asides,
    /** Something has changed, so it is worth planning at once. */
    nudge: nudges.tell,
    onNudge: nudges.hear,
    /** An attempt has lost its job: the next round adds jobs for those that have none. */
    adrift() {
      reconcile.lost();
      losses.tell();
    },
    onAdrift: losses.hear,
    /** Whether this process may dial, and calls back when that changes. */
    isFit,
    onFit: fit.onChange,
    async dial(lane: Lane, id: string, madeAt?: number) {
      await permit.fresh();
      fit.look();
      if (!lane.leaving)
        return asJob('dial', lane, id, (span) => dial(lane, id, madeAt, turnOf(span, madeAt)));
      await handOver(common, lane);
      return drop('its key is no longer here');
    },
    track: (lane: Lane, id: string, madeAt?: number) =>
      asJob('track', lane, id, (span) => track(lane, id, turnOf(span, madeAt))),
    plan: planner.round,
    someoneWaits: planner.someoneWaits,
    probe: createProbe({ ...common, breaker }),
    async updateLanes() {
      const isBusy = await updateLanes();
      fit.look();
      return isBusy;
    },
    reconcile,
    refresh: createRefresh(common),
    look: createLook({ ...own, recorder }),
    hangUp: createHangUp(common),
    sweep: createSweep({ ...common, keepDays: options.keepDays ?? null }),
    sample: createSample(common),
    brake: createBrake(common),
    watchNumbers: createNumberWatch(options),
    keepPollTimes: common.pollTimes.keep,
    keepTraces: common.trace.flush,
  };
}

/** Wakes a lane when work is added to it. */
function wakingQueues(queues: Queues, added: (bucket: string) => void): Queues {
  return {
    ...queues,
    async add(bucket, station, attemptIds) {
      if (attemptIds.length === 0) return;
      added(bucket);
      await queues.add(bucket, station, attemptIds);
    },
    addLater(bucket, station, attemptId, delayMs) {
      added(bucket);
      return queues.addLater(bucket, station, attemptId, delayMs);
    },
    sooner(bucket, station, attemptId, delayMs) {
      added(bucket);
      return queues.sooner(bucket, station, attemptId, delayMs);
    },
  };
}

function createSignal() {
  const listeners: (() => void)[] = [];
  return {
    tell() {
      for (const listener of listeners) listener();
    },
    hear(listener: () => void) {
      listeners.push(listener);
    },
  };
}

/** Notifies listeners when an answer changes. */
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
    /** A listener that comes late is told the current answer, unless it is yes. */
    onChange(listener: (answer: boolean) => void) {
      listeners.push(listener);
      if (!last) listener(false);
    },
  };
}
