import { createReadStream, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { NotedIntent } from '../../ledger/lost-history/lost-history.ts';

/**
 * The form of a journal, and how it is read. A journal is a file in which one process notes each create before it sends
 * it (journal.ts). Its first line is a header; each other line is a note or the mark of a process that closed it.
 */
const journalHeader = z.object({
  journal: z.uuid(),
  dialer: z.string(),
  /** Which boot of which machine; null if it cannot be known. */
  boot: z.string().nullable(),
  machine: z.string().nullable(),
  host: z.string(),
  pid: z.int(),
  /** The ledger's mark, which no other ledger has; null if it cannot be known. */
  ledger: z.string().nullable(),
  /** The file's own number on its disk: a copy has another. */
  inode: z.string(),
  at: z.iso.datetime(),
});
export type JournalHeader = z.infer<typeof journalHeader>;

/** A create that was about to leave. */
type JournalNote = { attemptId: string; ticket: string; at: Date; person: NotedPerson | null };

/**
 * The person it calls, by the ledger's ids; which opening of the attempt it is; and a digest of the phone, if one was
 * made. It informs a ledger that lost history.
 */
export type NotedPerson = { recipient: number; campaign: string; opens: number; phone?: string | null };

export type ReadJournal = {
  path: string;
  /** Null when it cannot be read. */
  header: JournalHeader | null;
  notes: JournalNote[];
  /** Whether another process closed it: its own process sends nothing that it notes after that. */
  isClosed: boolean;
  /** False when a line is not whole or not of a known form: notes may be missing. */
  complete: boolean;
};

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const noteForm = new RegExp(
  `^(${uuid}) (${uuid}) (\\d{13})(?: (\\d{1,15}) (${uuid}) (\\d{1,9})(?: ([0-9a-f]{32}))?)?$`,
);
const closedForm = /^closed \d{13}$/;
const ending = '.journal';
/** None of our lines is this long, but a torn file may be one line of zeros. */
const longestLine = 10_000;

export function noteLine(attemptId: string, ticket: string, at: number, person?: NotedPerson): string {
  const { recipient, campaign, opens, phone } = person ?? {};
  return `${[attemptId, ticket, at, recipient, campaign, opens, phone].filter((part) => part != null).join(' ')}\n`;
}
export const closedLine = (at: number) => `closed ${at}\n`;

export function journalFolder(home: string): string {
  return join(home, 'journal');
}

export function journalPath(home: string, id: string): string {
  return join(journalFolder(home), `${id}${ending}`);
}

/** Every journal in a home, including those of live processes; the oldest first. */
export async function* readJournals(home: string): AsyncGenerator<ReadJournal> {
  for (const { path } of listJournals(home)) {
    const found = await readJournal(path);
    if (found) yield found;
  }
}

/** The journal files by the time of their last write; the oldest first. */
export function listJournals(home: string): { id: string; path: string; bytes: number; writtenAt: number }[] {
  const folder = journalFolder(home);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .flatMap((name) => {
      const path = join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found?.isFile()) return [];
      return [{ id: name.slice(0, -ending.length), path, bytes: found.size, writtenAt: found.mtimeMs }];
    })
    .sort((a, b) => a.writtenAt - b.writtenAt);
}

/** Null for a file that is gone. One that cannot be read is still returned: incomplete, without a header. */
export async function readJournal(path: string): Promise<ReadJournal | null> {
  const found: ReadJournal = {
    path,
    header: null,
    notes: [],
    isClosed: false,
    complete: true,
  };
  let rest = '';
  let first = true;
  const take = (line: string) => {
    if (first) found.header = parse(journalHeader, line);
    else if (!readLine(found, line)) found.complete = false;
    first = false;
  };
  try {
    for await (const chunk of createReadStream(path, 'utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop()!;
      lines.forEach(take);
      if (rest.length > longestLine) {
        found.complete = false;
        rest = rest.slice(-longestLine);
      }
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    found.complete = false;
  }
  // A line without its end was cut off.
  if (!found.header || rest !== '') found.complete = false;
  return found;
}

function readLine(found: ReadJournal, line: string): boolean {
  const note = noteForm.exec(line);
  if (note) {
    const [, attemptId, ticket, at, recipient, campaign, opens, phone = null] = note;
    const person = campaign ? { recipient: Number(recipient), campaign, opens: Number(opens), phone } : null;
    found.notes.push({ attemptId: attemptId!, ticket: ticket!, at: new Date(Number(at)), person });
    return true;
  }
  if (!closedForm.test(line)) return false;
  found.isClosed = true;
  return true;
}

function parse<T>(shape: z.ZodType<T>, text: string): T | null {
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The creates that processes of this home noted before they sent them, if the notes say whom they call. */
export async function readNoted(home: string): Promise<NotedIntent[]> {
  const found: NotedIntent[] = [];
  for await (const { notes } of readJournals(home)) {
    for (const { attemptId, person, at } of notes) {
      if (person) found.push({ attempt: attemptId, ...person, at: at.toISOString() });
    }
  }
  return found;
}
