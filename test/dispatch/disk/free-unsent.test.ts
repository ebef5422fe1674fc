import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLocalKind, isLocalMount } from '../../../src/base/boot-id.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { findUnsent } from '../../../src/dispatch/disk/free-unsent.ts';
import { createJournal, type Journal, type JournalFile } from '../../../src/dispatch/disk/journal.ts';
import { journalFolder, journalPath } from '../../../src/dispatch/disk/journal-file.ts';
import { openerOn, person, suppress } from '../../ledger/support.ts';
import { log, type Stage, shareHall } from '../support.ts';

const hall = await shareHall();

type Notes = JournalFile & { id: string };

const journalIn = ({ home, mark }: Pick<Stage, 'home' | 'mark'>): Journal =>
  createJournal({ home, dialer: 'dead', ledger: mark, clock: systemClock, log });

function notesOf(journal: Journal): Notes {
  const notes = journal.open();
  if ('trouble' in notes || notes.id === null) throw new Error('it should keep a journal');
  return notes as Notes;
}

/** The intent of a dialer that dies: it is noted or not. Its expiry has passed, unless the test says otherwise. */
async function leave(
  stage: Stage,
  id: string,
  notes: Notes | null,
  { noted = false, aged = true } = {},
): Promise<string> {
  const attempt = (await stage.ledger.attempts.load(id))!;
  const ticket = randomUUID();
  const verdict = await stage.ledger.attempts.open(
    { id, revision: attempt.revision, agent: attempt.agentId, ticket },
    { ...openerOn(attempt.laneId), dialer: 'dead', journal: notes?.id },
  );
  expect(verdict).toBe('open');
  if (noted) expect(notes!.note(id, ticket)).toBeNull();
  if (aged) await stage.age();
  return ticket;
}

const round = (stage: Stage) => stage.stations.reconcile.round();
const kinds = async (id: string) => {
  const { recipientId } = (await hall.books.ledger.reports.attempt(id))!;
  const history = await hall.books.ledger.calls.history(recipientId, 100);
  return history.map((event) => `${event.kind}: ${event.detail}`);
};

describe('the attempts of a dead dialer', () => {
  it('is freed where its journal has no note of it: the person waits, nothing is spent, and is called once', () =>
    hall.with({}, async (stage) => {
      const journal = journalIn(stage);
      const notes = notesOf(journal);
      const campaign = await stage.campaign({ people: 2 });
      const [never, left] = await stage.plan(campaign);
      await leave(stage, never!, notes);
      await leave(stage, left!, notes, { noted: true });
      journal.close();
      await round(stage);
      expect(await stage.states(campaign)).toEqual(['waiting', 'unknown']);
      expect(await stage.attempt(never!)).toMatchObject({ state: 'dropped', reason: 'unsent', requests: 0 });
      expect(await kinds(never!)).toContainEqual(expect.stringMatching(/^resolved: never left: the journal/));
      const [first] = await stage.people(campaign);
      expect(first).toMatchObject({ attempts: 0, outcome: null, reason: null });
      const rung = await hall.books.sql('select 1 from carillon.phone_calls where attempt_id = $1', [never]);
      expect(rung).toEqual([]);
      expect(await stage.faults()).toEqual([]);
      // Only one attempt is allowed: it was not spent.
      const again = await stage.planOne(campaign);
      expect(await stage.dial(again)).toEqual({ kind: 'done' });
      expect(stage.created()).toBe(1);
      await round(stage);
      expect(await stage.states(campaign)).toEqual(['calling', 'unknown']);
    }));

  it('is freed later too, when a process without the journal has found it first; any other unknown stays', () =>
    hall.with({}, async (stage) => {
      const notes = notesOf(journalIn(stage));
      const campaign = await stage.campaign({ people: 3 });
      const [crashed, lost, answered] = await stage.plan(campaign);
      for (const id of [crashed!, lost!]) await leave(stage, id, notes);
      const ticket = await leave(stage, answered!, notes);
      await stage.ledger.attempts.lose({ id: lost!, reason: 'lost', detail: 'reset' });
      await stage.ledger.attempts.lose({ id: answered!, reason: 'accepted', detail: 'cut', ticket });
      expect(await stage.ledger.attempts.crash(stage.baseUrl)).toHaveLength(1);
      await stage.stations.reconcile.start();
      expect(await stage.states(campaign)).toEqual(['waiting', 'unknown', 'unknown']);
    }));

  it('stays for a person when the ledger has lost history since: it may have been freed and sent in the part that is gone', () =>
    hall.with({}, async (stage) => {
      const notes = notesOf(journalIn(stage));
      const campaign = await stage.campaign({ people: 2 });
      const [dialing, crashed] = await stage.plan(campaign);
      await leave(stage, crashed!, notes);
      expect(await stage.ledger.attempts.crash(stage.baseUrl)).toHaveLength(1);
      await leave(stage, dialing!, notes);
      await hall.books.sql("select carillon.lose_history('restored')");
      expect(await stage.ledger.lostHistory.confirm()).toBe('restored');
      await round(stage);
      expect(await stage.states(campaign)).toEqual(['unknown', 'unknown']);
    }));

  it('stays until its expiry, and for good once a person settled it or it was opened again', () =>
    hall.with({}, async (stage) => {
      const notes = notesOf(journalIn(stage));
      const campaign = await stage.campaign({ people: 3 });
      const [early, settled, unnoted] = await stage.plan(campaign);
      const old = await leave(stage, unnoted!, notes, { aged: false });
      await stage.ledger.attempts.withhold({ id: unnoted!, ticket: old, sent: false, detail: null });
      await leave(stage, settled!, notes);
      await stage.ledger.attempts.crash(stage.baseUrl);
      expect(await stage.ledger.unknowns.called(settled!)).toBe(true);
      await leave(stage, unnoted!, notes, { aged: false, noted: true });
      await leave(stage, early!, notes, { aged: false });
      const stale = [
        { id: settled!, ticket: randomUUID(), journal: notes.id },
        { id: unnoted!, ticket: old, journal: notes.id },
      ];
      expect(await stage.ledger.attempts.freeUnsent(stale)).toBe(0);
      await round(stage);
      expect(await stage.states(campaign)).toEqual(['calling', 'done', 'calling']);
      await stage.age();
      await round(stage);
      expect(await stage.states(campaign)).toEqual(['waiting', 'done', 'unknown']);
    }));

  it('is not called where the campaign was canceled or the phone suppressed meanwhile', () =>
    hall.with({}, async (stage) => {
      const notes = notesOf(journalIn(stage));
      const first = await stage.campaign({ people: 1 });
      const second = await stage.campaign({ people: 0 });
      // No other test calls this phone.
      await stage.add(second, [person(900)]);
      await leave(stage, await stage.planOne(first), notes);
      await leave(stage, await stage.planOne(second), notes);
      await stage.ledger.campaigns.cancel(first);
      await suppress(stage.ledger, [(await stage.people(second))[0]!.phone]);
      await round(stage);
      expect([await stage.states(first), await stage.states(second)]).toEqual([['skipped'], ['skipped']]);
    }));
});

