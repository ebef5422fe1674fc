import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { actAs, isEnough } from '../base/actor.ts';
import { CarillonError } from '../base/errors.ts';
import type { Stoppable } from '../base/lifecycle.ts';
import { maskPhone } from '../base/log.ts';
import { createSeal } from '../base/seal.ts';
import { readSecret } from '../base/secret.ts';
import { showEvents } from '../control/events/bodies.ts';
import { createKeptLists } from '../control/lists/sent.ts';
import { useOnce } from '../control/requests/idempotency.ts';
import type { ServiceAccess } from '../control/service/access.ts';
import type { Stations } from '../dispatch/stations.ts';
import { type ConnectionLimits, limitBody, limitConnections, usualLimits } from './access/connections.ts';
import { createGuard } from './access/guard.ts';
import { hidePeople } from './access/hide-people.ts';
import { createIdentities, createSessions } from './access/identity.ts';
import { createFailures, createTokenLimit } from './access/limits.ts';
import { createProvider } from './access/oidc.ts';
import {
  addCorsHeaders,
  answerPreflight,
  bracketed,
  cannotListen,
  checkServing,
  isPreflight,
} from './access/origin.ts';
import { createErrorHandler, oneObject } from './describe/problem.ts';
import { addEtagAndGzip } from './etag-gzip.ts';
import { createFeed, type Feed } from './events/feed.ts';
import { findExcess } from './json-body.ts';
import { addMcp } from './mcp/http.ts';
import { createDocsStore, createPageStore, type PageStore } from './page/store.ts';
import { addRoutes, createAccess } from './register.ts';
import type { ApiParts } from './route.ts';
import { addBoard, dropBoardFonts } from './routes/board.ts';
import { addLogin } from './routes/login.ts';
import { tellShared } from './routes/metrics.ts';
import { addDocs, addPage, wrongAddress } from './routes/pages.ts';
import { routes } from './routes.ts';
import { answerUnknown } from './unknown-address.ts';

/** The API, the page and the queues' board on one port, behind one guard. */
export type ApiOptions = {
  host: string;
  port: number;
  token?: string | undefined;
  readToken?: string | undefined;
  /** The background's engine: its queues are shown, and jobs are added to them. */
  stations: Pick<Stations, 'lanes' | 'queues' | 'nudge' | 'hangUp'>;
  /** The built page; by default the one in this folder. */
  page?: PageStore | undefined;
  /** Limits of connections that differ from the usual ones. */
  limits?: Partial<ConnectionLimits> | undefined;
};

const bodyLimit = 1_048_576;
/** While someone waits for an answer, a key that rests longer than this is not waited for. */
const patienceMs = 10_000;

