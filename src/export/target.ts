import { once } from 'node:events';
import { access, constants, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { CarillonError } from '../base/errors.ts';

/** Where an export goes. A file appears complete or not at all; a stream is never filled faster than it drains. */
export type Target = { path: string } | { stream: Writable };

export type OpenTarget = {
  write(text: string): Promise<void>;
  /** Makes the file appear under its name. A stream stays open: it belongs to the caller. */
  finish(): Promise<void>;
  /** Leaves no partial file behind; an older file stays as it was. */
  abandon(): Promise<void>;
};

export async function openTarget(target: Target): Promise<OpenTarget> {
  return 'stream' in target ? openStream(target.stream) : openFile(target.path);
}

/** Checks whether results could be written there, without creating anything. */
export async function checkTarget(named: string): Promise<void> {
  const path = await realpath(named).catch(() => named);
  try {
    const old = await stat(path).catch(() => null);
    if (old?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    await access(old && !old.isFile() ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw unwritable(path, error);
  }
}

async function openFile(named: string): Promise<OpenTarget> {
  // A link stays a link, and a pipe or a device must not be replaced by a file.
  const path = await realpath(named).catch(() => named);
  const old = await stat(path).catch(() => null);
  const direct = old !== null && !old.isFile();
  const draft = direct ? path : join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  // People's numbers and words: readable only by the file's owner, unless an existing file's mode says otherwise.
  const handle = await open(draft, 'w', old?.isFile() ? old.mode & 0o777 : 0o600).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  return {
    async write(text) {
      try {
        await handle.appendFile(text);
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

function openStream(stream: Writable): OpenTarget {
  return {
    async write(text) {
      if (stream.destroyed)
        throw new CarillonError('file-unreadable', 'The reader of the results has closed');
      if (stream.write(text)) return;
      const gone = new AbortController();
      try {
        // A reader that closes never drains: its closing ends the wait too.
        await Promise.race([
          once(stream, 'drain', { signal: gone.signal }),
          once(stream, 'close', { signal: gone.signal }),
        ]);
      } finally {
        gone.abort();
      }
    },
    async finish() {},
    async abandon() {},
  };
}

function unwritable(path: string, error: unknown): CarillonError {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const why =
    {
      ENOENT: 'its folder does not exist',
      EACCES: 'this user may not write there',
      EROFS: 'the disk is read-only',
      EISDIR: 'a folder has that name',
      ENOSPC: 'the disk is full',
    }[code] ?? (error as Error).message;
  return new CarillonError('file-unreadable', `${path} cannot be written: ${why}`, {
    remedy: 'Make room there, or name another file.',
    cause: error,
  });
}
