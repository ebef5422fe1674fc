import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A receiver of webhooks: keeps what it was sent, answers as a test says, and may be away for a while. */
export type Got = {
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: events have data of every shape.
  event: any;
};

/** A number is the status; null never answers. */
export type ReceiverAnswer = number | null | ((response: ServerResponse) => void);

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

export async function startReceiver(tls?: { key: string; cert: string }) {
  const got: Got[] = [];
  const waiting = new Set<() => void>();
  const receiver = {
    port: 0,
    url: '',
    /** Everything that was sent, whatever was answered. */
    got,
    /** The events that were taken, in order. */
    taken: [] as Got[],
    requests: 0,
    answer: (_got: Got): ReceiverAnswer => 204,
    ids: () => receiver.taken.map(({ event }) => event.id as string),
    /** Resolves when so many were taken. */
    async takes(count: number): Promise<void> {
      while (receiver.taken.length < count) await new Promise<void>((resolve) => waiting.add(resolve));
    },
    async leave() {
      server?.closeAllConnections();
      server?.close();
      if (server) await once(server, 'close');
      server = undefined;
    },
    async come() {
      const handle = (request: IncomingMessage, response: ServerResponse) => void take(request, response);
      server = tls ? createTlsServer(tls, handle) : createServer(handle);
      server.listen(receiver.port, '127.0.0.1');
      await once(server, 'listening');
      receiver.port = (server.address() as AddressInfo).port;
      receiver.url = `${tls ? 'https' : 'http'}://localhost:${receiver.port}/hook`;
    },
  };
  let server: Server | undefined;

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    receiver.requests += 1;
    let text = '';
    try {
      for await (const chunk of request) text += chunk;
    } catch {
      return;
    }
    const one: Got = { headers: request.headers as Got['headers'], text, event: text && JSON.parse(text) };
    got.push(one);
    const answer = receiver.answer(one);
    if (answer === null) return;
    if (typeof answer === 'function') return answer(response);
    if (answer < 300) receiver.taken.push(one);
    response.writeHead(answer).end();
    for (const wake of waiting) wake();
    waiting.clear();
  }

  await receiver.come();
  return receiver;
}
