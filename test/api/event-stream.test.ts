import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { createFeed } from '../../src/api/events/feed.ts';
import { type EventStream, endWhenRefused, openStream } from '../../src/api/events/stream.ts';
import { systemClock } from '../../src/base/clock.ts';
import { createLog } from '../../src/base/log.ts';
import { everyEvent, type LedgerEvent } from '../../src/ledger/events/events.ts';

/** One open answer, and someone who does not read it. */
it('a reader who takes nothing is cut when much waits, and what waits has a bound', async () => {
  const server = Fastify();
  const streams: EventStream[] = [];
  server.get('/', (_request, reply) => {
    streams.push(openStream(reply));
    return reply;
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const reader = connect(port, '127.0.0.1');
  reader.on('error', () => undefined);
  await once(reader, 'connect');
  reader.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await once(reader, 'data');
  reader.pause();
  const [stream] = streams;
  const ended = new Promise<void>((resolve) => stream!.onEnd(resolve));
  const chunk = Buffer.alloc(200_000, ' ');
  // The kernel takes some megabytes for it.
  while (stream!.isOpen) {
    stream!.send(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  // A piece that is sent to nobody does no harm.
  stream!.send(chunk);
  await stream!.drained();
  reader.destroy();
  await server.close();
  expect(stream!.isOpen).toBe(false);
});

it('an answer ends when the token of its reader was revoked, and not when nobody can tell', async () => {
  vi.useFakeTimers();
  try {
    const ended: string[] = [];
    const listeners: (() => void)[] = [];
    const stream = {
      end: () => {
        ended.push('ended');
        for (const listener of listeners) listener();
      },
      onEnd: (listener: () => void) => listeners.push(listener),
    } as unknown as EventStream;
    const answers = [true, new Error('the ledger is away'), true, false];
    endWhenRefused(stream, async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer!;
    });
    endWhenRefused(stream, null);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([ended, answers]).toEqual([['ended'], []]);
  } finally {
    vi.useRealTimers();
  }
});

it('a process takes so many readers, and one more when one has left', async () => {
  const events = {
    number: async () => 0,
    pending: async () => ({ waits: false, last: 0 }),
    read: async () => ({ events: [], upto: 0 }),
  };
  const log = createLog('silent');
  const feed = createFeed({ events, show: async () => [], clock: systemClock, log, most: 2 });
  const leave: (() => void)[] = [];
  const stream = (): EventStream => ({
    isOpen: true,
    send: () => undefined,
    drained: async () => undefined,
    end: () => undefined,
    onEnd: (listener) => leave.push(listener),
  });
  const wish = { filter: everyEvent, after: 0, seesPeople: true, who: 'a' };
  for (let n = 0; n < 2; n++) {
    feed.makeRoom('a');
    feed.follow(stream(), wish);
  }
  expect(() => feed.makeRoom('a')).toThrow('Too many event streams');
  leave[0]!();
  expect(() => feed.makeRoom('a')).not.toThrow();
  await feed.close();
});

it('a feed that stops sends its readers away for a while, rather than with an empty stream', async () => {
  const events = { number: async () => 0, pending: async () => ({ waits: false, last: 0 }) };
  const read = async (after: number) => ({ events: [], upto: after });
  const parts = { events: { ...events, read }, show: async () => [], clock: systemClock };
  const feed = createFeed({ ...parts, log: createLog('silent') });
  feed.makeRoom('a');
  await feed.close();
  expect(() => feed.makeRoom('a')).toThrow(expect.objectContaining({ code: 'stopping' }));
});

it('an event that no reader wants is left to wait, and is numbered when a wanted one waits too', async () => {
  let [numbered, looked, waits] = [0, 0, false];
  const events = {
    number: async () => ++numbered,
    pending: async () => ({ waits, last: ++looked && numbered }),
    read: async (after: number) => ({ events: [], upto: after }),
  };
  const feed = createFeed({ events, show: async () => [], clock: systemClock, log: createLog('silent') });
  const stream = { isOpen: true, send() {}, drained: async () => {}, end() {}, onEnd() {} } as EventStream;
  feed.follow(stream, {
    filter: { types: ['alert.raised'], campaignId: null },
    after: 0,
    seesPeople: true,
    who: 'a',
  });
  // Events that waited before it came are numbered once.
  await vi.waitFor(() => expect(looked).toBeGreaterThan(2), 5_000);
  expect(numbered).toBe(1);
  waits = true;
  await vi.waitFor(() => expect(numbered).toBeGreaterThan(1), 5_000);
  await feed.close();
});

it('events that are shown in parts reach every reader once, in order', async () => {
  const all = Array.from({ length: 80 }, (_, nth) => ({
    number: nth + 1,
    id: `evt_${nth + 1}`,
    type: 'attempt.done',
    at: new Date(),
  })) as unknown as LedgerEvent[];
  const events = {
    number: async () => all.length,
    pending: async () => ({ waits: true, last: all.length }),
    read: async (after: number, limit: number) => {
      const found = all.slice(after, after + limit);
      return { events: found, upto: found.at(-1)?.number ?? after };
    },
  };
  const sizes: number[] = [];
  const transcript = 'x'.repeat(256 * 1024);
  const show = async (some: readonly LedgerEvent[]) => {
    const first = some.slice(0, 15);
    sizes.push(first.length);
    return first.map(({ id, type, at }) => ({ id, type, at, data: { transcript } }));
  };
  const feed = createFeed({ events, show, clock: systemClock, log: createLog('silent') });
  const follow = (after: number) => {
    let text = '';
    const stream = { isOpen: true, drained: async () => {}, end() {}, onEnd() {} };
    const send = (chunk: Buffer) => {
      text += chunk.toString().replaceAll(/^data:.*$/gm, '');
    };
    feed.follow({ ...stream, send } as EventStream, {
      filter: everyEvent,
      after,
      seesPeople: true,
      who: 'a',
    });
    return () => [...text.matchAll(/^id: evt_(\d+)$/gm)].map(([, id]) => Number(id));
  };
  const late = follow(40);
  const early = follow(0);
  await vi.waitFor(() => expect([late().at(-1), early().at(-1)]).toEqual([80, 80]), 30_000);
  expect(late()).toEqual(all.slice(40).map(({ number }) => number));
  expect(early()).toEqual(all.map(({ number }) => number));
  expect(Math.max(...sizes)).toBe(15);
  await feed.close();
});
