import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Holds connections to what a client may take of this process: a limit on how many there are, and times within which a
 * request must have arrived. Node limits only the headers. When all connections are taken, the one that has waited
 * longest without a request makes room for the new one, so that nobody shuts others out by opening many.
 */
export type ConnectionLimits = {
  /** Connections at a time. Those who follow the events hold one each. */
  most: number;
  /** From the first byte of a request to the end of its headers; also how long a new connection may say nothing. */
  headersMs: number;
  /** From the headers to the end of a body that is read whole. */
  bodyMs: number;
  /** Between two pieces of a body that is read as it comes. */
  pieceMs: number;
  /** Between two requests. */
  idleMs: number;
};

export const usualLimits: ConnectionLimits = {
  most: 4_000,
  headersMs: 15_000,
  bodyMs: 60_000,
  pieceMs: 120_000,
  // Longer than most proxies keep a connection, so that they close it and not we.
  idleMs: 72_000,
};

export type Connections = {
  /** Its request is refused: from now on it may be closed for another that needs the room. */
  release(socket: Socket): void;
  /** Destroys those that never asked anything: browsers open connections ahead of need. */
  dropUnused(): void;
};

export function limitConnections(http: Server, { most }: ConnectionLimits): Connections {
  /** Without a request at this moment, in the order in which they came to be so; true when there never was one. */
  const waiting = new Map<Socket, boolean>();
  let open = 0;

  http.on('connection', (socket) => {
    open++;
    if (open > most) {
      const oldest = waiting.keys().next();
      // All are at work: the new one learns it at once, and not from a time-out.
      if (oldest.done) socket.destroy();
      else drop(oldest.value);
    }
    waiting.set(socket, true);
    socket.once('close', () => {
      open--;
      waiting.delete(socket);
    });
  });
  http.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) waiting.set(socket, false);
    });
  });

  function drop(socket: Socket): void {
    waiting.delete(socket);
    socket.destroy();
  }

  return {
    release(socket) {
      if (!socket.destroyed) waiting.set(socket, false);
    },
    dropUnused() {
      for (const [socket, unused] of waiting) if (unused) drop(socket);
    },
  };
}

/** Ends the connection of a request whose body takes too long. One that is read as it comes may take as long as it moves. */
export function limitBody(request: IncomingMessage, streamed: boolean, limits: ConnectionLimits): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (coding === undefined && Number(length) === 0) return;
  const ms = streamed ? limits.pieceMs : limits.bodyMs;
  let seen = request.socket.bytesRead;
  const look = () => {
    if (request.complete) return;
    // Bytes that have come and were not read yet wait for us, not for the client.
    const moves = request.socket.bytesRead > seen || request.readableLength > 0;
    if (!streamed || !moves) return request.socket.destroy();
    seen = request.socket.bytesRead;
    timer = setTimeout(look, ms);
  };
  let timer = setTimeout(look, ms);
  const stop = () => clearTimeout(timer);
  request.once('end', stop);
  request.once('close', stop);
}

/** So much of a body is read and thrown away, for so long, before its refusal closes the connection: an answer in front of unread bytes is lost. */
const drainBytes = 2_097_152;
const drainMs = 1_000;

export async function drainBody(request: IncomingMessage): Promise<void> {
  if (request.complete) return void request.resume();
  const from = request.socket.bytesRead;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, drainMs);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', () => {
      if (request.socket.bytesRead - from > drainBytes) stop();
    });
    request.once('end', stop);
    request.once('close', stop);
  });
}
