import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, constants, open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { unwritable } from '../base/disk-errors.ts';
import { CarillonError } from '../base/errors.ts';
import { printable } from '../base/terminal-safe.ts';

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
  const { path, draft, direct } = await look(named);
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

function openStream(stream: Writable & { isTTY?: boolean }): OpenTarget {
  return {
    async write(raw) {
      // A file gets the raw text; a terminal would obey its control characters.
      const text = stream.isTTY ? printable(raw) : raw;
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
