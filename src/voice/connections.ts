import type { Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';

/**
 * The connections to one service: HTTP/1.1, one request at a time on each, no redirects, no retries. A request that is
 * given up resets its connection, so that what was not read yet is not read later: a plain close would let the kernel
 * send the rest of it for minutes.
 */
export type ServiceConnections = {
  pool: Pool;
  /** `abort` ends the request; the connection that it destroys is reset. */
  giveUp(abort: () => void): void;
};

const most = 300;

/**
 * A create on a connection that the service is just closing ends as "lost", and a person must review it.
 * So an idle connection is closed well before a service would close it (2 s is the shortest common default).
 * If the service names its own time, that counts, less 2 s.
 */
const keepAlive = { keepAliveTimeout: 1_000, keepAliveMaxTimeout: 4_000, keepAliveTimeoutThreshold: 2_000 };

export function createConnections(origin: string, timeoutMs: number): ServiceConnections {
  const connectWith = buildConnector({ timeout: Math.min(timeoutMs, 10_000), allowH2: false });
  let isGivingUp = false;

  /** Undici destroys the socket of a request that is aborted, at once: that is where it can be reset instead. */
  const resettable = (socket: Socket, tcp: Socket): Socket => {
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (error) => {
      if (!isGivingUp || socket.destroyed) return destroy(error);
      isGivingUp = false;
      // TLS is not reset, but the connection below it: what was not sent yet is not sent any more.
      if (tcp === socket) {
        socket.destroy = destroy;
        return socket.resetAndDestroy();
      }
      tcp.resetAndDestroy();
      return destroy(error);
    };
    return socket;
  };

  const connect: buildConnector.connector = (options, callback) => {
    connectWith(
      { ...options, protocol: 'http:', port: options.port || (isTls(options) ? '443' : '80') },
      (...plain) => {
        const [error, tcp] = plain;
        if (error) return callback(error, null);
        if (!isTls(options)) return callback(null, resettable(tcp, tcp));
        connectWith({ ...options, httpSocket: tcp }, (...secure) => {
          const [failure, tls] = secure;
          if (!failure) return callback(null, resettable(tls, tcp));
          tcp.destroy();
          callback(failure, null);
        });
      },
    );
  };

  return {
    pool: new Pool(origin, { connections: most, pipelining: 1, allowH2: false, connect, ...keepAlive }),
    giveUp(abort) {
      isGivingUp = true;
      try {
        abort();
      } finally {
        isGivingUp = false;
      }
    },
  };
}

function isTls({ protocol }: { protocol: string }): boolean {
  return protocol === 'https:';
}
