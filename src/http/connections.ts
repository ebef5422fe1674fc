import { request } from 'node:http';
import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import type { HttpProxy } from '../base/config/proxy.ts';

/**
 * The connections to one service: HTTP/1.1, one request at a time on each, no redirects, no retries. A request that is
 * given up resets its connection, so that the service does not read the rest later: a plain close would let the kernel
 * go on sending it for minutes.
 *
 * Behind a proxy, a service with TLS is reached by a tunnel. The tunnel is open, and TLS agreed, before a request is
 * written: whatever fails until then, nothing was sent. A service without TLS gets its requests from the proxy, which
 * may have passed on each that it has read.
 */
export type ServiceConnections = Dispatch & {
  /** The other end of a connection on which requests are written. */
  peer: string;
  /** `abort` ends the request; the connection that it destroys is reset. */
  giveUp(abort: () => void): void;
  /** Tests the proxy up to the point where a request could be sent through it, and sends none. */
  tryProxy(): Promise<void>;
  destroy(): Promise<void>;
};

export type Dispatch = Pick<Dispatcher, 'dispatch'>;

const most = 300;

/**
 * A create on a connection that the service is just closing ends as "lost", and a person must review it. So an idle
 * connection is closed well before a service would close it (2 s is the shortest common default). A time that the
 * service names itself counts instead, less 2 s.
 */
const keepAlive = { keepAliveTimeout: 1_000, keepAliveMaxTimeout: 4_000, keepAliveTimeoutThreshold: 2_000 };

export function createConnections(
  origin: string,
  timeoutMs: number,
  proxy: HttpProxy | null = null,
): ServiceConnections {
  const service = placeOf(origin);
  const { connect, toProxy } = createConnect(service, Math.min(timeoutMs, 10_000), proxy);
  let isGivingUp = false;

  /** Undici destroys the socket of an aborted request at once; this hook resets it instead. */
  const resettable = ({ socket, tcp }: Connected): Socket => {
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (error) => {
      if (!isGivingUp || socket.destroyed) return destroy(error);
      isGivingUp = false;
      // The connection below TLS is reset, so that bytes not yet sent are dropped.
      if (tcp === socket) {
        socket.destroy = destroy;
        return socket.resetAndDestroy();
      }
      tcp.resetAndDestroy();
      return destroy(error);
    };
    return socket;
  };

  const pool = new Pool(origin, {
    connections: most,
    pipelining: 1,
    allowH2: false,
    connect: ({ servername }, callback) => {
      connect(servername).then(
        (connected) => callback(null, resettable(connected)),
        (error) => callback(error, null),
      );
    },
    ...keepAlive,
  });
  const asked = proxy && !isTls(service) ? proxy : null;
  const credentials = asked?.authorization ? ['proxy-authorization', asked.authorization] : [];

  return {
    peer: asked ? nameOf(asked.url) : service.host,
    dispatch(request, handler) {
      if (!asked) return pool.dispatch(request, handler);
      // A proxy is told the whole address.
      const headers = [...((request.headers ?? []) as string[]), ...credentials];
      return pool.dispatch({ ...request, path: origin + request.path, headers }, handler);
    },
    giveUp(abort) {
      isGivingUp = true;
      try {
        abort();
      } finally {
        isGivingUp = false;
      }
    },
    async tryProxy() {
      if (proxy) (await toProxy(proxy)).tcp.destroy();
    },
    destroy: () => pool.destroy(),
  };
}

type Place = { protocol: string; host: string; hostname: string; port: string };
type Connected = { socket: Socket; tcp: Socket };

