import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../src/base/clock.ts';
import { CarillonError } from '../src/base/errors.ts';
import { createLog } from '../src/base/log.ts';
import { readSecret } from '../src/base/secret.ts';
import { readLastBackup } from '../src/control/ledger/backup.ts';
import { closedLine, journalPath, noteLine, readJournals } from '../src/dispatch/disk/journal-file.ts';
import { openSpool, spoolFolder } from '../src/dispatch/disk/spool.ts';
import { createLastSeen } from '../src/dispatch/trust/last-seen.ts';
import { manifestFile, verifyBackup } from '../src/embedded/backups.ts';
import { openCsv } from '../src/intake/csv.ts';
import { runs } from './support/property.ts';

/** A file of ours that a crash, a disk or another hand has changed is read, or refused in our words. */
const home = mkdtempSync(join(tmpdir(), 'carillon-files-'));
const log = createLog('silent');
const id = '0198d5a2-7c1e-7b3a-9f60-2d1f6c1a7e55';
beforeAll(() => {
  for (const folder of ['journal', 'spool', 'last-seen', 'backup']) mkdirSync(join(home, folder));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const header = JSON.stringify({
  ...{ journal: id, dialer: 'me', boot: null, machine: null, host: 'here', pid: 1, ledger: '7' },
  ...{ inode: '1', at: '2026-01-01T00:00:00.000Z' },
});
const spooledCall = { id, callId: 'c-1', status: null, nextPollAt: 'x', deadlineAt: 'x', ticket: id };
const seen = { ledger: id, era: 1, epoch: id, beat: 3, at: '2026-01-01T00:00:00.000Z' };
const file = { path: 'PG_VERSION', size: 3, sha256: 'x' };
const manifest = {
  ...{ carillon: '0.1.0', made_at: '2026-01-01T00:00:00Z', postgres: 18, system: '7', timeline: 1 },
  ...{ start: '0/1', stop: '0/2', folders: ['base'], files: [file] },
};

/** Bytes as they should be, torn, doubled, with another hand's in between, or nothing of the kind. */
function spoiled(whole: string): fc.Arbitrary<string> {
  const odd = fc.oneof(
    fc.constantFrom(
      '\0',
      '\0'.repeat(5_000),
      '\n',
      '{',
      '}',
      ',',
      '"',
      'null',
      '-1',
      '1e999',
      '\ud800',
      '../',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const torn = fc
    .tuple(fc.nat(whole.length), fc.nat(whole.length), odd)
    .map(([from, to, text]) => whole.slice(0, from) + text + whole.slice(to));
  const other = fc.oneof(fc.json({ maxDepth: 3 }), fc.string({ unit: 'binary', maxLength: 200 }));
  return fc.oneof({ weight: 4, arbitrary: torn }, { weight: 1, arbitrary: other }, valueSpoiled(whole));
}

/** JSON whose one value is of another kind. */
function valueSpoiled(whole: string): fc.Arbitrary<string> {
  let known: unknown;
  try {
    known = JSON.parse(whole);
  } catch {
    return fc.constant(whole);
  }
  const fields = Object.keys(known as object);
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom<unknown>('', '\0', '../x', -1, 1e300),
  );
  return fc
    .tuple(fc.constantFrom(...fields), value)
    .map(([field, odd]) => JSON.stringify({ ...(known as object), [field]: odd }));
}

async function reads(read: () => unknown): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof CarillonError)) throw error;
    expect(error.message).not.toContain('\n');
  }
}

const write = (path: string, text: string) => writeFileSync(join(home, path), text);

