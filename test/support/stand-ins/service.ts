/** A stand-in of a service: a real HTTP server with the shape that the service publishes, strict about what it takes. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type StandInAsked = {
  method: string;
  path: string;
  query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: bodies have every shape.
  body: any;
  headers: Headers;
  text: string;
};
export type StandInAnswer = { status: number; body?: unknown; headers?: Record<string, string> };

export type StandIn = Awaited<ReturnType<typeof startStandIn>>;

/** `hiccups`: how the next requests are answered instead, one each. */
export async function startStandIn(answer: (asked: StandInAsked) => StandInAnswer) {
  const hiccups: StandInAnswer[] = [];
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    const isJson = request.headers['content-type']?.startsWith('application/json');
    const method = request.method!;
    asked.push(`${method} ${pathname}`);
    const { status, body, headers } =
      hiccups.shift() ??
      answer({
        method,
        path: decodeURIComponent(pathname),
        query: searchParams,
        body: isJson ? JSON.parse(text) : null,
        headers: new Headers(request.headers as Record<string, string>),
        text,
      });
    const sent = body === undefined ? undefined : JSON.stringify(body);
    response.writeHead(status, { ...(sent ? { 'content-type': 'application/json' } : {}), ...headers });
    response.end(sent);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Each request, as `METHOD path`. */
    asked,
    hiccups,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The first of these that is wrong. */
export function faultOf(rules: Record<string, boolean>): string | undefined {
  return Object.keys(rules).find((rule) => !rules[rule]);
}
