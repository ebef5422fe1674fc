import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range of outgoing connections, so that none of them takes a port released here. */
const first = 10_000;
const count = 12_000;

/** A port on which nothing listens. A test may listen on it, release it and take it again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
