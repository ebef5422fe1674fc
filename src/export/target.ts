import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { S3Settings } from '../base/config/s3.ts';
import { unwritable } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';
import { printable } from '../base/terminal-safe.ts';
import { createS3, readS3Address, type S3Object } from '../http/s3.ts';

/**
 * Where an export goes. A file or an object appears complete or not at all; a stream is never filled faster than it
 * drains.
 */
export type Target = { path: string } | { stream: Writable } | ObjectTarget;

export async function openTarget(target: Target): Promise<OpenTarget> {
  if ('stream' in target) return openStream(target.stream);
  return 'object' in target ? openObject(target) : openFile(target.path);
}

/** Writes all of a target, or leaves nothing of it behind. */
export async function writeWhole<T>(target: Target, write: (out: OpenTarget) => Promise<T>): Promise<T> {
  const out = await openTarget(target);
  try {
    const written = await write(out);
    await out.finish();
    return written;
  } catch (error) {
    await out.abandon();
    throw error;
  }
}

/** Writes a line a row, a batch at a time; returns the number of rows. */
export function writeLines<Row>(
  target: Target,
  header: string,
  batches: AsyncIterable<readonly Row[]>,
  line: (row: Row) => string,
): Promise<number> {
  return writeWhole(target, async (out) => {
    let count = 0;
    await out.write(header);
    for await (const batch of batches) {
      await out.write(batch.map(line).join(''));
      count += batch.length;
    }
    return count;
  });
}

/** The target that a path or an s3:// address names. */
export function targetAt(path: string, { s3 }: { s3: S3Settings }): Target {
  return isObject(path) ? { object: readS3Address(path), s3 } : { path };
}

export function isObject(path: string): boolean {
  return /^s3:\/\//i.test(path);
}

/** Checks whether results could be written there, without creating anything. */
export async function checkTarget(target: Target): Promise<void> {
  if ('stream' in target) return;
  if ('object' in target) return checkObject(target);
  const { path, draft, direct } = await look(target.path);
  try {
    if (direct) await access(path, constants.W_OK);
    // Only writing can tell: a full disk takes a name but no contents, and an administrator is refused nothing else.
    else
      await writeFile(draft, sample, { mode: 0o600, flag: 'wx' }).finally(() => rm(draft, { force: true }));
  } catch (error) {
    throw unwritable(path, error);
  }
}

const sample = ' '.repeat(4_096);

type Place = { path: string; draft: string; direct: boolean; mode: number };

// A link stays a link, and a pipe or a device must not be replaced by a file.
async function look(named: string): Promise<Place> {
  const path = await realpath(named).catch(() => named);
  const old = await stat(path).catch(() => null);
  if (old?.isDirectory()) throw unwritable(path, Object.assign(new Error(), { code: 'EISDIR' }));
  const direct = old !== null && !old.isFile();
  const draft = direct ? path : join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
  // People's numbers and words: readable only by the file's owner, unless an existing file's mode says otherwise.
  return { path, draft, direct, mode: old?.isFile() ? old.mode & 0o777 : 0o600 };
}

async function openFile(named: string): Promise<OpenTarget> {
  const { path, draft, direct, mode } = await look(named);
  // A draft is always a new file: a link that somebody left under its name would lead elsewhere.
  const handle = await open(draft, direct ? 'w' : 'wx', mode).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  return {
    async write(given) {
      try {
        await handle.appendFile(given);
      } catch (error) {
        throw unwritable(path, error);
      }
    },
    async finish() {
      try {
        if (!direct) await handle.sync();
        await handle.close();
        if (!direct) await rename(draft, path);
      } catch (error) {
        throw unwritable(path, error);
      }
    },
    async abandon() {
      await handle.close().catch(() => {});
      if (!direct) await rm(draft, { force: true });
    },
  };
}

function openStream(stream: Writable & { isTTY?: boolean }): OpenTarget {
  return {
    async write(raw) {
      // A file gets the raw text; a terminal would obey its control characters.
      const text = stream.isTTY && typeof raw === 'string' ? printable(raw) : raw;
      if (stream.destroyed)
        throw new CarillonError('file-unwritable', 'The reader of the results has closed');
      if (stream.write(text)) return;
      const gone = new AbortController();
      try {
        // A reader that closes never drains: its closing ends the wait too.
        await Promise.race([
          once(stream, 'drain', { signal: gone.signal }),
          once(stream, 'close', { signal: gone.signal }),
        ]);
      } catch (error) {
        throw unwritable('The output', error);
      } finally {
        gone.abort();
      }
    },
    async finish() {},
    async abandon() {},
  };
}

/**
 * An object in a bucket, sent in parts as they fill, so that memory is bounded. It appears complete or not at all; what
 * a process that dies has sent stays unseen until the store forgets it.
 */
type ObjectTarget = { object: S3Object; s3: S3Settings; clock?: Pick<Clock, 'sleep'> | undefined };

/** What an export writes to, wherever it is. */
export type OpenTarget = {
  write(given: string | Uint8Array): Promise<void>;
  /** Makes the file appear under its name. A stream stays open: it belongs to the caller. */
  finish(): Promise<void>;
  /** Leaves no partial file or object behind; an older one stays as it was. */
  abandon(): Promise<void>;
};

/** A store takes 10,000 parts: 80 GB. */
const partBytes = 8_388_608;

function openObject({ object, s3, clock }: ObjectTarget): OpenTarget {
  const store = createS3(s3, clock);
  const type = typeOf(object.key);
  const parts: string[] = [];
  let upload: string | undefined;
  let pending: Buffer[] = [];
  let size = 0;

  const takePending = () => {
    const bytes = Buffer.concat(pending);
    pending = [];
    size = 0;
    return bytes;
  };
  const sendPart = async (bytes: Buffer) => {
    upload ??= await store.begin(object, type);
    parts.push(await store.part(object, upload, parts.length + 1, bytes));
  };

  return {
    async write(given) {
      const bytes = Buffer.from(given as string);
      pending.push(bytes);
      size += bytes.length;
      if (size >= partBytes) await sendPart(takePending());
    },
    async finish() {
      if (upload === undefined) return store.put(object, takePending(), type);
      if (size > 0) await sendPart(takePending());
      await store.complete(object, upload, parts);
    },
    async abandon() {
      // What cannot be taken back is never seen, either.
      if (upload !== undefined) await store.abort(object, upload).catch(() => undefined);
    },
  };
}

/** Checks whether an object may be written, and leaves none. */
async function checkObject({ object, s3 }: ObjectTarget): Promise<void> {
  const store = createS3(s3);
  await store.abort(object, await store.begin(object, typeOf(object.key)));
}

function typeOf(key: string): string {
  if (/\.csv$/i.test(key)) return 'text/csv; charset=utf-8';
  return /\.parquet$/i.test(key) ? 'application/vnd.apache.parquet' : 'application/x-ndjson';
}
