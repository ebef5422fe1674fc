/** Support of the API's tests: a real server on a real ledger, a simulated service, and a client that hides nothing. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { globalAgent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { afterAll, beforeAll } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator/server.ts';
import type { SimulatorOptions } from '../../simulator/settings.ts';
import { type ApiOptions, startApi } from '../../src/api/server.ts';
import { type App, openApp } from '../../src/app.ts';
import { createBulkWorker } from '../../src/background/bulk.ts';
import { createImporter } from '../../src/background/imports.ts';
import { createNotify } from '../../src/background/webhooks/notify.ts';
import { loadConfig } from '../../src/base/config/config.ts';
import { createLog } from '../../src/base/log.ts';
import { createBulkDoer } from '../../src/control/bulk/do.ts';
import type { Stations } from '../../src/dispatch/stations.ts';
import { startWorkers } from '../../workers/loops.ts';
import { checkAnswer } from '../support/description.ts';
import { freshDatabase, type TestServer } from '../support/postgres.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
export type Answered = { status: number; headers: Headers; text: string; json: any };

export type AskOptions = { headers?: Record<string, string>; body?: unknown };

export type TestApi = {
  url: string;
  port: number;
  /** The same settings, for a command line next to it. */
  env: Record<string, string>;
  app: App;
  stations: Stations;
  simulator: Simulator;
  /** A body that is not text is sent as JSON. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answered>;
  /** For headers that fetch does not allow to be set, and for paths as they are: no client normalises them. */
  raw(
    method: string,
    path: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string }>;
  /** Of its ledger. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Background workers, from now on. */
  work(): void;
  close(): Promise<void>;
};

/** The API of the tests that follow, until the last of them has ended. */
export function serveApi(options: Parameters<typeof openApi>[0] = {}): TestApi {
  let opened: TestApi;
  beforeAll(async () => {
    opened = await openApi(options);
  });
  afterAll(() => opened?.close());
  return new Proxy({} as TestApi, { get: (_, name) => opened[name as keyof TestApi] });
}

export async function openApi(
  options: Partial<ApiOptions> & {
    simulator?: SimulatorOptions;
    env?: Record<string, string>;
    /** Takes the log's lines. */
    logTo?: Writable;
    /** Replaces the database's own address. */
    reach?(url: string): Promise<string>;
    /** Where its database is, instead of the worker's server. */
    server?: TestServer;
  } = {},
): Promise<TestApi> {
  const database = await freshDatabase(options.server);
  const databaseUrl = options.reach ? await options.reach(database.url) : database.url;
  const home = mkdtempSync(join(tmpdir(), 'carillon-api-'));
  const simulator = await startSimulator({ rate: null, speed: 600, ...options.simulator });
  const env: Record<string, string> = {
    VOICE_BASE_URL: simulator.url,
    VOICE_API_KEYS: 'main=secret-of-main',
    VOICE_RATE: '200',
    DATABASE_URL: databaseUrl,
    CARILLON_HOME: home,
    ...options.env,
  };
  const config = loadConfig(env);
  const log = createLog(options.logTo ? 'debug' : 'silent', options.logTo);
  const app = await openApp(config, { log });
  const stations = app.stations({ dialer: app.dialer, campaignId: null, runId: null });
  const { token, readToken, limits, host = '127.0.0.1', port: wanted = 0 } = options;
  const serving = { host, port: wanted, token, readToken, stations, limits };
  const api = app.lifecycle.add(await startApi(app, serving));
  const port = Number(new URL(api.url).port);

  return {
    url: api.url,
    port,
    env,
    app,
    stations,
    simulator,
    async ask(method, path, { headers = {}, body } = {}) {
      const isText = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
      const response = await fetch(api.url + path, {
        method,
        redirect: 'manual',
        headers: { ...(isText ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: (isText ? body : JSON.stringify(body)) as string }),
      });
      const text = await response.text();
      checkAnswer(method, path, { status: response.status, headers: response.headers, text });
      const isJson = /json/.test(response.headers.get('content-type') ?? '');
      return {
        status: response.status,
        headers: response.headers,
        text,
        json:
          isJson && text && !/ndjson/.test(response.headers.get('content-type')!)
            ? JSON.parse(text)
            : undefined,
      };
    },
    async raw(method, path, headers) {
      // On a connection that had an answer before, Node ends one that is not HTTP without a word.
      const agent = path.startsWith('/') && globalAgent;
      const setHost = !('host' in headers);
      const sent = request({ host: '127.0.0.1', port, method, path, headers, setHost, agent });
      sent.end();
      const [response] = await once(sent, 'response');
      let text = '';
      for await (const chunk of response) {
        text += chunk;
        // The answer that stays open.
        if (response.headers['content-type']?.startsWith('text/event-stream')) break;
      }
      return { status: response.statusCode, text };
    },
    async sql(text, values) {
      const client = await app.ledger.db.connect();
      try {
        return (await client.query(text, values)).rows;
      } finally {
        client.release();
      }
    },
    work() {
      const { engine, clock, rounds } = app;
      for (const worker of startWorkers(stations, {
        engine,
        clock,
        log,
        rounds,
        concurrency: 8,
        importer: createImporter(app),
        bulk: createBulkWorker(
          createBulkDoer(app.service({ note: () => undefined, patienceMs: 10_000, stations }), app),
          app,
        ),
        notify: createNotify(app),
      }))
        app.lifecycle.add(worker);
    },
    async close() {
      const late = await app.lifecycle.stop(120_000);
      await simulator.close();
      await database.drop();
      rmSync(home, { recursive: true, force: true });
      if (late.length > 0) throw new Error(`still running: ${late.join(', ')}`);
    },
  };
}
