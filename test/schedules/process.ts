import { randomUUID } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { startLoop } from '../../src/base/loop.ts';
import { createSeal } from '../../src/base/seal.ts';
import { createJournal, noJournal } from '../../src/dispatch/disk/journal.ts';
import { createStations } from '../../src/dispatch/stations.ts';
import { createDialPermit } from '../../src/dispatch/trust/dial-permit.ts';
import { createLastSeen } from '../../src/dispatch/trust/last-seen.ts';
import { createLane, type Lane } from '../../src/lane/lane.ts';
import { type Ledger, ledgerOn } from '../../src/ledger/ledger.ts';
import { bucketName } from '../../src/queues/job.ts';
import { createQueues } from '../../src/queues/queues.ts';
import { startDialer, startTracker } from '../../workers/crew.ts';
import { loopsOf } from '../../workers/loops.ts';
import { createSimDatabase, type Seen, type Weather } from './database.ts';
import type { Broker } from './engine.ts';
import type { Plan } from './plan.ts';
import type { SimLedger } from './postgres.ts';
import type { Service } from './service.ts';
import type { Owner, World } from './world.ts';

/** A process of the product: its real stations, lanes and loops, on the simulated clock, ledger connection, queue and service. */
export const baseUrl = 'http://service.example/v1';

/** Every process of an installation has the same. */
const seal = createSeal('0123456789abcdef0123456789abcdef');

export type Process = Owner & {
  /** The machine was suspended, and its monotonic clock stood still so long. */
  stoodMs: number;
};

export type Stage = {
  world: World;
  books: SimLedger;
  broker: Broker;
  service: Service;
  plan: Plan;
  weather: Weather;
  seen: Seen;
  home: string;
  /** The ledger's own mark. */
  mark: string | null;
  log: Log;
  /** All trouble is over, and what was lost is confirmed. */
  isOver: boolean;
  /** The campaign that runs dial. */
  runs: string | null;
};

/** Nothing is lost any more, so that nothing is looked for. */
const calmBeatMs = 120_000;
const calmPlanMs = 20_000;

export function clockOf(world: World, owner: Process): Clock {
  const bootAt = world.now();
  return {
    now: () => world.now() + owner.skewMs,
    monotonic: () => world.now() - bootAt - owner.stoodMs,
    sleep: (ms, signal) => world.sleep(owner, Math.ceil(ms), signal),
  };
}

export function ledgerOf(stage: Stage, owner: Owner, direct = false): Ledger {
  const { world, books, weather, seen, plan } = stage;
  const database = createSimDatabase(world, books, owner, weather, seen, direct, plan.poisonMs !== null);
  return ledgerOn(database, baseUrl, () => seal);
}

/** `onEnd`: it could not start, because the ledger was away. */
export function startProcess(stage: Stage, name: string, skewMs: number, onEnd: () => void): Process {
  const owner: Process = { name, alive: true, sleepsUntil: 0, skewMs, stoodMs: 0 };
  run(stage, owner).catch((error: Error) => {
    stage.world.note(owner, `could not start: ${error.message}`);
    owner.alive = false;
    onEnd();
  });
  return owner;
}

/** A killed process closes nothing here: its journals would stay open from schedule to schedule. */
const journals: { close(): void }[] = [];
export function closeJournals(): void {
  for (const journal of journals.splice(0)) journal.close();
}

async function run(stage: Stage, owner: Process): Promise<void> {
  const { world, plan, log } = stage;
  const clock = clockOf(world, owner);
  const ledger = ledgerOf(stage, owner);
  // The cost of a look at the history is spent where there is one that may be lost.
  const lastSeen = plan.history ? createLastSeen({ ledger, home: stage.home, clock, log }) : undefined;
  await lastSeen?.begin();
  const permit = createDialPermit({ ledger, file: null, ...(lastSeen && { lastSeen }), clock, log });
  const journal = plan.notes
    ? createJournal({ home: stage.home, dialer: owner.name, ledger: stage.mark, clock, log })
    : noJournal;
  journals.push(journal);
  const engine = stage.broker.engineOf(owner, clock, permit.aheadMs);
  await permit.refresh();
  const rows = await ledger.lanes.join(plan.keys);
  const lanes = plan.keys.map((key): Lane => {
    const row = rows.find((each) => each.name === key)!;
    return createLane({
      row,
      client: stage.service.clientOf(owner, key, plan.timeoutMs),
      tokens: engine.bucket,
      bucket: bucketName(baseUrl, key),
      rate: plan.rate,
      burst: 1,
      calls: plan.laneCap === null ? null : { most: plan.laneCap, inbound: 0 },
      keepsBeat: plan.pollSeconds !== null,
      inFlight: () => ledger.lanes.inFlight(row.id),
      clock,
      random: world.random,
    });
  });
  const runId = stage.runs && randomUUID();
  // What is left over when all is calm is called without a limit.
  if (stage.runs && runId)
    await ledger.campaigns.take(stage.runs, runId, stage.isOver ? null : Math.ceil(world.random() * 3));
  const scope = { dialer: owner.name, campaignId: stage.runs, runId };
  const queues = createQueues(engine, stage.runs);
  const stations = createStations({
    ledger,
    queues,
    scope,
    lanes,
    optOut: [],
    pollSooner: ({ bucket, attempt, delayMs }) => queues.sooner(bucket, 'track', attempt, delayMs),
    stampKeys: null,
    baseUrl,
    home: stage.home,
    journal,
    permit,
    requestTimeoutMs: plan.timeoutMs,
    deadlineMs: plan.deadlineMs,
    pollSeconds: plan.pollSeconds,
    eventDays: 7,
    clock,
    random: world.random,
    log,
  });
  const deps = { engine, clock, log, concurrency: 20 };
  const { beats } = plan;
  const loopNamed = (name: string) => loopsOf(stations, deps).find((loop) => loop.name === name)!;
  startLoop({ ...deps, ...loopNamed('reconciler'), everyMs: beats.reconcile });
  if (plan.promise !== null) startLoop({ ...deps, ...loopNamed('looker') });
  startLoop({ ...deps, ...loopNamed('poll times') });
  startTracker(stations, deps);
  startDialer(stations, deps);
  const planner = startLoop({
    ...deps,
    name: 'planner',
    everyMs: beats.plan,
    restMs: 50,
    async work() {
      const probeMs = await stations.probe();
      await stations.plan();
      const restMs = stage.isOver ? Math.max(beats.plan, calmPlanMs) : beats.plan;
      return Math.min(restMs, probeMs ?? restMs);
    },
  });
  stations.onNudge(() => planner.nudge());
  let updates = 0;
  startLoop({
    ...deps,
    name: 'lane-updater',
    everyMs: beats.updateLanes,
    async work() {
      // It has just looked at all but the history.
      updates += 1;
      if (updates === 1 && !plan.history) return beats.updateLanes * world.random();
      await stations.updateLanes();
      return stage.isOver ? calmBeatMs : beats.updateLanes;
    },
  });
  // These have nothing to do in most schedules, and an idle round costs as much as a call.
  if (
    plan.acts === 0 &&
    plan.policy === null &&
    !plan.campaigns.some(({ order }) => order.stopAt || order.first)
  )
    return;
  let rounds = 0;
  startLoop({
    ...deps,
    name: 'sweeper',
    everyMs: beats.sweep,
    async work() {
      // Most processes end before there is something to sweep.
      rounds += 1;
      if (rounds === 1) return beats.sweep * (0.2 + 0.8 * world.random());
      await stations.sweep();
      await stations.brake();
      await stations.hangUp();
      return beats.sweep;
    },
  });
}
