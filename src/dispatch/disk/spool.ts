import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import {
  createDiskTeller,
  isDiskFull,
  makeFolder,
  readIfThere,
  syncPath,
  unwritableText,
  writeNew,
} from '../../base/disk-errors.ts';
import type { Log } from '../../base/log.ts';

/**
 * Keeps call ids on disk while the ledger cannot take them, and writes them to the ledger later. Each has a file, which
 * is there whole or not at all: processes need not agree, and what one adds while another reads is a file of its own.
 */
const entry = z.object({
  id: z.string(),
  callId: z.string(),
  status: z.string().nullable(),
  nextPollAt: z.string(),
  deadlineAt: z.string(),
  ticket: z.uuid().optional(),
  provider_call_sid: z.string().nullish(),
  handle: z.string().nullish(),
  mismatch: z.string().nullish(),
});
export type SpoolEntry = z.infer<typeof entry>;

export type Spool = {
  /** Returns when the entry is on the disk; throws when it is not, and then leaves nothing behind. */
  keep(item: SpoolEntry): void;
  /**
   * Writes every kept entry to the ledger, even after one was refused, and removes each that was taken. Returns how
   * many. If two processes write the same one, the ledger takes it once.
   */
  replay(tell: (item: SpoolEntry) => Promise<unknown>): Promise<number>;
  /** Marks that only this process has a call id that neither ledger nor disk took. Returns how to end that. */
  insist(): () => void;
  /** Why no create may leave: its call id could be lost. Null while one can be kept. */
  trouble(): string | null;
};

type SpoolDeps = { home: string; dialer: string; clock: Clock; log: Log };

/** The disk is tried this often, with about as much as a few call ids need. */
const tryMs = 1_000;
const tryBytes = 16_384;

const kept = '.json';
const unreadable = '.unreadable';

export function openSpool({ home, dialer, clock, log }: SpoolDeps): Spool {
  const folder = spoolFolder(home);
  let insisting = 0;
  let full: { why: string | null; triedAt: number } = { why: null, triedAt: Number.NEGATIVE_INFINITY };

  /** A disk that this process may never write to does not count as full: the ledger is then all there is. */
  const tryDisk = (): string | null => {
    if (clock.monotonic() - full.triedAt < tryMs) return full.why;
    const draft = join(folder, `${dialer}.${randomUUID()}.try`);
    try {
      makeFolder(folder, 0o700);
      writeNew(draft, ' '.repeat(tryBytes), 0o600, { sync: false });
      rmSync(draft, { force: true });
      full = { why: null, triedAt: clock.monotonic() };
    } catch (error) {
      const why = isDiskFull(error) ? unwritableText(folder, error) : null;
      full = { why, triedAt: clock.monotonic() };
    }
    return full.why;
  };
  const tell = createDiskTeller(log, 'call ids can be kept');

  return {
    insist() {
      insisting += 1;
      let insists = true;
      return () => {
        insisting -= Number(insists);
        insists = false;
      };
    },
    trouble() {
      const why = tryDisk() ?? (insisting > 0 ? 'call ids are neither in the ledger nor on disk' : null);
      tell(why);
      return why;
    },
    keep(item) {
      const isNew = !existsSync(folder);
      // Whatever happens, the disk is tried again before the next create.
      full.triedAt = Number.NEGATIVE_INFINITY;
      makeFolder(folder, 0o700);
      const name = `${dialer}.${randomUUID()}`;
      const draft = join(folder, `${name}.part`);
      writeNew(draft, `${JSON.stringify(item)}\n`, 0o600);
      try {
        renameSync(draft, join(folder, `${name}${kept}`));
        // A name needs a sync as much as its contents: a power cut must not take it.
        syncPath(folder);
        if (isNew) syncPath(home);
      } catch (error) {
        rmSync(draft, { force: true });
        throw error;
      }
    },
    async replay(tell) {
      let told = 0;
      const refusals: unknown[] = [];
      for (const path of spooled(home)) {
        const text = readIfThere(path);
        // Another process took it.
        if (text === null) continue;
        const item = readEntry(text);
        try {
          if (!item) throw setAside(path);
          await tell(item);
          told += 1;
          rmSync(path, { force: true });
        } catch (error) {
          refusals.push(error);
        }
      }
      if (refusals.length > 0) throw refusals[0];
      return told;
    },
  };
}

export function spoolFolder(home: string): string {
  return join(home, 'spool');
}

/** The files of entries that wait for the ledger; with `setAside`, the files that could not be read. */
export function spooled(home: string, setAside = false): string[] {
  const folder = spoolFolder(home);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(setAside ? unreadable : kept));
  return names.sort().map((name) => join(folder, name));
}

/** It may be all that is known of a call, so it is kept for a person under a name that is not read again. */
function setAside(path: string): Error {
  renameSync(path, `${path}${unreadable}`);
  return new Error(`${path} cannot be read; it was kept as ${path}${unreadable}`);
}

function readEntry(text: string): SpoolEntry | null {
  try {
    return entry.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
