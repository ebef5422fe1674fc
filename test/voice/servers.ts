import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { createVoiceClient, type VoiceClient, type VoiceOptions } from '../../src/voice/client.ts';

/** Real servers on loopback, well-behaved and not; each ends with its test. */
export type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
export type Reply = {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string | Buffer;
};

export const secret = 'sk-live-0123456789abcdef';
export const order = { agentId: 'agent-1', phone: '+14155550123' };

export function connect(baseUrl: string, options: Partial<VoiceOptions> = {}): VoiceClient {
  const client = createVoiceClient({ baseUrl, key: secret, timeoutMs: 5_000, ...options });
  onTestFinished(() => client.close());
  return client;
}

type AtEnd = (close: () => void | Promise<void>) => void;

/**
 * Answers each request with what `reply` returns, and remembers the requests. Of tests that run at once, each passes its
 * own `onTestFinished`: else the end of another closes the server.
 */
export async function serve(
  reply: (seen: Seen, response: ServerResponse) => Reply | undefined,
  atEnd: AtEnd = onTestFinished,
): Promise<{ baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
      seen.push(one);
      const answer = reply(one, response);
      if (!answer) return;
      const { status = 200, json, text } = answer;
      response.writeHead(status, { 'content-type': 'application/json', ...answer.headers });
      response.end(text ?? (json === undefined ? '' : JSON.stringify(json)));
    });
  });
  const { port } = await listen(server, atEnd);
  atEnd(() => server.closeAllConnections());
  return { baseUrl: `http://127.0.0.1:${port}/v1`, seen };
}

/** A bare socket server; `onRequest` runs when a whole request has arrived. */
export async function serveRaw(onRequest: (socket: Socket, request: string) => void): Promise<{
  baseUrl: string;
  port: number;
  requests: string[];
  sockets: Socket[];
  connections: () => number;
}> {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const server = createNetServer((socket) => {
    sockets.push(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      const head = text.indexOf('\r\n\r\n');
      if (head < 0 || text.length < head + 4 + length) return;
      const request = text;
      text = '';
      requests.push(request);
      onRequest(socket, request);
    });
  });
  const { port } = await listen(server);
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    sockets,
    connections: () => sockets.length,
  };
}

export async function serveTls(): Promise<{ baseUrl: string; requests: () => number }> {
  let requests = 0;
  const server = createTlsServer(selfSigned(), (socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
    });
  });
  server.on('tlsClientError', () => {});
  const { port } = await listen(server);
  return { baseUrl: `https://localhost:${port}/v1`, requests: () => requests };
}

/** The bytes of an answer with a body. */
export function http(status: string, body: string, headers: string[] = []): string {
  return [`HTTP/1.1 ${status}`, `content-length: ${Buffer.byteLength(body)}`, ...headers, '', body].join(
    '\r\n',
  );
}

async function listen(server: Server, atEnd: AtEnd = onTestFinished): Promise<AddressInfo> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return server.address() as AddressInfo;
}

/** A self-signed certificate for localhost, made here so that no key is in the repository. */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = (tag: number, ...parts: Buffer[]): Buffer => {
    const body = Buffer.concat(parts);
    const length = body.length;
    const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
    return Buffer.concat([Buffer.from([tag, ...size]), body]);
  };
  const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
  const ecdsaWithSha256 = sequence(der(6, Buffer.from('2a8648ce3d040302', 'hex')));
  const name = sequence(
    der(0x31, sequence(der(6, Buffer.from('550403', 'hex')), der(12, Buffer.from('localhost')))),
  );
  const validity = sequence(der(23, Buffer.from('200101000000Z')), der(23, Buffer.from('490101000000Z')));
  const body = sequence(
    der(0xa0, der(2, Buffer.from([2]))),
    der(2, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', body, privateKey);
  const cert = sequence(body, ecdsaWithSha256, der(3, Buffer.from([0]), signature)).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`,
  };
}
