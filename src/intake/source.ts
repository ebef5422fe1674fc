import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { unwritable } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';

/** `name` is how errors call a stream. */
export type CsvSource = { path: string } | { stream: Readable; name?: string | undefined } | OpenSource;
export type OpenSource = { handle: FileHandle; file: string };

/** Opens a source that can be read twice: the encoding is known only at the end of the first pass. */
export async function openSource(source: CsvSource): Promise<OpenSource> {
  if ('handle' in source) return source;
  if ('stream' in source) {
    const { stream, name } = source;
    return { handle: await spool(stream, name ?? 'the input'), file: name ?? 'The input' };
  }
  const file = basename(source.path);
  try {
    const info = await stat(source.path);
    if (info.isDirectory()) throw aFolder(source.path);
    if (info.isFile()) return { handle: await open(source.path, 'r'), file };
  } catch (error) {
    throw unreadable(source.path, error);
  }
  return { handle: await spool(createReadStream(source.path), source.path), file };
}

async function spool(stream: Readable, name: string): Promise<FileHandle> {
  const handle = await openScratch(name);
  try {
    for await (const chunk of stream) {
      await handle
        .appendFile(typeof chunk === 'string' ? chunk : (chunk as Uint8Array))
        .catch((error: unknown) => refuseScratch(name, error));
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw unreadable(name, error);
  }
}

/** A file that is unlinked once it is open, so that nothing stays behind, however the process ends. */
export async function openScratch(name: string): Promise<FileHandle> {
  const path = join(tmpdir(), `carillon-${randomUUID()}`);
  const refused = (error: unknown) => refuseScratch(name, error);
  const handle = await open(path, 'wx+', 0o600).catch(refused);
  await unlink(path).catch(async (error: unknown) => {
    await handle.close();
    refused(error);
  });
  return handle;
}

function refuseScratch(name: string, error: unknown): never {
  throw unwritable(`The copy of ${name} in ${tmpdir()}`, error);
}

/** Returns the check for the end of the reading: a file that another program still writes is refused. */
export async function watchChange({ handle, file }: OpenSource): Promise<() => Promise<void>> {
  const before = await handle.stat();
  return async () => {
    const after = await handle.stat();
    if (after.size === before.size && after.mtimeMs === before.mtimeMs) return;
    throw new CarillonError('file-broken', `${file} was changed while it was read`, {
      remedy: 'Run it again when the file is complete.',
    });
  };
}

export function aFolder(path: string): CarillonError {
  return new CarillonError('file-unreadable', `${path} is a folder, not a file`);
}

/** Turns an error of the file system into ours; returns any other error unchanged. */
export function unreadable(name: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (error instanceof CarillonError || code === undefined) return error;
  const why =
    { ENOENT: 'does not exist', EISDIR: 'is a folder, not a file', EACCES: 'may not be read by this user' }[
      code
    ] ?? `cannot be read: ${(error as Error).message}`;
  return new CarillonError('file-unreadable', `${name} ${why}`, { cause: error });
}
