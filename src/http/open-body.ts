import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import type { Dispatch } from './connections.ts';

/** A body that is read as it comes, such as a recording; anyone who opens it reads it to its end, or destroys it. */
export type Body = { headers: IncomingHttpHeaders; body: Readable };
/** `moved`: it is at another address; `none`: it is not there, for a reason that continues "The recording at ...". */
export type OpenedBody =
  | ({ kind: 'open' } & Body)
  | { kind: 'moved'; to: string }
  | { kind: 'none'; why: string };

const idleMs = 30_000;

type Answered = Body & { status: number };

/** One GET; redirects are answers. */
export async function openBody(
  url: URL,
  headers: readonly string[],
  dispatcher: Dispatch,
  signal?: AbortSignal,
): Promise<Answered> {
  const {
    statusCode,
    headers: told,
    body,
  } = await request(url, {
    headers: [...headers],
    // Undici asks of it only that it dispatches.
    dispatcher: dispatcher as Dispatcher,
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    ...(signal ? { signal } : {}),
  });
  // A body that is destroyed unread ends with an error, which nobody else may be listening to.
  body.on('error', () => undefined);
  return { status: statusCode, headers: told, body };
}

/** The beginning of a body that is not wanted whole, as far as it comes in half a minute; the rest is not read. */
export async function beginningOf({ body }: Pick<Body, 'body'>, most: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  let isLate = false;
  const patience = setTimeout(() => {
    isLate = true;
    body.destroy();
  }, idleMs);
  try {
    for await (const part of body as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      if (size >= most) break;
    }
  } catch (error) {
    if (!isLate) throw error;
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(parts).subarray(0, most).toString('utf8');
}

export function openedOf({ status, headers, body }: Answered): OpenedBody {
  if (status >= 200 && status < 300) return { kind: 'open', headers, body };
  body.destroy();
  const { location } = headers;
  return status >= 300 && status < 400 && location !== undefined
    ? { kind: 'moved', to: location }
    : { kind: 'none', why: `answered ${status}` };
}
