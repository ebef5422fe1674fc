import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** One answer that stays open, as server-sent events. A reader who is too slow is cut off, and can resume. */
export type EventStream = {
  readonly isOpen: boolean;
  /** Cuts off a reader who has not taken most of what was sent before. */
  send(chunk: Buffer): void;
  /** Resolves when what was sent has left, or the stream is over. */
  drained(): Promise<void>;
  end(): void;
  onEnd(listener: () => void): void;
};

/** Bytes that may wait for a reader; above this, the next piece is not added. */
const mostWaiting = 1_048_576;
/** A reader who takes nothing for this long while much waits is gone. */
const drainMs = 30_000;
/** How often the token of an open answer is checked. */
const stillMs = 3_000;

/** An empty comment: proxies and browsers see the answer begin, and see that it is alive. */
export const heartbeat = Buffer.from(':\n\n');

export function openStream(reply: FastifyReply): EventStream {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    // nginx would hold events back until its buffer is full.
    'x-accel-buffering': 'no',
  });
  raw.write(heartbeat);
  return streamOn(raw);
}

/** Ends the stream when its reader's token was revoked or has expired; a ledger that does not answer ends nothing. */
export function endWhenRefused(stream: EventStream, isStill: (() => Promise<boolean>) | null): void {
  if (isStill === null) return;
  const timer = setInterval(() => {
    isStill().then(
      (still) => {
        if (!still) stream.end();
      },
      () => undefined,
    );
  }, stillMs);
  stream.onEnd(() => clearInterval(timer));
}

function streamOn(raw: ServerResponse): EventStream {
  let open = !raw.destroyed;
  raw.once('close', () => {
    open = false;
  });
  // An error also ends it.
  raw.on('error', () => undefined);
  return {
    get isOpen() {
      return open;
    },
    send(chunk) {
      if (!open) return;
      if (raw.writableLength > mostWaiting) raw.destroy();
      else raw.write(chunk);
    },
    async drained() {
      if (!open || !raw.writableNeedDrain) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => raw.destroy(), drainMs);
        const done = () => {
          clearTimeout(timer);
          raw.off('drain', done);
          raw.off('close', done);
          resolve();
        };
        raw.on('drain', done);
        raw.on('close', done);
      });
    },
    end() {
      if (open) raw.end();
    },
    onEnd(listener) {
      if (open) raw.once('close', listener);
      else listener();
    },
  };
}
