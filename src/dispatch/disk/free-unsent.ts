import { closeSync, constants, existsSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { bootId, isLocalFile } from '../../base/boot-id.ts';
import { createBoundedMap } from '../../base/bounded-map.ts';
import type { Clock } from '../../base/clock.ts';
import type { Doubted } from '../../ledger/attempts/repairs.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { DialPermit } from '../trust/dial-permit.ts';
import type { Journal } from './journal.ts';
import { closedLine, journalPath, listJournals, type ReadJournal, readJournal } from './journal-file.ts';

/** Frees what dead dialers never sent, as their journals prove; returns how many. Also removes old journals. */
export type FreeUnsent = () => Promise<number>;

type FreeUnsentDeps = {
  ledger: Ledger;
  home: string;
  journal: Journal;
  permit: Pick<DialPermit, 'trouble'>;
  baseUrl: string;
  clock: Clock;
};

/**
 * How long a process does not go through a journal again for the same attempt: most unknown attempts stay so for a
 * while.
 */
const againMs = 600_000;
const mostJudged = 20_000;
const tidyMs = 3_600_000;
/** A ledger that is restored from a backup asks the journals about what it has forgotten. */
const keptMs = 7 * 86_400_000;
const keptBytes = 1024 * 1024 * 1024;

export function createFreeUnsent({
  ledger,
  home,
  journal,
  permit,
  baseUrl,
  clock,
}: FreeUnsentDeps): FreeUnsent {
  const judged = createBoundedMap<number>(mostJudged);
  let tidiedAt = Number.NEGATIVE_INFINITY;

  const isFresh = ({ id, ticket }: Doubted) => {
    const at = judged.get(`${id} ${ticket}`);
    return at === undefined || clock.monotonic() - at > againMs;
  };

  return async () => {
    // A ledger that has lost history may show an opening that was followed by another.
    if (permit.trouble()) return 0;
    const found = (await ledger.attempts.doubted(baseUrl)).filter(isFresh);
    let freed = 0;
    for (const id of new Set(found.map((each) => each.journal))) {
      // It usually belongs to another home, or was removed.
      if (!existsSync(journalPath(home, id))) continue;
      const asked = found.filter((each) => each.journal === id);
      freed += await ledger.attempts.freeUnsent(await findUnsent(home, id, journal.ledger, asked));
      for (const each of asked) judged.set(`${each.id} ${each.ticket}`, clock.monotonic());
    }
    if (clock.monotonic() - tidiedAt > tidyMs) {
      tidiedAt = clock.monotonic();
      await tidyJournals(ledger, home, clock.now());
    }
    return freed;
  };
}

/**
 * Returns those of a journal's attempts that it proves never to have left. Only the very file in which the dialer
 * wrote, whole, from this boot of the machine and on its own disk, proves that a note was never made: anything else may
 * lack some. If the dialer is alive after all, it must not note any of them from now on, so the journal is closed and
 * read again.
 */
export async function findUnsent(
  home: string,
  id: string,
  ledger: string | null,
  asked: readonly Doubted[],
): Promise<Doubted[]> {
  const path = journalPath(home, id);
  const unnoted = async (): Promise<{ read: ReadJournal; left: Doubted[] } | null> => {
    const read = await readJournal(path);
    if (!read || !proves(read, id, ledger)) return null;
    const noted = new Set(read.notes.map(({ attemptId, ticket }) => `${attemptId} ${ticket}`));
    return { read, left: asked.filter((each) => !noted.has(`${each.id} ${each.ticket}`)) };
  };
  const first = await unnoted();
  if (!first || first.left.length === 0 || first.read.isClosed) return first?.left ?? [];
  try {
    closeJournal(path);
  } catch {
    return [];
  }
  const last = await unnoted();
  return last?.read.isClosed ? last.left : [];
}

/** Adds the mark by which the journal's process knows that it is closed. A file that is gone is not made again. */
function closeJournal(path: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeSync(fd, closedLine(Date.now()));
  } finally {
    closeSync(fd);
  }
}

function proves({ path, header, complete }: ReadJournal, id: string, ledger: string | null): boolean {
  if (!complete || header?.journal !== id || header.ledger === null || header.ledger !== ledger) return false;
  if (header.boot === null || header.boot !== bootId()) return false;
  const inode = statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
  return String(inode) === header.inode && isLocalFile(path);
}

/**
 * Removes journals that are of no more use, and beyond a size the oldest: attempts that only they knew of stay unknown.
 */
async function tidyJournals(ledger: Ledger, home: string, now: number): Promise<void> {
  const files = listJournals(home);
  const old = files.filter((file) => file.writtenAt < now - keptMs);
  const used = await ledger.attempts.journalsInUse(old.map((file) => file.id).filter((id) => uuid.test(id)));
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  for (const file of files) {
    const isOver = bytes > keptBytes;
    if (!isOver && (!old.includes(file) || used.has(file.id))) continue;
    rmSync(file.path, { force: true });
    bytes -= file.bytes;
  }
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
