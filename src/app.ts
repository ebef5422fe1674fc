import type { Rest } from './base/at-rest.ts';
import { patienceFor } from './base/batch.ts';
import type { Clock } from './base/clock.ts';
import type { Config } from './base/config/config.ts';
import { tellFigures } from './base/metrics/meter-bridge.ts';
import { createMeters, type Meters } from './base/metrics/meters.ts';
import { createListener, type Listener } from './base/postgres/listener.ts';
import { sampleAttempts, sdk } from './base/spans.ts';
import { createRounds, type Rounds } from './base/stuck-loops.ts';
import { readLastBackup } from './control/ledger/backup.ts';
import type { ServiceAccess } from './control/service/access.ts';
import { createJournal } from './dispatch/disk/journal.ts';
import type { Scope } from './dispatch/scope.ts';
import { createStations, type Stations } from './dispatch/stations.ts';
import { createEngine, type Engine } from './engine/engine.ts';
import type { Lane } from './lane/lane.ts';
import { type LedgerOnly, type OpenDeps, openLedgerOnly, stopMs, withoutKeys } from './ledger-only.ts';
import { openLanes } from './open-lanes.ts';
import { createQueues } from './queues/queues.ts';
import { requireService } from './voice/clients.ts';
import { optOutRules } from './voice/opt-out.ts';

/** Builds everything from the settings, and closes it again. */
export type App = LedgerOnly & {
  baseUrl: string;
  engine: Engine;
  /** Hears the notices of the ledger's Postgres. */
  listener: Listener;
  /** When each loop of this process last ended a round. */
  rounds: Rounds;
  /** The counters of this process. */
  meters: Meters;
  /** Its keys in the order of the settings; they may come and go while it runs. */
  lanes: readonly Lane[];
  stations(scope: Scope, options?: StationChoices): Stations;
  /** The voice service as the verbs of control/ use it. */
  service(choices: ServiceChoices): ServiceAccess;
};

type ServiceChoices = Pick<ServiceAccess, 'note' | 'patienceMs'> & {
  /** The stations whose queues take the jobs; by default those of the background workers. */
  stations?: Pick<Stations, 'queues' | 'hangUp'>;
};

type StationChoices = {
  /** Whether a key without credit is asked only once, when the stations start. */
  asksOnce?: boolean;
  /** Set for a process that may have nothing to do. */
  rest?: Rest;
};