/** Connects, from the first packet to the point at which a request can be written. */
function createConnect(service: Place, timeoutMs: number, proxy: HttpProxy | null) {
  const connectWith = buildConnector({ timeout: timeoutMs, allowH2: false });
  const reach = (options: buildConnector.Options) =>
    new Promise<Socket>((resolve, reject) => {
      connectWith(options, (...[error, socket]) => (error ? reject(error) : resolve(socket)));
    });
  const overTcp = (place: Place) => reach({ ...place, protocol: 'http:' });
  const overTls = async (
    place: Place,
    { socket, tcp }: Connected,
    servername?: string,
  ): Promise<Connected> => {
    if (!isTls(place)) return { socket, tcp };
    try {
      return {
        socket: await reach({ ...place, httpSocket: socket, ...(servername ? { servername } : {}) }),
        tcp,
      };
    } catch (error) {
      tcp.destroy();
      throw error;
    }
  };

  async function toProxy({ url, authorization }: HttpProxy): Promise<Connected> {
    const place = placeOf(url);
    const name = nameOf(url);
    try {
      const tcp = await overTcp(place);
      const connected = await overTls(place, { socket: tcp, tcp });
      const to = `${service.host.replace(/:\d+$/, '')}:${service.port}`;
      if (isTls(service)) await openTunnel(connected.socket, { proxy: name, to, authorization, timeoutMs });
      return connected;
    } catch (error) {
      throw new Error(explain(error as Error, name));
    }
  }

  async function connect(servername?: string): Promise<Connected> {
    if (proxy) return overTls(service, await toProxy(proxy), servername);
    const tcp = await overTcp(service);
    return overTls(service, { socket: tcp, tcp }, servername);
  }

  return { connect, toProxy };
}

function placeOf(url: string): Place {
  const { protocol, host, hostname, port } = new URL(url);
  const usual = protocol === 'https:' ? '443' : '80';
  return { protocol, host, hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port: port || usual };
}

function isTls({ protocol }: Place): boolean {
  return protocol === 'https:';
}

function nameOf(url: string): string {
  return `the proxy ${new URL(url).host}`;
}

/** Why a connection failed, and to which host, in words for a person. */
type Failure = Error & { code?: string; errors?: Failure[] };

export function explain(error: Failure, host: string): string {
  const code = error.code ?? error.errors?.[0]?.code ?? '';
  switch (code) {
    case 'ECONNREFUSED':
      return `${host} refused the connection`;
    case 'ENOTFOUND':
      return `the host name of ${host} does not exist`;
    case 'EAI_AGAIN':
      return `the host name of ${host} cannot be resolved now`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `no route to ${host} (${code})`;
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return `the connection to ${host} timed out`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${host} reset the connection`;
    case 'UND_ERR_SOCKET':
      return `${host} closed the connection`;
  }
  const text = (error.message || error.name).replace(/\s+/g, ' ').trim();
  if (/CERT|SSL|TLS|SIGNATURE/.test(code)) return `no trusted TLS connection to ${host}: ${text} (${code})`;
  if (code.startsWith('HPE_')) return `${host} sent no valid HTTP: ${text} (${code})`;
  return code ? `${text} (${code})` : text;
}

/** Asks a proxy for a tunnel to the service, which hears nothing before the proxy has agreed. */
type Tunnel = Readonly<{
  /** The proxy as it is shown to people. */
  proxy: string;
  /** Host and port of the service. */
  to: string;
  authorization: string | null;
  timeoutMs: number;
}>;

async function openTunnel(socket: Socket, tunnel: Tunnel): Promise<void> {
  const { proxy, to, authorization, timeoutMs } = tunnel;
  const asked = request({
    method: 'CONNECT',
    path: to,
    headers: {
      host: to,
      connection: 'keep-alive',
      ...(authorization === null ? {} : { 'proxy-authorization': authorization }),
    },
    createConnection: () => socket,
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const status = await new Promise<number>((resolve, reject) => {
      const expire = () => reject(new Error(`${proxy} opened no tunnel to ${to} within ${timeoutMs} ms`));
      timer = setTimeout(expire, timeoutMs);
      asked.once('connect', ({ statusCode = 0 }, _, rest) => {
        if (rest.length > 0) socket.unshift(rest);
        resolve(statusCode);
      });
      // This listener stays, because destroying the socket below makes an error too.
      asked.on('error', reject);
      asked.end();
    });
    if (status < 200 || status >= 300) throw new Error(refusal(tunnel, status));
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function refusal({ proxy, to, authorization }: Tunnel, status: number): string {
  if (status !== 407) return `${proxy} answered ${status} when asked for a tunnel to ${to}`;
  if (authorization === null) return `${proxy} asks for a user name and a password (407)`;
  return `${proxy} does not accept the user name and password in its URL (407)`;
}
