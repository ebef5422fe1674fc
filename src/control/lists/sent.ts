import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { CarillonError } from '../../base/errors.ts';
import type { Stoppable } from '../../base/lifecycle.ts';
import { type ListAccess, openAddress } from '../../intake/remote/open.ts';
import { openSource } from '../../intake/source.ts';
import type { BodyFormat } from '../../ledger/background/background.ts';
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

/**
 * Lists that were sent for a preview, kept on this process's disk for a while: other columns can be tried, and the list
 * stored, without sending it again. Their files have no name, so that none stays behind.
 */
export type KeptLists = Stoppable & {
  /** Takes the whole list and replaces one with the same id; the least recently used lists make room. */
  keep(id: string, sent: SentBody): Promise<void>;
  /** Reads a list from its start; throws when it is no longer kept. */
  use<T>(id: string, work: (list: SentBody) => Promise<T>): Promise<T>;
};

type Kept = { handle: FileHandle; format: BodyFormat; readers: number; timer: NodeJS.Timeout | undefined };

const keptMs = 15 * 60_000;
const mostKept = 8;
const pieceBytes = 256 * 1024;

export function createKeptLists(): KeptLists {
  /** Ordered by last use. */
  const lists = new Map<string, Kept>();
  const closing = new Set<Promise<void>>();

  const end = (list: Kept) => {
    const closed: Promise<void> = list.handle.close().finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const drop = (id: string) => {
    const list = lists.get(id);
    if (!list) return;
    lists.delete(id);
    clearTimeout(list.timer);
    // Its last reader closes it.
    if (list.readers === 0) end(list);
  };
  const touch = (id: string, list: Kept) => {
    lists.delete(id);
    lists.set(id, list);
    clearTimeout(list.timer);
    list.timer = setTimeout(() => drop(id), keptMs).unref();
  };

  return {
    name: 'kept lists',
    async keep(id, { source, format }) {
      const { handle } = await openSource(source);
      drop(id);
      touch(id, { handle, format, readers: 0, timer: undefined });
      for (const oldest of lists.keys()) if (lists.size > mostKept) drop(oldest);
    },
    async use(id, work) {
      const list = lists.get(id);
      if (!list) throw new CarillonError('list-gone');
      touch(id, list);
      list.readers += 1;
      const stream = Readable.from(chunksOf(list.handle));
      try {
        return await work({ source: { stream }, format: list.format });
      } finally {
        stream.destroy();
        list.readers -= 1;
        if (list.readers === 0 && lists.get(id) !== list) end(list);
      }
    },
    async close() {
      for (const id of [...lists.keys()]) drop(id);
      await Promise.all(closing);
    },
  };
}

/** Reads by position, so that several readers can share the handle: a stream would close it at its end. */
async function* chunksOf(handle: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