const files: Record<string, { whole: string; read(text: string): unknown }> = {
  'a journal': {
    whole: `${header}\n${noteLine(id, id, 1_767_225_600_000, { recipient: 1, campaign: id, opens: 1 })}${closedLine(1_767_225_600_000)}`,
    async read(text) {
      writeFileSync(journalPath(home, id), text);
      for await (const journal of readJournals(home))
        for (const { at } of journal.notes) expect(Number.isNaN(at.getTime())).toBe(false);
    },
  },
  'a call id that waits for the ledger': {
    whole: JSON.stringify(spooledCall),
    async read(text) {
      for (const name of readdirSync(spoolFolder(home))) rmSync(join(spoolFolder(home), name));
      write('spool/a.json', text);
      const told: unknown[] = [];
      const spool = openSpool({ home, dialer: 'me', clock: systemClock, log });
      await spool
        .replay(async (item) => told.push(item))
        .catch((error: Error) => {
          expect(error.message).toMatch(/cannot be read; it was kept as \S+\.unreadable$/);
        });
      // It may be all that is known of a call: told, or kept.
      expect(told.length + readdirSync(spoolFolder(home)).length).toBe(1);
    },
  },
  'a last sight of the ledger': {
    whole: JSON.stringify(seen),
    async read(text) {
      write(`last-seen/${id}.json`, text);
      const asked: unknown[] = [];
      const sound = { verdict: 'sound', news: null, ledger: id, era: 1, epoch: id, beat: 1 };
      const lostHistory = {
        look: async () => ({ ledger: id }),
        attest: async (before: unknown) => {
          asked.push(before);
          return sound;
        },
      };
      await createLastSeen({ ledger: { lostHistory } as never, home, clock: systemClock, log }).begin();
      // Nothing, or what a ledger can compare.
      expect([
        null,
        expect.objectContaining({ ledger: expect.stringMatching(/^[0-9a-f-]{36}$/) }),
      ]).toContainEqual(asked[0]);
    },
  },
  'a backup’s manifest': {
    whole: JSON.stringify(manifest),
    async read(text) {
      write(`backup/${manifestFile}`, text);
      await expect(verifyBackup(join(home, 'backup'))).rejects.toBeInstanceOf(CarillonError);
    },
  },
  'the note of the last backup': {
    whole: JSON.stringify({ at: '2026-01-01T00:00:00Z', path: '/x' }),
    read(text) {
      write('backup.json', text);
      readLastBackup(home);
    },
  },
  'the secret': {
    whole: 'a-secret-of-thirty-two-characters',
    read(text) {
      write('secret', text);
      readSecret({ home } as never);
    },
  },
  'a list of people': {
    whole: 'phone,name\n+14155550101,"Ann ""A"" Lee"\n+14155550102,\n',
    async read(text) {
      write('people.csv', text);
      for await (const _ of (await openCsv({ path: join(home, 'people.csv') }, {})).batches);
    },
  },
};

describe.each(Object.entries(files))('%s', (_, { whole, read }) => {
  it('is read or refused, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(spoiled(whole), (text) => reads(() => read(text))),
      { numRuns: runs(50) },
    );
  });

  it('is read or refused when it is long, deep, or full of zeros', async () => {
    for (const text of ['\0'.repeat(1e6), '['.repeat(1e6), `{"a":`.repeat(2e5), `${whole}${' '.repeat(1e6)}`])
      await reads(() => read(text));
  });
});

it('a backup’s manifest that lists no file is refused', async () => {
  write(`backup/${manifestFile}`, JSON.stringify({ ...manifest, files: [] }));
  await expect(verifyBackup(join(home, 'backup'))).rejects.toThrow(
    /manifest.json is missing or cannot be read/,
  );
});

it('a backup’s manifest that leads elsewhere is refused', async () => {
  const elsewhere = ['..', '../x', 'base/../../x', '/etc', 'x\0y', ''];
  const spoil = (path: string) => [
    { ...manifest, folders: [path] },
    { ...manifest, files: [{ ...file, path }, file] },
  ];
  for (const each of elsewhere.flatMap(spoil)) {
    write(`backup/${manifestFile}`, JSON.stringify(each));
    await expect(verifyBackup(join(home, 'backup'))).rejects.toMatchObject({
      code: 'backup-broken',
      message: expect.stringMatching(/ is not a (file|folder) in it$/),
    });
  }
});
