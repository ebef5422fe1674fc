import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { type EventStream, openStream } from '../../src/api/events/stream.ts';

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
  // What is sent to nobody does no harm.
  stream!.send(chunk);
  await stream!.drained();
  reader.destroy();
  await server.close();
  expect(stream!.isOpen).toBe(false);
});
