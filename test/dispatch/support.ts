/** Support of the stations' tests: real ledger, queue, bucket and service, and a clock that can be set forward. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import type { SimulatorOptions } from '../../simulator/settings.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import type { MaxCalls } from '../../src/base/config/keys.ts';
import type { HttpProxy } from '../../src/base/config/proxy.ts';
import { createLog } from '../../src/base/log.ts';
import { createJournal, type Journal } from '../../src/dispatch/disk/journal.ts';
import type { Scope } from '../../src/dispatch/scope.ts';
import { createStations, type StationOptions } from '../../src/dispatch/stations.ts';
import { createDialPermit, type DialPermit } from '../../src/dispatch/trust/dial-permit.ts';
import { createEngine } from '../../src/engine/engine.ts';
import { createLane, type Lane } from '../../src/lane/lane.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { bucketName, type Station } from '../../src/queues/job.ts';
import { createQueues } from '../../src/queues/queues.ts';
import { createVoiceClient } from '../../src/voice/client.ts';
import type { ServiceDescription } from '../../src/voice/description.ts';
import { standard } from '../../src/voice/load-service.ts';
import { optOutRules } from '../../src/voice/opt-out.ts';
import { describeProfile, type Profile } from '../../src/voice/profile.ts';
import { type CampaignWish, expectSound, openBooks } from '../ledger/support.ts';
import { seeded } from '../support/random.ts';
import { until } from '../support/until.ts';

export const log = createLog('silent');

/** The machine's own time, which a test can set forward. */
export type ShiftedClock = Clock & {
  shift(ms: number): void;
  /** The machine was suspended: the time of day has advanced, and the monotonic clock has not. */
  suspend(ms: number): void;
  /** The time of day stops here, so that times computed from it can be compared. */
  freeze(): void;
};

export function createShiftedClock(): ShiftedClock {
  let shifted = 0;
  let suspended = 0;
  let stood: number | null = null;
  return {
    now: () => (stood ?? systemClock.now()) + shifted + suspended,
    monotonic: () => systemClock.monotonic() + shifted,
    sleep: systemClock.sleep,
    shift(ms) {
      shifted += ms;
    },
    suspend(ms) {
      suspended += ms;
    },
    freeze() {
      stood = systemClock.now();
    },
  };
}

/** A time zone in which it is this full hour now: a test of windows must not depend on when it runs. */
export function zoneAt(hour: number, now: number): string {
  const ahead = ((hour - new Date(now).getUTCHours() + 35) % 24) - 11;
  // The names of these zones count westwards.
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

/** Holds the answers to creates back until they are released. */
export function delayAnswers(lane: Lane) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let answered = 0;
  const held =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
    async (...args: A) => {
      const answer = await ask(...args);
      answered += 1;
      await released;
      return answer;
    };
  const { create, send } = lane.client;
  const delayed: Lane = { ...lane, client: { ...lane.client, create: held(create), send: held(send) } };
  /** This many creates have reached the service, which has answered them. */
  const reached = (count: number) =>
    until(
      () => answered,
      (now) => now === count,
    );
  return { lane: delayed, reached, release };
}

/** Holds creates back after their commit; when they are released, the service has asked for a rest, and none leaves. */
export function delaySends(lane: Lane) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let tell = () => {};
  const reached = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const sendGate: Lane['sendGate'] = {
    ...lane.sendGate,
    async pass() {
      tell();
      await released;
      return { ok: false, restMs: 1 };
    },
  };
  return { lane: { ...lane, sendGate }, reached, release };
}

export type StageOptions = {
  simulator?: SimulatorOptions;
  keys?: string[];
  /** Requests a second, of all keys or of each; null is learned. */
  rate?: number | null | Record<string, number>;
  scope?: Partial<Scope>;
  /** Replaces the service's own address. */
  baseUrl?: string;
  /** The HTTP proxy through which requests to the service go. */
  proxy?: HttpProxy;
  profile?: Profile;
  /** Instead of the profile. */
  service?: ServiceDescription;
  timeoutMs?: number;
  permit?: Partial<DialPermit>;
  /** Instead of a folder of its own. */
  home?: string;
  journal?: Journal;
  /** A proxy between the stations and the ledger. */
  through?(ledger: Ledger): Ledger;
} & Partial<{ calls: MaxCalls } & Pick<StationOptions, 'deadlineMs' | 'requestTimeoutMs'>>;

export type Hall = Awaited<ReturnType<typeof openHall>>;
export type Stage = Awaited<ReturnType<Hall['stage']>>;

const seenUrls = new Set<string>();

/** A service that no earlier stage had: the system reuses free ports, and lanes belong to their URL. */
async function startUnseen(options: SimulatorOptions): Promise<Simulator> {
  const sim = await startSimulator(options);
  if (!seenUrls.has(sim.url)) {
    seenUrls.add(sim.url);
    return sim;
  }
  try {
    return await startUnseen(options);
  } finally {
    await sim.close();
  }
}