/** Opens everything that dialling needs. */
export async function openApp(config: Config, deps: OpenDeps): Promise<App> {
  const baseUrl = requireService(config);
  const base = await openLedgerOnly(config, deps);
  const { lifecycle, ledger, clock, log } = base;
  const { description } = base.described;
  lifecycle.add(sdk);
  sampleAttempts(config.traceShare);
  try {
    const mark = await ledger.mark();
    const onLost = (error: Error) => log.warn({ err: error.message }, 'the connection for notices was lost');
    const listener = lifecycle.add(createListener({ url: base.ledgerUrl, complain: onLost }));
    const engine = lifecycle.add(
      await createEngine({
        redisUrl: config.redisUrl,
        databaseUrl: base.ledgerUrl,
        ledger: mark,
        log,
        aheadMs: base.permit.aheadMs,
        listener,
      }),
    );
    const findings = [...(await ledger.findings()), ...(await engine.findings())];
    for (const finding of new Set(findings)) log.warn(finding);
    // Processes tell each other about a key in the ledger's time.
    const ledgerClock: Clock = { ...clock, now: base.permit.now };
    const meters = createMeters();
    const crew = await openLanes({ ...base, clock: ledgerClock, meters, engine, baseUrl });
    lifecycle.add(crew);
    const { lanes } = crew;
    const { dialer } = base;
    const rounds = lifecycle.add(createRounds({ clock, log }));
    const phoneKey = await ledger.phoneKey();
    const journal = createJournal({ home: config.home, dialer, ledger: mark, phoneKey, clock, log });
    lifecycle.add({ name: 'journal', close: journal.close });
    // If the queue is away, the call is polled when it was planned.
    const pollSooner: ServiceAccess['pollSooner'] = async ({ bucket, run, attempt, delayMs }) => {
      const queues = createQueues(engine, run, patienceFor);
      const joined = engine.join([bucket]);
      await joined.then(() => queues.sooner(bucket, 'track', attempt, delayMs)).catch(() => undefined);
      await queues.close();
    };
    const stations = (scope: Scope, options: StationChoices = {}) => {
      const queues = createQueues(engine, scope.campaignId, patienceFor);
      lifecycle.add({ name: 'queues', close: () => queues.close() });
      return createStations({
        ledger,
        queues,
        scope,
        lanes: crew.followed,
        optOut: optOutRules(description.opt_out),
        pollSooner,
        stampKeys: description.stamp ?? null,
        baseUrl,
        home: config.home,
        journal,
        permit: base.permit,
        requestTimeoutMs: config.voice.timeoutMs,
        deadlineMs: config.voice.callDeadlineMs,
        pollSeconds: config.voice.pollSeconds,
        asksOnce: options.asksOnce,
        eventDays: config.eventDays,
        keepDays: config.keepDays ?? null,
        clock,
        random: Math.random,
        log,
        meters,
        asides: rounds.asides,
        rest: options.rest,
      });
    };
    const service = ({ stations: given, ...choices }: ServiceChoices): ServiceAccess => {
      let opened = given;
      const background = () => (opened ??= stations({ dialer, campaignId: null, runId: null }));
      return {
        ...withoutKeys(base, choices),
        baseUrl,
        lanes,
        describe: (input) => lanes[0]!.client.describe(input),
        // If the queue is away, the reconciler adds the jobs.
        async addJobs(lane, station, ids) {
          await background()
            .queues.add(lane.bucket, station, ids)
            .catch(() => undefined);
        },
        pollSooner,
        async hangUp() {
          while (await background().hangUp());
        },
      };
    };
    addReadings(meters, rounds, base, engine);
    tellFigures(meters.figures);
    return { ...base, baseUrl, engine, listener, rounds, meters, lanes, stations, service };
  } catch (error) {
    await lifecycle.stop(stopMs);
    throw error;
  }
}

/** Adds the figures that other parts of this process know and count. */
function addReadings(
  { counted, gauge }: Meters,
  rounds: Rounds,
  { permit, ledger, config, clock }: LedgerOnly,
  engine: Engine,
): void {
  counted(
    'carillon_deadlocks_total',
    'Statements that lost a deadlock in Postgres and were run again, by store: ledger or queue.',
    () => [
      { labels: { store: 'ledger' }, value: ledger.db.deadlocks() },
      { labels: { store: 'queue' }, value: engine.deadlocks() },
    ],
  );
  gauge('carillon_loop_age_seconds', 'How long ago each loop of this process ended a round.', () =>
    rounds.ages().map(({ name, ageMs }) => ({ labels: { loop: name }, value: ageMs / 1_000 })),
  );
  gauge('carillon_loop_stuck', '1 for a loop of this process whose round does not end.', () =>
    rounds.ages().map(({ name, stuck }) => ({ labels: { loop: name }, value: Number(stuck) })),
  );
  gauge('carillon_clock_ahead_seconds', 'By how much this machine’s clock is ahead of the ledger’s.', () => [
    { labels: {}, value: permit.aheadMs() / 1_000 },
  ]);
  gauge(
    'carillon_may_dial',
    '0 while this process must not dial, because of its clock, its contact rules, its keys or lost history.',
    () => [{ labels: {}, value: Number(permit.trouble() === null) }],
  );
  gauge('carillon_backup_age_seconds', 'How old the last backup of the embedded ledger is.', () => {
    const last = config.databaseUrl ? null : readLastBackup(config.home);
    return last === null ? [] : [{ labels: {}, value: (clock.now() - last.at.getTime()) / 1_000 }];
  });
}
