import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { App } from '../app.ts';
import type { Stoppable } from '../base/lifecycle.ts';
import { limitConnections, usualLimits } from './access/connections.ts';
import { createIdentities } from './access/identity.ts';
import { createFailures } from './access/limits.ts';
import { bracketed, cannotListen, checkBinding, isOwnHost } from './access/origin.ts';
import { processMetrics } from './routes/metrics.ts';

/** The figures of a worker without the API, on a port of its own: `/metrics`, and nothing else. */
type MetricsOptions = {
  host: string;
  port: number;
  token?: string | undefined;
  readToken?: string | undefined;
};

/** A few programs read it; nobody keeps it open. */
const mostScrapers = 100;

export async function startMetrics(app: App, options: MetricsOptions): Promise<Stoppable & { url: string }> {
  const { host, port, token, readToken } = options;
  checkBinding({ host, token, readToken, publicUrl: undefined });
  const identities = createIdentities({ ...app, token, readToken });
  const failed = createFailures(app);
  const answerTo = async (
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<[status: number, text: string]> => {
    // A page whose name was pointed here sends its own name; where a token is needed, it has none.
    if (token === undefined && !isOwnHost(request.headers.host?.toLowerCase() ?? '', host, bound()))
      return [403, 'The Host header does not name this machine\n'];
    if (isCrossSite(request)) return [403, 'The request comes from a page of another origin\n'];
    // Any role may read figures.
    if (token !== undefined && (await identities.of(bearerOf(request))) === null) {
      if (request.headers.authorization !== undefined) await failed(request.socket.remoteAddress ?? '');
      return [401, 'A token is needed\n'];
    }
    connections.keep(request, response, false);
    if (request.url?.split('?')[0] !== '/metrics') return [404, 'Only /metrics is here\n'];
    return [200, await processMetrics(app)];
  };
  const times = { headersTimeout: usualLimits.headersMs, requestTimeout: usualLimits.bodyMs };
  const server = createServer(times, (request, response) => {
    answerTo(request, response)
      .catch((error: Error) => [500, `${error.message}\n`] as const)
      .then(([status, text]) => {
        const type = `text/plain; ${status === 200 ? 'version=0.0.4; ' : ''}charset=utf-8`;
        const closes = status === 401 ? { connection: 'close' } : {};
        response
          .writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...closes })
          .end(text);
      });
  });
  const bound = () => (server.address() as AddressInfo).port;
  const connections = limitConnections(server, { ...usualLimits, most: mostScrapers });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, host, port, '--metrics-port')));
    server.listen(port, host.replace(/^\[(.*)\]$/, '$1'), resolve);
  });
  return {
    name: 'metrics',
    url: `http://${bracketed(host)}:${bound()}/metrics`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      await identities.close();
    },
  };
}

function bearerOf({ headers }: IncomingMessage): string {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

/** Programs send neither header; a page of this machine has no business here either. */
function isCrossSite({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || (site !== undefined && site !== 'same-origin' && site !== 'none');
}
