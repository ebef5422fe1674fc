import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import type { Dispatch } from './connections.ts';

/** A body that is read as it comes, such as a recording; whoever opens it reads it to its end, or destroys it. */
export type Opened = { status: number; headers: IncomingHttpHeaders; body: Readable };

const idleMs = 30_000;

/** One GET; redirects are answers. */
export async function openBody(
  url: URL,
  headers: readonly string[],
  dispatcher: Dispatch,
  signal?: AbortSignal,
): Promise<Opened> {
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
  return { status: statusCode, headers: told, body };
}

/** The first of a body that is not wanted whole; the rest is not read. */
export async function beginningOf({ body }: Opened, most: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size >= most) break;
  }
  return Buffer.concat(parts).subarray(0, most).toString('utf8');
}
