import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { createLog } from '../../../src/base/log.ts';
import { createJournal, type JournalFile } from '../../../src/dispatch/disk/journal.ts';
import {
  closedLine,
  journalPath,
  type ReadJournal,
  readJournals,
} from '../../../src/dispatch/disk/journal-file.ts';
import { runs } from '../../support/property.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'carillon-journal-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const lines: string[] = [];
const log = createLog('info', { write: (line: string) => lines.push(line) });
const open = (mostBytes?: number) =>
  createJournal({
    home,
    dialer: 'me',
    ledger: '7',
    clock: systemClock,
    log,
    ...(mostBytes ? { mostBytes } : {}),
  });
function fileOf(journal: ReturnType<typeof open>): JournalFile & { id: string } {
  const file = journal.open();
  if ('trouble' in file || file.id === null) throw new Error('there should be a file');
  return file as JournalFile & { id: string };
}
async function all(): Promise<ReadJournal[]> {
  const found: ReadJournal[] = [];
  for await (const journal of readJournals(home)) found.push(journal);
  return found;
}

describe('a journal', () => {
  it('says what was noted, and by whom', async () => {
    const journal = open();
    const file = fileOf(journal);
    const [attempt, ticket] = [randomUUID(), randomUUID()];
    expect(file.note(attempt, ticket)).toBeNull();
    const person = { recipient: 12, campaign: randomUUID(), opens: 2 };
    expect(file.note(attempt, ticket, person)).toBeNull();
    journal.close();
    const [found, ...others] = await all();
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      header: { journal: file.id, dialer: 'me', ledger: '7', pid: process.pid },
      notes: [
        { attemptId: attempt, ticket, person: null },
        { attemptId: attempt, ticket, person },
      ],
      isClosed: false,
      complete: true,
    });
  });

  it('is not complete when its end, its middle or its first line is not whole', async () => {
    const file = fileOf(open());
    file.note(randomUUID(), randomUUID());
    const path = journalPath(home, file.id);
    const text = readFileSync(path, 'utf8');
    const full = await all();
    expect(full[0]!.complete).toBe(true);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: text.length - 1 }), async (length) => {
        writeFileSync(path, text);
        truncateSync(path, length);
        const [found] = await all();
        // Only its first line, whole, is a journal without notes.
        expect(found!.complete).toBe(text[length - 1] === '\n');
      }),
      { numRuns: runs(60) },
    );
    writeFileSync(path, text.replace(/\n/, '\n\0\0\0\n'));
    expect((await all())[0]!.complete).toBe(false);
  });

  it('is followed by another when it is long; attempts opened before are still noted in the old one', async () => {
    const journal = open(400);
    const first = fileOf(journal);
    while (fileOf(journal).id === first.id) expect(first.note(randomUUID(), randomUUID())).toBeNull();
    const late = randomUUID();
    expect(first.note(late, randomUUID())).toBeNull();
    const second = fileOf(journal);
    expect(second.note(randomUUID(), randomUUID())).toBeNull();
    const read = await all();
    expect(read.map((each) => each.header?.journal).sort()).toEqual([first.id, second.id].sort());
    const old = read.find((each) => each.header?.journal === first.id)!;
    expect(old.notes.at(-1)!.attemptId).toBe(late);
  });

  it('takes no note once another process has closed it, or removed it; the next intent has a new one', () => {
    const journal = open();
    for (const end of [
      (path: string) => appendFileSync(path, closedLine(Date.now())),
      (path: string) => rmSync(path),
    ]) {
      const file = fileOf(journal);
      expect(file.note(randomUUID(), randomUUID())).toBeNull();
      end(journalPath(home, file.id));
      expect(file.note(randomUUID(), randomUUID())).toBe('another process closed its journal');
      expect(file.note(randomUUID(), randomUUID())).toBe('its journal is closed');
      expect(fileOf(journal).id).not.toBe(file.id);
    }
    expect(lines).toEqual([]);
  });
});
