/** The simulated voice service on a port: every request is recorded, admitted, checked, then served or struck. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../src/base/clock.ts';
import { CarillonError } from '../src/base/errors.ts';
import { applyChange, serveControl } from './control.ts';
import { type Dialect, findRoute, type Prepared } from './dialect.ts';
import { prepareOnce } from './idempotency.ts';
import { type Answer, type JournalEntry, type JournalFilter, openAppender } from './journal.ts';
import { type Change, validateOptions } from './options.ts';
import { type Reply, withHeaders } from './reply.ts';
import { services } from './services/services.ts';
import type { SimulatorOptions } from './settings.ts';
import { strikeRequest } from './strike.ts';
import {
  type CallSeen,
  createWorld,
  readCalls,
  readState,
  type SimulatorState,
  type World,
} from './world.ts';

export type { SimulatorOptions };

export type Simulator = {
  /** The base URL, with the version prefix. */
  url: string;
  origin: string;
  port: number;
  state(): SimulatorState;
  control(change: Change): SimulatorState;
  /** Resets everything to the start: no calls, no journal, the options it started with. */
  reset(): void;
  journal(filter?: JournalFilter): IterableIterator<JournalEntry>;
  calls(): IterableIterator<CallSeen>;
  close(): Promise<void>;
};

export type SimulatorParts = { clock?: Clock; newId?: () => string };

const bodyLimit = 1_048_576;

export async function startSimulator(
  options: SimulatorOptions = {},
  { clock = systemClock, newId = randomUUID }: SimulatorParts = {},
): Promise<Simulator> {
  const settings = validateOptions(options);
  const appender = settings.journalFile === null ? undefined : await openAppender(settings.journalFile);
  const dialect = services[settings.service];
  const parts = { clock, newId, ...(appender && { append: appender.append }) };
  let world = createWorld(settings, parts);
  const reset = () => {
    world = createWorld(settings, parts);
  };
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const doors = { world: () => world, reset, readText };
  const server = createServer({ keepAliveTimeout: settings.keepAliveMs }, (request, response) => {
    // Node adds a second to hide the race between an idle close and a new request. Tests want that race.
    response.once('finish', () => request.socket.setTimeout(settings.keepAliveMs));
    const served = request.url?.startsWith('/_sim')
      ? serveControl(request, response, doors)
      : serveRequest({ world, dialect, request, response, closing: closing.signal });
    // Reached only if the connection broke while the body was read.
    served.catch(() => response.destroy());
  });
  try {
    await listen(server, settings.host, settings.port);
  } catch (error) {
    await appender?.close();
    throw cannotListen(error, settings.host, settings.port);
  }
  const { port } = server.address() as AddressInfo;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  // Written as a setting with it is read, so that the line printed here is the one stored there.
  const { origin } = new URL(`http://${host}:${port}`);
  let closed: Promise<void> | undefined;
  return {
    url: `${origin}${dialect.base}`,
    origin,
    port,
    state: () => readState(world),
    control(change) {
      applyChange(world, change);
      return readState(world);
    },
    reset,
    journal: (filter) => world.journal.entries(filter),
    calls: () => readCalls(world),
    close() {
      closed ??= (async () => {
        closing.abort();
        const ended = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        await ended;
        await appender?.close();
      })();
      return closed;
    },
  };
}

/** Lets a client tell simulated time from real time. */
function speedHeader({ timescale }: World): Record<string, string> {
  const speed = timescale.speed();
  return speed === 1 ? {} : { 'x-simulated-speed': String(speed) };
}

type Asked = {
  world: World;
  dialect: Dialect;
  request: IncomingMessage;
  response: ServerResponse;
  closing: AbortSignal;
};

