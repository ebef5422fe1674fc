import type { Readable } from 'node:stream';
import { CarillonError } from '../../base/errors.ts';
import { type ListAccess, openAddress } from '../../intake/remote/open.ts';
import type { SentBody } from './body.ts';

/**
 * A list that is sent as its address. Only the web: what this process may read of S3 is not the sender's. It is read
 * only while the sender waits.
 */
export async function openSentAddress(
  access: ListAccess,
  body: Readable,
  { sheet }: { sheet?: unknown },
  signal: AbortSignal,
): Promise<SentBody & { close(): Promise<void> }> {
  const address = (await readText(body))
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const [text = ''] = address;
  if (address.length !== 1 || !/^https?:\/\//i.test(text)) {
    throw new CarillonError('request-invalid', 'The body is not one address', {
      remedy: 'Send one line, such as https://crm.example/people.csv.',
    });
  }
  if (open >= mostOpen)
    throw new CarillonError('too-many-readers', `${mostOpen} lists are read from their addresses now`);
  open += 1;
  const wanted = typeof sheet === 'string' ? sheet : undefined;
  const { opened, format } = await openAddress(text, access, { sheet: wanted, signal })
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
      throw new CarillonError('file-unreadable', 'The sender left before the list was read');
    })
    .finally(() => {
      open -= 1;
    });
  const { handle, file } = opened;
  const stream = handle.createReadStream({ start: 0, autoClose: false });
  return { source: { stream, name: file }, format, close: () => handle.close() };
}

/** How many this process reads at once: each may be a gigabyte of its disk, and last a quarter of an hour. */
const mostOpen = 8;
let open = 0;

const longest = 8_192;

async function readText(body: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size > longest) break;
  }
  return Buffer.concat(parts).toString('utf8');
}