/** A file's database and engine; each test builds its own stage in it. */
export async function openHall() {
  const books = await openBooks();
  const engine = await createEngine({ databaseUrl: books.url, log });

  async function stage(options: StageOptions = {}) {
    const { keys = ['main'], rate = 1_000, profile = {}, timeoutMs = 5_000 } = options;
    const service = options.service ?? describeProfile(standard(), profile);
    const sim = await startUnseen({ rate: null, speed: 600, seed: 3, ...options.simulator });
    const baseUrl = options.baseUrl ?? sim.url;
    const home = options.home ?? mkdtempSync(join(tmpdir(), 'carillon-stage-'));
    const clock = createShiftedClock();
    const random = seeded(11);
    const house = books.house(baseUrl);
    const ledger = options.through?.(house.ledger) ?? house.ledger;
    const rows = await ledger.lanes.join(keys);
    const lanes = keys.map((name): Lane => {
      const row = rows.find((each) => each.name === name)!;
      return createLane({
        row,
        client: createVoiceClient({
          baseUrl,
          key: `secret-of-${name}`,
          timeoutMs,
          service,
          proxy: options.proxy,
          clock,
        }),
        tokens: engine.bucket,
        bucket: bucketName(baseUrl, name),
        rate: rate === null || typeof rate === 'number' ? rate : rate[name]!,
        burst: 1,
        calls: options.calls ?? null,
        keepsBeat: false,
        inFlight: () => ledger.lanes.inFlight(row.id),
        clock,
        random,
      });
    });
    const scope: Scope = { dialer: 'dialer-1', campaignId: null, runId: null, ...options.scope };
    const queues = createQueues(engine, scope.campaignId);
    const mark = await ledger.mark();
    const journal =
      options.journal ?? createJournal({ home, dialer: scope.dialer, ledger: mark, clock: systemClock, log });
    const stations = createStations({
      ledger,
      queues,
      scope,
      lanes,
      optOut: optOutRules(service.opt_out),
      pollSooner: ({ bucket, attempt, delayMs }) => queues.sooner(bucket, 'track', attempt, delayMs),
      stampKeys: service.stamp ?? null,
      baseUrl,
      home,
      journal,
      permit: {
        // The clock of these stations is set forward by tests: it is the ledger's too.
        ...createDialPermit({ ledger, file: null, clock, log }),
        trouble: () => null,
        heard: () => undefined,
        now: clock.now,
        ...options.permit,
      },
      requestTimeoutMs: options.requestTimeoutMs ?? timeoutMs,
      deadlineMs: options.deadlineMs ?? 3_600_000,
      pollSeconds: null,
      eventDays: 7,
      clock,
      random,
      log,
    });
    let nudges = 0;
    stations.onNudge(() => {
      nudges += 1;
    });
    const lane = lanes[0]!;
    const planOne = async (campaign: string, on = lane): Promise<string> => {
      const [id] = await house.planOn(on.id, campaign, 1);
      if (!id) throw new Error('nobody was due');
      return id;
    };
    const onePlanned = async (wish: CampaignWish = {}, on = lane) => {
      const campaign = await house.campaign({ people: 1, ...wish });
      return { campaign, id: await planOne(campaign, on) };
    };
    return {
      ...house,
      books,
      engine,
      sim,
      home,
      mark,
      journal,
      clock,
      lanes,
      lane,
      stations,
      scope,
      nudges: () => nudges,
      dial: (id: string, on = lane) => stations.dial(on, id),
      track: (id: string, on = lane) => stations.track(on, id),
      /** From now on these stations are those of a run of this campaign. */
      async runs(campaign: string, limit?: number): Promise<string> {
        scope.campaignId = campaign;
        scope.runId = randomUUID();
        if (!(await ledger.campaigns.take(campaign, scope.runId, limit))) throw new Error('it was canceled');
        return scope.runId;
      },
      /** Plans one person on the first key. */
      planOne,
      /** A campaign of one person, and the attempt that is planned for them. */
      onePlanned,
      /** The same, and the call is placed with the service. */
      async onePlaced(wish: CampaignWish = {}, on = lane) {
        const planned = await onePlanned(wish, on);
        expect(await stations.dial(on, planned.id)).toEqual({ kind: 'done' });
        return planned;
      },
      /** Polls until the call has ended. */
      follow: (id: string, on = lane) =>
        until(
          () => stations.track(on, id),
          (step) => step.kind === 'done',
        ),
      /** The attempts that have a job. */
      async jobs(station: Station, on = lane): Promise<string[]> {
        const found = await queues
          .queue(on.bucket, station)
          .getJobs(['waiting', 'delayed', 'prioritized', 'active']);
        return found.map((job) => job.data.attemptId).sort();
      },
      /** Creates that the service accepted. */
      created: () => sim.state().created,
      async close() {
        for (const each of lanes) each.pacer.stop();
        await Promise.all(lanes.map((each) => each.client.close()));
        await queues.close();
        await sim.close();
        journal.close();
        rmSync(home, { recursive: true, force: true });
      },
    };
  }

  return {
    books,
    engine,
    stage,
    /** Builds a stage for one piece of work, and always takes it down. */
    async with<T>(
      options: StageOptions,
      work: (built: Awaited<ReturnType<typeof stage>>) => Promise<T>,
    ): Promise<T> {
      const built = await stage(options);
      try {
        return await work(built);
      } finally {
        await built.close();
      }
    },
    async close() {
      await engine.close();
      await books.close();
    },
  };
}

/** A hall for all tests of a file: each test must leave a ledger in which the audit finds nothing. */
export async function shareHall(): Promise<Hall> {
  const hall = await openHall();
  afterEach(() => expectSound(hall.books));
  afterAll(() => hall.close());
  return hall;
}