async function serveRequest({ world, dialect, request, response, closing }: Asked): Promise<void> {
  const { journal, tally, keys } = world;
  const method = request.method ?? '';
  const url = request.url ?? '';
  const mono = world.clock.monotonic();
  const seq = journal.arrive(world.clock.now(), mono, method, url);
  let answered = false;
  const record = (answer: Answer) => {
    if (answered) return;
    answered = true;
    tally.answer(answer);
    journal.answer(seq, answer);
  };
  // The client went away before its answer was ready.
  response.once('close', () => record('gone'));
  const pause = (ms: number) => world.clock.sleep(ms, closing);
  const send = async (reply: Reply) => {
    const latency = world.latency();
    if (latency > 0) await pause(latency);
    if (response.destroyed) return;
    record(reply.status);
    response.writeHead(reply.status, {
      ...reply.headers,
      ...speedHeader(world),
      'content-length': Buffer.byteLength(reply.body),
    });
    response.end(reply.body);
  };
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const secrets = dialect.secrets(request.headers);
  const key = keys.identify(secrets);
  tally.arrive(key, mono);
  journal.note(seq, { key });
  const { traceparent } = request.headers;
  if (typeof traceparent === 'string') journal.note(seq, { traceparent });
  if (!path.startsWith(`${dialect.base}/`)) return send(dialect.refuse('path', 404, 'Not found'));
  const route = findRoute(dialect, method, path.slice(dialect.base.length));
  const isOpen = 'row' in route && route.row.open === true;
  if (!isOpen) {
    if (key === null || keys.isRevoked(key)) {
      const why = secrets.some(Boolean) ? 'key' : 'no-key';
      return send(dialect.refuse(why, 401, 'Invalid or missing API key'));
    }
    const early = world.admit(key);
    if (early > 0) return send(tooMany(world, dialect, early));
  }
  if ('status' in route) return send(route);
  const { operation, prepare } = route.row;
  const body = method === 'GET' ? '' : await readText(request);
  if (body.length > bodyLimit) {
    return send(withHeaders(dialect.refuse('size', 413, 'Body too large'), { connection: 'close' }));
  }
  const query = mark < 0 ? '' : url.slice(mark + 1);
  const contentType = request.headers['content-type'];
  const origin = `http://${request.headers.host ?? 'localhost'}`;
  world.calls.settle(world.timescale.now());
  const asked = { params: route.params, key: key ?? 0, contentType, query, body, origin };
  const holdsMs = world.settings.idempotencyMs;
  const once = operation === 'create' && holdsMs !== null ? request.headers['idempotency-key'] : undefined;
  const place = `${method} ${path} ${once}`;
  const first = { body, now: world.clock.now(), holdsMs: holdsMs ?? 0 };
  const ready: Prepared = once
    ? prepareOnce(world.firsts, place, first, () => prepare(world, asked))
    : prepare(world, asked);
  journal.note(seq, { phone: ready.phone ?? null, body: ready.body ?? null });
  if (ready.stamp) journal.note(seq, { stamp: ready.stamp });
  if ('refused' in ready) return send(ready.refused);
  if (ready.call !== null) journal.note(seq, { call: ready.call });
  const serve = () => {
    const served = ready.serve();
    if (served.call !== null) journal.note(seq, { call: served.call });
    return served;
  };
  const strike = world.faults.strike(operation, ready.phone);
  if (!strike) return send(serve().reply);
  journal.note(seq, { fault: strike.kind });
  const revoke = () => {
    if (key !== null) keys.revoke(key);
  };
  const firstCall = () => world.calls.first();
  await strikeRequest(strike, serve, {
    dialect,
    response,
    pause,
    send,
    record,
    revoke,
    firstCall,
    retry: { path: url },
  });
  // It was struck before it was carried out, and never will be.
  if (world.firsts.get(place)?.done === null) world.firsts.delete(place);
}

function tooMany({ settings, clock }: World, dialect: Dialect, waitMs: number): Reply {
  const headers: Record<string, string> = {};
  if (settings.retryAfter === 'seconds') headers['retry-after'] = String(Math.ceil(waitMs / 1000));
  // The header has only whole seconds. It is rounded up, or the client would come back too early.
  if (settings.retryAfter === 'date') {
    headers['retry-after'] = new Date(Math.ceil((clock.now() + waitMs) / 1000) * 1000).toUTCString();
  }
  return withHeaders(dialect.refuse('rate', 429, 'Too many requests'), headers);
}

/** Reads a body to its end. It keeps just enough of one that is too long to show that. */
function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      if (size <= bodyLimit) chunks.push(chunk);
      size += chunk.length;
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the body did not arrive')));
  });
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function cannotListen(error: unknown, host: string, port: number): CarillonError {
  const code = (error as NodeJS.ErrnoException).code;
  const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${code ?? String(error)})`;
  return new CarillonError('usage-invalid', `simulator: port ${port} on ${host} ${why}`, {
    remedy: 'Choose another --port, or 0 for any free one.',
    cause: error,
  });
}
