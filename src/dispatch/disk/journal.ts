import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { bootId, machineId } from '../../base/boot-id.ts';
import type { Clock } from '../../base/clock.ts';
import { createDiskTeller, makeFolder, unwritableText } from '../../base/disk-errors.ts';
import type { Log } from '../../base/log.ts';
import {
  type JournalHeader,
  journalFolder,
  journalPath,
  type NotedPerson,
  noteLine,
} from './journal-file.ts';

/**
 * Notes each create on this machine's disk before it is sent, so that after a crash an attempt that was never noted
 * surely never left (free-unsent.ts). The notes are not synced: they survive the process, not the machine. All lanes of
 * a process share one file.
 */
export type Journal = {
  /** The ledger that its notes are about; null if that cannot be known. */
  ledger: string | null;
  /** The file for the notes of the next intents, or why there is none; nothing may be sent without one. */
  open(): JournalFile | { trouble: string };
  close(): void;
};

export type JournalFile = {
  /** Stored with every attempt that is opened; null in a process that keeps no journal. */
  id: string | null;
  /**
   * Writes that the attempt is about to leave, or says why it could not; the attempt must not leave then. Only a digest
   * of the person's phone is written.
   */
  note(attemptId: string, ticket: string, person?: NotedPerson): string | null;
};

type JournalDeps = {
  home: string;
  dialer: string;
  /** The ledger's mark: no other ledger has it. */
  ledger: string | null;
  /** The ledger's key for digests of phones; none are made without it. */
  phoneKey?: string;
  clock: Clock;
  log: Log;
  /** A file that grows longer is followed by a new one. */
  mostBytes?: number;
};

/** The journal of a process that keeps none: attempts that it was dialling when it died are unknown. */
export const noJournal: Journal = {
  ledger: null,
  open: () => ({ id: null, note: () => null }),
  close() {},
};

/** A process that may not write there at all is not meant to keep a journal. */
const forbidden = new Set(['EACCES', 'EPERM', 'EROFS']);

export function createJournal({ mostBytes = 16 * 1024 * 1024, ...deps }: JournalDeps): Journal {
  const { log } = deps;
  const folder = journalFolder(deps.home);
  let current: Written | null = null;
  /** The file before the change, in which attempts opened by then are still noted. */
  let former: Written | null = null;
  let isForbidden = false;
  /** It could write there before, or fails only for now. */
  let isMeant = false;
  const tell = createDiskTeller(log, 'creates can be noted');

  const tellTrouble = (error: unknown): string => {
    const trouble = unwritableText(folder, error);
    tell(trouble);
    isMeant = true;
    return trouble;
  };
  const start = () => {
    const file = startFile(deps, tellTrouble);
    former?.close();
    former = current;
    current = file;
    isMeant = true;
    tell(null);
    return file;
  };

  return {
    ledger: deps.ledger,
    open() {
      if (isForbidden) return noJournal.open();
      if (current?.isGood() && current.bytes() < mostBytes) return current;
      try {
        return start();
      } catch (error) {
        if (isMeant || !forbidden.has((error as NodeJS.ErrnoException).code ?? ''))
          return { trouble: tellTrouble(error) };
        isForbidden = true;
        log.warn(
          `${unwritableText(folder, error)}. Attempts that are being dialled when this process ends will be unknown. Set CARILLON_HOME to a folder on this machine’s disk where this user may write.`,
        );
        return noJournal.open();
      }
    },
    close() {
      current?.close();
      former?.close();
      [current, former] = [null, null];
    },
  };
}

type Written = JournalFile & {
  bytes(): number;
  isGood(): boolean;
  close(): void;
};

function startFile(
  { home, dialer, ledger, phoneKey, clock }: JournalDeps,
  tell: (error: unknown) => string,
): Written {
  makeFolder(journalFolder(home), 0o700);
  const id = randomUUID();
  const path = journalPath(home, id);
  const fd = openSync(path, 'ax', 0o600);
  let size = 0;
  let isOpen = true;
  let isGood = true;

  const append = (line: string) => {
    const written = writeSync(fd, line);
    size += written;
    if (written < Buffer.byteLength(line)) throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
  };
  const close = () => {
    if (isOpen) closeSync(fd);
    isOpen = false;
    isGood = false;
  };
  const write = (line: string): string | null => {
    if (!isGood) return 'its journal is closed';
    try {
      append(line);
      // A process that closes it appends to it too. Lines have one order in a file: either the other process reads this
      // line, or its mark is seen here.
      const found = fstatSync(fd);
      if (found.size === size && found.nlink > 0) return null;
      close();
      return 'another process closed its journal';
    } catch (error) {
      close();
      return tell(error);
    }
  };

  try {
    const header: JournalHeader = {
      journal: id,
      dialer,
      boot: bootId(),
      machine: machineId(),
      host: hostname(),
      pid: process.pid,
      ledger,
      inode: String(fstatSync(fd, { bigint: true }).ino),
      at: new Date(clock.now()).toISOString(),
    };
    append(`${JSON.stringify(header)}\n`);
  } catch (error) {
    close();
    rmSync(path, { force: true });
    throw error;
  }
  return {
    id,
    note(attemptId, ticket, person) {
      const phone = person?.phone && phoneKey ? phoneDigest(phoneKey, person.phone) : null;
      return write(noteLine(attemptId, ticket, clock.now(), person && { ...person, phone }));
    },
    bytes: () => size,
    isGood: () => isGood,
    close,
  };
}

/** Computed as carillon.phone_digest does. */
const phoneDigest = (key: string, phone: string) =>
  createHash('sha256').update(`${key} ${phone}`).digest('hex').slice(0, 32);