/** A header with other values, in the very same file. */
const otherHeader = (path: string, change: object) => {
  const [header, ...rest] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [JSON.stringify({ ...JSON.parse(header!), ...change }), ...rest].join('\n'));
};

const worthless: [string, (path: string, home: string) => void][] = [
  ['is gone', (path) => rmSync(path)],
  ['was written before the machine started again', (path) => otherHeader(path, { boot: randomUUID() })],
  ['does not know which start of the machine it is of', (path) => otherHeader(path, { boot: null })],
  ['tells of another ledger', (path) => otherHeader(path, { ledger: 'another' })],
  ['does not know which ledger it tells of', (path) => otherHeader(path, { ledger: null })],
  ['is another process’s under this name', (path) => otherHeader(path, { journal: randomUUID() })],
  ['has a first line that was cut off', (path) => writeFileSync(path, readFileSync(path).subarray(0, 40))],
  ['has no first line', (path) => writeFileSync(path, '')],
  ['has a last line that was cut off', (path) => appendFileSync(path, randomUUID().slice(0, 20))],
  ['has a line that nobody can read', (path) => appendFileSync(path, '\0\0\0\0\n')],
  [
    'is a copy',
    (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  ],
  [
    'cannot be read',
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
];

describe('a journal proves nothing', () => {
  it('where it is not the very file, whole, of this start of the machine and of this ledger', () =>
    hall.with({}, async (stage) => {
      for (const [why, harm] of worthless) {
        const journal = journalIn(stage);
        const notes = notesOf(journal);
        const asked = { id: randomUUID(), ticket: randomUUID(), journal: notes.id };
        notes.note(randomUUID(), randomUUID());
        journal.close();
        harm(journalPath(stage.home, notes.id), stage.home);
        expect(await findUnsent(stage.home, notes.id, stage.mark, [asked]), why).toEqual([]);
        rmSync(journalPath(stage.home, notes.id), { recursive: true, force: true });
      }
    }));

  it('and then its attempts are unknown, as are those of a process that keeps none', () =>
    hall.with({}, async (stage) => {
      const notes = notesOf(journalIn(stage));
      const campaign = await stage.campaign({ people: 2 });
      const [lacking, without] = await stage.plan(campaign);
      await leave(stage, lacking!, notes);
      await leave(stage, without!, null);
      rmSync(journalPath(stage.home, notes.id));
      await round(stage);
      expect(await stage.states(campaign)).toEqual(['unknown', 'unknown']);
    }));

  it('on a file system that is not this machine’s own', () => {
    const mounts = '/dev/disk3s1 on / (apfs, local)\n//me@nas/share on /Volumes/share (smbfs, nodev)\n';
    expect([0xef53, 0x58465342, 0x01021994].map(isLocalKind)).toEqual([true, true, true]);
    // NFS, CIFS (which Node may tell as a negative number), FUSE, 9p.
    expect([0x6969, 0xff534d42, 0xff534d42 | 0, 0x65735546, 0x01021997].some(isLocalKind)).toBe(false);
    expect(isLocalMount('/Users/me/.carillon', mounts)).toBe(true);
    expect(isLocalMount('/Volumes/share/carillon', mounts)).toBe(false);
  });
});

describe('a dialer that was taken for dead', () => {
  it('cannot send what was found without a note, whenever it wakes', async () => {
    await hall.with({}, async ({ home, mark }) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat(5), fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 12 }),
          async (steps) => {
            const journal = journalIn({ home, mark });
            const notes = notesOf(journal);
            const ids = Array.from({ length: 6 }, () => ({ id: randomUUID(), ticket: randomUUID() }));
            const sent = new Set<string>();
            const looks: Promise<{ id: string }[]>[] = [];
            for (const [nth, looksFirst, awaits] of steps) {
              const one = ids[nth]!;
              if (looksFirst) looks.push(findUnsent(home, notes.id, mark, [{ ...one, journal: notes.id }]));
              if (awaits) await looks.at(-1);
              if (notes.note(one.id, one.ticket) === null) sent.add(one.id);
            }
            const freed = (await Promise.all(looks)).flat().map(({ id }) => id);
            journal.close();
            expect(freed.filter((id) => sent.has(id))).toEqual([]);
          },
        ),
        { numRuns: 60 },
      );
    });
  });
});

