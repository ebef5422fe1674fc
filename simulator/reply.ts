/** An answer before it is written: its status, its body, its headers. */

export type Reply = { status: number; body: string | Buffer; headers: Record<string, string> };

export function json(status: number, value: unknown, headers: Record<string, string> = {}): Reply {
  return {
    status,
    body: JSON.stringify(value),
    headers: { 'content-type': 'application/json', ...headers },
  };
}

/** The interface leaves the body of these open. One sentence under `detail` is the most common form. */
export function refusal(status: number, detail: string, headers?: Record<string, string>): Reply {
  return json(status, { detail }, headers);
}

/** The answer of a proxy in front of the service when it cannot reach it. */
export function proxyPage(status: number): Reply {
  const title = `${status} ${status === 502 ? 'Bad Gateway' : 'Error'}`;
  return {
    status,
    body: `<html><head><title>${title}</title></head><body><h1>${title}</h1><hr>proxy</body></html>`,
    headers: { 'content-type': 'text/html' },
  };
}

export function withHeaders(reply: Reply, headers: Record<string, string>): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } };
}
