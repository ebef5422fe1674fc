import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './limits.ts';

/**
 * Limits the connections of clients: how many there are, and how long a request may take to arrive. Node limits only
 * the headers. When all connections are taken, one whose request was not yet allowed, or has not arrived whole, makes
 * room for the new one: the oldest of the address that has most of them. So nobody shuts others out by opening many,
 * whatever they send on them.
 */
export type ConnectionLimits = {
  /** Connections at a time. Each reader of the events holds one. */
  most: number;
  /** Extra connections while all of these are at work, for one answer each: the stop button must get through. */
  spare: number;
  /** The time from a request's first byte to the end of its headers; also how long a new connection may stay silent. */
  headersMs: number;
  /** The time from the headers to the end of a body that is read whole. */
  bodyMs: number;
  /** The same where anyone may send a body. */
  openBodyMs: number;
  /** The time between two pieces of a body that is read as a stream. */
  pieceMs: number;
  /** The time between two requests. */
  idleMs: number;
};

export const usualLimits: ConnectionLimits = {
  most: 4_000,
  spare: 32,
  headersMs: 15_000,
  bodyMs: 60_000,
  openBodyMs: 3_000,
  pieceMs: 120_000,
  // Longer than most proxies keep a connection, so that the proxy closes it and not we.
  idleMs: 72_000,
};

type Connections = {
  /** Its request is allowed: once its body has arrived, it keeps its place until it is answered. */
  keep(request: IncomingMessage, response: ServerResponse, streamed: boolean): void;
  /** Whether all connections are at work; a spare connection is for one answer. */
  isFull(): boolean;
  /**
   * From now on a connection lasts for the current answer, and new ones are refused: browsers open some ahead of need.
   */
  end(): void;
};

export function limitConnections(
  http: Server,
  { most, spare }: Pick<ConnectionLimits, 'most' | 'spare'>,
): Connections {
  const waiting = createWaiting();
  let open = 0;
  let ending = false;

  http.on('connection', (socket) => {
    if (ending) return void socket.destroy();
    open++;
    if (open > most + spare) {
      const oldest = waiting.oldest();
      // All are at work: refuse the new one at once, so that it need not wait for a time-out.
      if (oldest === undefined) socket.destroy();
      else drop(oldest);
    }
    waiting.add(socket, true);
    socket.once('close', () => {
      open--;
      waiting.delete(socket);
    });
  });
  http.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.add(socket, false);
    response.once('close', () => {
      if (ending) socket.destroySoon();
      else if (!socket.destroyed) waiting.add(socket, false);
    });
  });

  function drop(socket: Socket): void {
    waiting.delete(socket);
    socket.destroy();
  }

  return {
    keep(request, response, streamed) {
      const take = () => {
        if (!response.closed) waiting.delete(request.socket);
      };
      // A list may take long to arrive, and its sender has a token that may change something.
      if (streamed || request.complete || !hasBody(request)) take();
      else request.once('end', take);
    },
    isFull: () => open - waiting.size() >= most,
    end() {
      ending = true;
      for (const socket of waiting.unused()) drop(socket);
    },
  };
}

/** The connections that may make room, by the network that they come from, oldest first. */
function createWaiting() {
  const networks = new Map<string, Map<Socket, boolean>>();
  const places = new Map<Socket, string>();
  const remove = (socket: Socket) => {
    const place = places.get(socket);
    if (place === undefined) return;
    places.delete(socket);
    const sockets = networks.get(place)!;
    sockets.delete(socket);
    if (sockets.size === 0) networks.delete(place);
  };
  return {
    /** `unused`: it never sent a request. */
    add(socket: Socket, unused: boolean): void {
      const place = places.get(socket) ?? networkOf(socket.remoteAddress ?? '');
      remove(socket);
      const sockets = networks.get(place) ?? new Map<Socket, boolean>();
      networks.set(place, sockets.set(socket, unused));
      places.set(socket, place);
    },
    delete: remove,
    size: () => places.size,
    oldest(): Socket | undefined {
      let largest: Map<Socket, boolean> | undefined;
      for (const sockets of networks.values()) if (sockets.size > (largest?.size ?? 0)) largest = sockets;
      return largest?.keys().next().value;
    },
    unused: () =>
      [...networks.values()].flatMap((sockets) =>
        [...sockets].flatMap(([socket, unused]) => (unused ? [socket] : [])),
      ),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return coding !== undefined || Number(length) !== 0;
}

/** Ends the connection of a request whose body takes too long. A streamed body may take as long as it moves. */
export function limitBody(request: IncomingMessage, ms: number, streamed: boolean): void {
  if (!hasBody(request)) return;
  let seen = request.socket.bytesRead;
  const look = () => {
    if (request.complete) return;
    // Bytes that have arrived but were not read yet wait for us, not for the client.
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

/**
 * How much of a body is read and discarded, and for how long, before its refusal closes the connection: an answer ahead
 * of unread bytes is lost.
 */
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