describe('a dialer', () => {
  let folder = '';
  let breaks = true;

  it('notes, then looks at the clock, then sends', async () => {
    const seen: string[] = [];
    let shift = (_: number) => {};
    const journal: Journal = {
      ledger: null,
      close() {},
      open: () => ({
        id: randomUUID(),
        note(id) {
          seen.push(id);
          shift(2_500);
          return null;
        },
      }),
    };
    await hall.with({ journal }, async (stage) => {
      shift = stage.clock.shift;
      const id = await stage.planOne(await stage.campaign({ people: 1 }));
      expect(await stage.dial(id)).toMatchObject({ kind: 'wait' });
      expect(seen).toEqual([id]);
      expect(stage.sim.state().created).toBe(0);
      expect(await stage.attempt(id)).toMatchObject({ state: 'planned', requests: 0 });
      shift = () => {};
      expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect(seen).toEqual([id, id]);
      expect(stage.created()).toBe(1);
    });
  });

  it('sends nothing that it cannot note: the lane rests, and continues when the disk takes notes again', () =>
    hall.with({}, async (stage) => {
      const id = await stage.planOne(await stage.campaign({ people: 1 }));
      writeFileSync(journalFolder(stage.home), 'in the way');
      expect(await stage.dial(id)).toMatchObject({ kind: 'rest' });
      expect(await stage.attempt(id)).toMatchObject({ state: 'planned', requests: 0 });
      rmSync(journalFolder(stage.home));
      expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect(stage.created()).toBe(1);
    }));

  it('withholds an attempt when its journal fails or is closed between the intent and the note', () =>
    hall.with(
      {
        through: (ledger) => ({
          ...ledger,
          attempts: {
            ...ledger.attempts,
            async open(item, by) {
              const verdict = await ledger.attempts.open(item, by);
              if (by.journal && existsSync(join(folder, `${by.journal}.journal`)) && breaks) {
                breaks = false;
                appendFileSync(join(folder, `${by.journal}.journal`), `closed ${Date.now()}\n`);
              }
              return verdict;
            },
          },
        }),
      },
      async (stage) => {
        folder = journalFolder(stage.home);
        const id = await stage.planOne(await stage.campaign({ people: 1 }));
        expect(await stage.dial(id)).toMatchObject({ kind: 'rest' });
        expect(await stage.attempt(id)).toMatchObject({
          state: 'planned',
          requests: 0,
          detail: 'another process closed its journal',
        });
        expect(await stage.dial(id)).toEqual({ kind: 'done' });
        expect(stage.created()).toBe(1);
        expect(await stage.faults()).toEqual([]);
      },
    ));
});

describe('old journals', () => {
  it('are removed after a week, unless an attempt may still need one', () =>
    hall.with({}, async (stage) => {
      const [young, old, needed] = [journalIn(stage), journalIn(stage), journalIn(stage)].map(notesOf);
      const campaign = await stage.campaign({ people: 1 });
      await leave(stage, await stage.planOne(campaign), needed!, { noted: true });
      const long = Date.now() / 1_000 - 8 * 86_400;
      for (const { id } of [old!, needed!]) utimesSync(journalPath(stage.home, id), long, long);
      await round(stage);
      const left = [young!, old!, needed!].map(({ id }) => existsSync(journalPath(stage.home, id)));
      expect(left).toEqual([true, false, true]);
    }));
});
