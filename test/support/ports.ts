import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give to connections that go out: a port that is let go of here is not taken by one of them. */
const first = 10_000;
const count = 12_000;

/** A port on which nobody listens, and hardly anybody will: to be listened on, left, and come back to. */
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
