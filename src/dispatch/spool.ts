import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Keeps call ids on disk while the ledger cannot take them, and writes them to the ledger later. */
const entry = z.object({
  id: z.string(),
  callId: z.string(),
  status: z.string().nullable(),
  nextPollAt: z.string(),
  deadlineAt: z.string(),
  ticket: z.uuid().optional(),
  providerCallSid: z.string().nullish(),
  mismatch: z.string().nullish(),
});
export type SpoolEntry = z.infer<typeof entry>;

export type Spool = {
  /** Returns when the entry is on the disk. */
  keep(item: SpoolEntry): void;
  /** Writes every kept entry to the ledger, even after one was refused, and removes a file once all of it was taken. Returns how many. */
  replay(tell: (item: SpoolEntry) => Promise<unknown>): Promise<number>;
};

export function openSpool(home: string, dialer: string): Spool {
  const folder = join(home, 'spool');
  const own = join(folder, `${dialer}.ndjson`);
  return {
    keep(item) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = openSync(own, 'a', 0o600);
      try {
        writeSync(file, `${JSON.stringify(item)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    },
    async replay(tell) {
      let told = 0;
      const refusals: unknown[] = [];
      for (const name of listFiles(folder)) {
        const path = join(folder, name);
        const text = readFileSync(path, 'utf8');
        const before = refusals.length;
        for (const line of text.split('\n')) {
          const item = readEntry(line);
          if (!item) continue;
          try {
            await tell(item);
            told += 1;
          } catch (error) {
            refusals.push(error);
          }
        }
        // What another process added meanwhile waits for the next round.
        if (refusals.length === before && readFileSync(path, 'utf8') === text) rmSync(path, { force: true });
      }
      if (refusals.length > 0) throw refusals[0];
      return told;
    },
  };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
  } catch {
    return [];
  }
}

/** A line cut short by a crash does not count: its create is unknown in the ledger. */
function readEntry(line: string): SpoolEntry | null {
  try {
    return entry.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