export async function startApi(app: App, options: ApiOptions): Promise<Stoppable & { url: string }> {
  const { host, token, readToken, stations } = options;
  const { ledger, clock, log, config } = app;
  checkServing(config, options);
  const publicUrl = config.publicUrl === undefined ? undefined : new URL(config.publicUrl);
  const origins = config.corsOrigins;
  let port = options.port;
  const sessions = createSessions(clock);
  const identities = createIdentities({ ledger, clock, log, token, readToken });
  const failures = createFailures({ clock, log });
  const limits = { ...usualLimits, ...options.limits };
  const fail = createErrorHandler(log);
  const server = Fastify({
    logger: false,
    bodyLimit,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    keepAliveTimeout: limits.idleMs,
    http: {
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: Math.min(5_000, limits.headersMs),
    },
    // A proxy on this machine, or in a setting, is trusted to name the client's address.
    trustProxy:
      publicUrl || config.trustedProxies.length > 0 ? ['loopback', ...config.trustedProxies] : false,
    routerOptions: { maxParamLength: 400 },
    genReqId: () => randomUUID(),
    frameworkErrors: (error, request, reply) => void fail(error, request as never, reply as never),
  });
  const connections = limitConnections(server.server, limits);
  const failed = (request: FastifyRequest) => failures(request.ip);
  // Awaited, because its hook must come before the guard's.
  await server.register(cookie);
  readBodies(server);
  server.setErrorHandler(fail);
  const store = options.page ?? createPageStore();
  answerUnknown(server, wrongAddress(store));
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(safeHeaders);
    addCorsHeaders(request, reply, origins);
    if (isPreflight(request, origins)) return answerPreflight(reply);
  });
  const guard = createGuard({
    host,
    locked: token !== undefined,
    publicUrl,
    origins,
    identities,
    sessions,
    limit: createTokenLimit(config.apiRate, clock),
    failed,
    port: () => port,
  });
  const holdConnection = ({ raw, actor, routeOptions: { config } }: FastifyRequest, reply: FastifyReply) => {
    const { streamed = false, open = false } = config;
    const { pieceMs, openBodyMs, bodyMs } = limits;
    limitBody(raw, streamed ? pieceMs : open ? openBodyMs : bodyMs, streamed);
    if (connections.isFull()) reply.header('connection', 'close');
    if (actor !== null) connections.keep(raw, reply.raw, streamed);
  };
  server.decorateRequest('actor', null);
  server.decorateRequest('isLogin', false);
  server.decorateRequest('isStill', null);
  server.addHook('onRequest', async (request, reply) => {
    // Handled here: a scope with its own error handler must not take a refusal for a fault.
    await guard(request, reply).catch((error) => fail(error, request, reply));
    if (!reply.sent) holdConnection(request, reply);
  });
  keepActor(server);
  dropBoardFonts(server);
  addEtagAndGzip(server);
  // Any change may make somebody due: the planner of this process looks at once.
  server.addHook('onResponse', async (request, reply) => {
    if (request.method !== 'GET' && reply.statusCode < 300) stations.nudge();
  });

  const note = (line: string) => app.log.info(line);
  const service = app.service({ note, patienceMs, stations });
  const feed = openFeed(app, service);
  const lists = createKeptLists();
  const parts: ApiParts = { app, stations, service, feed, lists };
  const accessFor = createAccess(service);
  addRoutes(server, parts, routes, accessFor);
  addMcp(server, app, accessFor);
  addPage(server, store);
  addDocs(server, createDocsStore());
  if (token !== undefined) {
    const seal = () => createSeal(readSecret(config));
    const { oidc } = config;
    const provider =
      oidc &&
      publicUrl &&
      createProvider({
        config: oidc,
        publicUrl,
        seal,
        clock,
        isFirst: (login) => useOnce(app.ledger, login),
      });
    addLogin(server, { sessions, identities, failed, publicUrl, store, provider });
  }
  addBoard(server, parts);

  try {
    await server.listen({ host: host.replace(/^\[(.*)\]$/, '$1'), port });
  } catch (error) {
    await server.close();
    throw cannotListen(error, host, port);
  }
  port = (server.server.address() as AddressInfo).port;
  const shared = tellShared(parts);
  return {
    name: 'api',
    url: `http://${bracketed(host)}:${port}`,
    async close() {
      // Done first, so that no reader whose stream ends reconnects here: a browser gives up for good at a 503.
      connections.end();
      await shared.close();
      const closed = server.close();
      await feed.close();
      await closed;
      await identities.close();
      await lists.close();
    },
  };
}

/** A request's work is done for its sender, who sees people only with the role for it. */
function keepActor(server: FastifyInstance): void {
  const sees = ({ actor }: FastifyRequest) => actor === null || isEnough(actor.role, 'read_people');
  // Set after the body was read: its reader runs on the connection, for nobody.
  server.addHook('preHandler', (request, _reply, done) => {
    // A read records nothing, and needs no actor unless people are hidden from it.
    if (request.method === 'GET' && sees(request)) return done();
    return actAs(request.actor, done);
  });
  server.addHook('preSerialization', (request, _reply, payload, done) =>
    done(null, sees(request) ? payload : hidePeople(payload)),
  );
  // Applies to every answer, including errors and what is not JSON.
  server.addHook('onSend', (request, _reply, payload, done) =>
    done(null, sees(request) || typeof payload !== 'string' ? payload : maskPhone(payload)),
  );
}

function openFeed({ engine, clock, log, rounds }: App, service: ServiceAccess): Feed {
  const bodies = { ...service, bucket: engine.bucket };
  return createFeed({
    events: service.ledger.events,
    show: (events) => showEvents(bodies, events),
    clock,
    log,
    rounds,
  });
}

/** Headers for every answer; pages have a policy of their own. */
const safeHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
} as const;

/** Only JSON, so that a form of another site is not understood; an empty body counts as no body, whatever its type. */
function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const json = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    if (request.routeOptions.config.signed) request.bytes = body as Buffer;
    // A replacement character would be stored in place of what was meant.
    if (!isUtf8(body as Buffer)) return done(refused('The body is not UTF-8'));
    const excess = findExcess(body as Buffer);
    if (excess) return done(refused(excess, few));
    const text = body.toString();
    return json(request, text, (error, value) =>
      error ? done(refused(faultIn(text) ?? poisoned)) : done(null, value),
    );
  });
}

const poisoned = 'The body has a key that is not accepted: `__proto__`, or `prototype` in `constructor`';

const few = 'Send less at a time; POST /api/campaigns/{id}/recipients accepts a list of any length.';

function refused(why: string, remedy: string = oneObject): CarillonError {
  return new CarillonError('request-invalid', why, { remedy });
}

/** Null if a text is JSON. The fault does not quote it: it may hold a person's words. */
function faultIn(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const { message } = error as Error;
    if (/end of JSON input/.test(message)) return 'The body is not JSON: it ends too soon';
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    if (position === undefined) return 'The body is not JSON';
    const before = text.slice(0, Number(position)).split('\n');
    return `The body is not JSON: line ${before.length}, column ${before.at(-1)!.length + 1}`;
  }
}
