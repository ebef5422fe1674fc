import { request } from 'node:http';
import type { Socket } from 'node:net';

/** Asks a proxy for a tunnel to the service, which hears nothing before the proxy has agreed. */
type Tunnel = Readonly<{
  /** The proxy as it is shown to people. */
  proxy: string;
  /** Host and port of the service. */
  to: string;
  authorization: string | null;
  timeoutMs: number;
}>;

export async function openTunnel(socket: Socket, tunnel: Tunnel): Promise<void> {
  const { proxy, to, authorization, timeoutMs } = tunnel;
  const asked = request({
    method: 'CONNECT',
    path: to,
    headers: {
      host: to,
      connection: 'keep-alive',
      ...(authorization === null ? {} : { 'proxy-authorization': authorization }),
    },
    createConnection: () => socket,
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const status = await new Promise<number>((resolve, reject) => {
      const expire = () => reject(new Error(`${proxy} opened no tunnel to ${to} within ${timeoutMs} ms`));
      timer = setTimeout(expire, timeoutMs);
      asked.once('connect', ({ statusCode = 0 }, _, rest) => {
        if (rest.length > 0) socket.unshift(rest);
        resolve(statusCode);
      });
      // This listener stays, because destroying the socket below makes an error too.
      asked.on('error', reject);
      asked.end();
    });
    if (status < 200 || status >= 300) throw new Error(refusal(tunnel, status));
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function refusal({ proxy, to, authorization }: Tunnel, status: number): string {
  if (status !== 407) return `${proxy} answered ${status} when asked for a tunnel to ${to}`;
  if (authorization === null) return `${proxy} asks for a user name and a password (407)`;
  return `${proxy} does not accept the user name and password in its URL (407)`;
}
