import type { Readable } from 'node:stream';
import { CarillonError } from '../../base/errors.ts';
import { type ListAccess, openAddress } from '../../intake/remote/open.ts';
import type { SentBody } from './body.ts';

/**
 * A list that is sent as its address. Only the web: what this process may read of S3 is not the sender's.
 */
export async function openSentAddress(
  access: ListAccess,
  body: Readable,
  { sheet }: { sheet?: unknown },
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
  const { opened, format } = await openAddress(text, access, {
    sheet: typeof sheet === 'string' ? sheet : undefined,
  });
  const { handle, file } = opened;
  const stream = handle.createReadStream({ start: 0, autoClose: false });
  return { source: { stream, name: file }, format, close: () => handle.close() };
}

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
