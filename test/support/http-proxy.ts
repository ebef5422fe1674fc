import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { selfSigned } from '../voice/servers.ts';

/** A real HTTP proxy: tunnels and whole addresses, well-behaved and not. Every name leads to one server on loopback. */
export type HttpProxyServer = {
  url: string;
  port: number;
  /** The requests that it was asked, tunnels too. */
  seen: { method: string; url: string; headers: IncomingMessage['headers'] }[];
  /** The way it acts from now on. */
  act: ProxyAct;
  close(): Promise<void>;
};

export type ProxyAct =
  | 'pass'
  /** Answers by itself; the service hears nothing. */
  | { refuse: number; text?: string }
  /** Passes the request on, and answers by itself. */
  | { instead: number }
  /** Passes the request on, and breaks the connection when the service answers. */
  | 'reset'
  /** Opens no tunnel and says nothing; passes a request on, and says nothing. */
  | 'hang';

/** A tunnel ends in TLS for any name, in front of the same server. */
export async function startHttpProxy(port: number): Promise<HttpProxyServer> {
  const identity = selfSigned();
  const sockets = new Set<Socket>();
  const remember = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((request, response) => {
    note(request);
    const { act } = proxy;
    if (typeof act === 'object' && 'refuse' in act) {
      request.resume().on('end', () => response.writeHead(act.refuse).end(act.text ?? ''));
    } else pass(request, response, port, act);
  });
  const note = ({ method = '', url = '', headers }: IncomingMessage) =>
    proxy.seen.push({ method, url, headers });
  server.on('connection', remember);
  server.on('connect', (request, stream, head) => {
    const near = stream as Socket;
    note(request);
    const { act } = proxy;
    if (act === 'hang') return;
    if (typeof act === 'object' && 'refuse' in act) {
      return void near.end(`HTTP/1.1 ${act.refuse} Refused\r\ncontent-length: 0\r\n\r\n`);
    }
    near.write('HTTP/1.1 200 Connection established\r\n\r\n');
    near.unshift(head);
    const inside = new TLSSocket(near, { isServer: true, ...identity });
    const far = connect(port, '127.0.0.1');
    remember(far);
    inside.on('error', () => {});
    inside.on('close', () => far.destroy());
    inside.pipe(far);
    far.on('data', (chunk) => (proxy.act === 'reset' ? near.resetAndDestroy() : inside.write(chunk)));
    far.on('close', () => inside.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  const proxy: HttpProxyServer = {
    url: `http://127.0.0.1:${own}`,
    port: own,
    seen: [],
    act: 'pass',
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return proxy;
}

function pass(request: IncomingMessage, response: ServerResponse, port: number, act: ProxyAct): void {
  const { pathname, search } = new URL(request.url!);
  const { 'proxy-authorization': _, ...headers } = request.headers;
  const onward = send({ host: '127.0.0.1', port, method: request.method, path: pathname + search, headers });
  onward.on('error', () => response.destroy());
  onward.on('response', (answer) => {
    if (act === 'reset') request.socket.resetAndDestroy();
    else if (act === 'hang') answer.resume();
    else if (typeof act === 'object' && 'instead' in act) {
      answer.resume();
      response.writeHead(act.instead).end();
    } else answer.pipe(response.writeHead(answer.statusCode!, answer.headers));
  });
  request.pipe(onward);
}
