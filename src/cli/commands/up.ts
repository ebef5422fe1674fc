import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { startWorkers, type WorkerName, workerNames } from '../../../workers/loops.ts';
import { checkBinding, checkListening, checkServing } from '../../api/access/origin.ts';
import type { ApiOptions } from '../../api/server.ts';
import type { App } from '../../app.ts';
import { createAlertSender, createEndings, createHeartbeat, createWatch } from '../../background/alerts.ts';
import { createBulkWorker } from '../../background/bulk.ts';
import { createImporter } from '../../background/imports.ts';
import { createReporter } from '../../background/process-report.ts';
import { createNotify } from '../../background/webhooks/notify.ts';
import { createRest } from '../../base/at-rest.ts';
import type { Config } from '../../base/config/config.ts';
import { CarillonError } from '../../base/errors.ts';
import { createBulkDoer } from '../../control/bulk/do.ts';
import { requireService } from '../../voice/clients.ts';
import { someOf } from '../closed-lists.ts';
import { type Cli, type Command, topCommand } from '../command-io.ts';
import { watchSignals } from '../terminal/signals.ts';

/** The long-lived processes: all in one, only the API, or only background workers. */
type Parts = { api: boolean; workers: readonly WorkerName[]; metricsPort?: number | undefined };

/** Everything that a person may start by itself, in one process. */
export const allParts: Parts = { api: true, workers: workerNames };

export function upCommand(cli: Cli): Command {
  return topCommand('up', 'carillon up\nPORT=8080 carillon up').action(() => serve(cli, allParts));
}

export function apiCommand(cli: Cli): Command {
  return topCommand('api', 'API_TOKEN=... HOST=0.0.0.0 PORT=8080 carillon api').action(() =>
    serve(cli, { api: true, workers: [] }),
  );
}

export function workerCommand(cli: Cli): Command {
  return topCommand('worker', 'carillon worker\ncarillon worker --only dialer,tracker --metrics-port 9464')
    .addOption(someOf('--only <workers>', `run only these workers: ${workerNames.join(', ')}`, workerNames))
    .option('--metrics-port <n>', 'serve what this process counts at /metrics on this port of HOST')
    .action((flags: { only?: string; metricsPort?: string }) =>
      serve(cli, {
        api: false,
        workers: readStations(flags.only),
        metricsPort: readPort('--metrics-port', flags.metricsPort),
      }),
    );
}

function readStations(text: string | undefined): readonly WorkerName[] {
  if (text === undefined) return workerNames;
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  return workerNames.filter((name) => names.includes(name));
}

export function readPort(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new CarillonError('usage-invalid', `${option} "${text}" is not a port`, {
    remedy: 'Give a number of 1 to 65535, or 0 for any free port.',
  });
}

async function serve(cli: Cli, parts: Parts): Promise<void> {
  const config = cli.config();
  const signals = watchSignals(config.voice.keyFile === undefined);
  const log = cli.log();
  try {
    await judge(config, parts);
    // Requests in progress may take their full timeout; a request that hangs longer is abandoned.
    const stopMs = config.voice.timeoutMs + 5_000;
    await cli.withApp((app) => serveUntil(cli, app, parts, signals.signal), {
      actor: null,
      config,
      log,
      stopMs,
    });
  } finally {
    signals.stop();
  }
}

/** Wrong settings are reported before a Postgres or a home is created for them. */
async function judge(config: Config, { api, metricsPort }: Parts): Promise<void> {
  const { host, port, apiToken: token, apiReadToken: readToken } = config;
  requireService(config);
  if (api) {
    checkServing(config, { host, token, readToken });
    await checkListening(host, port);
  }
  if (metricsPort !== undefined) {
    checkBinding({ host, token, readToken, publicUrl: undefined });
    await checkListening(host, metricsPort, '--metrics-port');
  }
}

/** A bulk act does not wait long for a key that rests: the person is passed over. */
const bulkPatienceMs = 10_000;

export async function serveUntil(cli: Cli, app: App, parts: Parts, signal: AbortSignal): Promise<void> {
  const { config, engine, clock, log, rounds, keyRing } = app;
  keyRing.watch();
  let isFit = () => true;
  const own = { ...app, isFit: () => isFit() };
  const reporter = createReporter(own, [...(parts.api ? ['api'] : []), ...parts.workers]);
  await app.permit.enforce();
  if (parts.workers.includes('dialer')) {
    await reporter.report();
    await app.permit.join();
  }
  const rest = createRest(app);
  const stations = app.stations({ dialer: app.dialer, campaignId: null, runId: null }, { rest });
  if (parts.workers.includes('dialer')) isFit = stations.isFit;
  if (parts.api) {
    const { host, port, apiToken: token, apiReadToken: readToken } = config;
    const note = (line: string) => log.warn(line);
    const url = await servePage(app, { host, port, token, readToken, stations, note });
    cli.out(`Carillon listens on ${url}`);
  }
  if (parts.metricsPort !== undefined) {
    const { host, apiToken: token, apiReadToken: readToken } = config;
    const { startMetrics } = await import('../../api/metrics-port.ts');
    const metrics = await startMetrics(app, { host, port: parts.metricsPort, token, readToken });
    app.lifecycle.add(metrics);
    cli.out(`Metrics are at ${metrics.url}`);
  }
  const importer = createImporter(app);
  const patience = { note: (line: string) => log.info(line), patienceMs: bulkPatienceMs, stations };
  const bulk = createBulkWorker(createBulkDoer(app.service(patience), app), app);
  const machine = hostname();
  const look = createWatch({
    ...app,
    endings: createEndings(app),
    home: config.home,
    machine,
    process: `${machine}:${process.pid}`,
  });
  const watch = async () => {
    // A process without workers learns here what workers learn as they work.
    await app.permit.refresh();
    await look();
  };
  if (parts.workers.length > 0) {
    app.listener.subscribe('carillon_work', '', rest.hear);
    app.listener.onBack(rest.hear);
  }
  const deps = {
    engine,
    clock,
    log,
    rounds,
    rest,
    keyRing,
    importer,
    bulk,
    notify: createNotify(app),
    watch,
    sendAlerts: createAlertSender(app),
    heartbeat: createHeartbeat(app),
    reporter,
  };
  for (const worker of startWorkers(stations, deps, parts.workers)) app.lifecycle.add(worker);
  if (parts.workers.length > 0) cli.out(`Workers run: ${parts.workers.join(', ')}. Ctrl-C stops them.`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  cli.note('Stopping: no new calls; requests in progress are finished.');
}

/** The API and the page on one port; the page is built meanwhile if it is not built yet. */
type Served = Pick<ApiOptions, 'host' | 'port' | 'token' | 'readToken' | 'stations'> & {
  /** Writes one line if the page cannot be built. */
  note(line: string): void;
};

export async function servePage(app: App, { note, ...options }: Served): Promise<string> {
  // Workers need no web server, and start sooner without one.
  const { startApi } = await import('../../api/server.ts');
  const { createPageStore } = await import('../../api/page/store.ts');
  const { startPageBuilder } = await import('../../api/page/builder.ts');
  const page = createPageStore();
  const api = app.lifecycle.add(await startApi(app, { ...options, page }));
  app.lifecycle.add(startPageBuilder({ store: page, note }));
  return api.url;
}

/** Whether nothing listens on this port of this machine. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
