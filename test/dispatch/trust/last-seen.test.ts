import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { loadConfig } from '../../../src/base/config/config.ts';
import { createLog } from '../../../src/base/log.ts';
import { readOrder } from '../../../src/control/order/order.ts';
import { createLastSeen, type LastSeen, noteRestored } from '../../../src/dispatch/trust/last-seen.ts';
import { type Embedded, startEmbedded } from '../../../src/embedded/embedded.ts';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.ts';
import { openLedgerOnly } from '../../../src/ledger-only.ts';
import { pidOf, useHomes } from '../../embedded/homes.ts';
import { openerOn, persons } from '../../ledger/support.ts';
import { createShiftedClock } from '../support.ts';

const log = createLog('silent');
const folder = mkdtempSync(join(tmpdir(), 'carillon-last-seen-'));
// The server's account must be able to enter it.
chmodSync(folder, 0o755);
const home = join(folder, 'home');
const { leaveKilledServer } = useHomes();
const baseUrl = 'http://service.example/v1';
let embedded: Embedded;
let ledger: Ledger;

const start = async () => {
  embedded = await startEmbedded({ home });
  ledger = await openLedger(embedded.url, baseUrl, log);
};
const stop = async () => {
  await ledger.close();
  await embedded.close();
};
beforeAll(start, 60_000);
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A process with this home; the home of another machine knows nothing of the ledger. */
async function process(where = home, clock = systemClock, isOwnServer = true): Promise<LastSeen> {
  const lostHistory: Ledger['lostHistory'] = new Proxy(ledger.lostHistory, {
    // It connects again to whatever server is there.
    get: (_, name: keyof Ledger['lostHistory']) => ledger.lostHistory[name],
  });
  const lastSeen = createLastSeen({ ledger: { lostHistory }, home: where, clock, log, isOwnServer });
  await lastSeen.begin();
  return lastSeen;
}
async function sql<T extends object>(text: string, values: unknown[] = []): Promise<T[]> {
  const client = new pg.Client({ connectionString: embedded.url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as T[];
  } finally {
    await client.end();
  }
}
const copyTo = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);
const isSound = async () => (await sql<{ sound: boolean }>('select carillon.is_sound() as sound'))[0]!.sound;
const codeOf = (lastSeen: LastSeen) => lastSeen.trouble()?.code ?? null;

async function campaign(name: string, people: number): Promise<string> {
  const order = readOrder({ agent: 'agent-1' });
  const id = await ledger.campaigns.create({
    name,
    kind: 'list',
    baseUrl,
    state: 'running',
    driver: 'background',
    order,
  });
  await sql('update carillon.campaigns set proved = true where id = $1', [id]);
  await ledger.people.import(
    id!,
    (async function* () {
      yield { accepted: persons(people), rejected: [] };
    })(),
    { columns: ['phone', 'name'], mode: 'whole' },
  );
  return id!;
}
const stateOf = async (id: string) =>
  (
    await sql<{ state: string; reason: string }>(
      'select state, reason from carillon.campaigns where id = $1',
      [id],
    )
  )[0]!;

it('a server that stopped or was killed, again and again, has all that it acknowledged: nobody is asked', async () => {
  const living = await process();
  await living.check(true);
  for (let round = 0; round < 6; round++) {
    if (round % 2 === 0) globalThis.process.kill(pidOf(home), 'SIGKILL');
    await stop();
    await start();
    // Nobody has vouched for this start of the server, and nobody is called.
    expect(await isSound()).toBe(false);
    if (round % 3 !== 0) await process();
    await living.check(true);
    expect([codeOf(living), await isSound()]).toEqual([null, true]);
  }
});

it('a command that calls nobody made the ledger: the next process vouches for it at its start, without a wait', async () => {
  const own = join(folder, 'made-by-a-command');
  await process(own);
  await stop();
  await start();
  expect(await isSound()).toBe(false);
  await process(own);
  expect(await isSound()).toBe(true);
});

it('says that the server was started again when it had died, and nothing when it had been stopped in order', async () => {
  const lines: string[] = [];
  const note = (...words: unknown[]) => lines.push(String(words.at(-1)));
  const noting = { ...log, info: note, warn: note, error: note } as unknown as typeof log;
  const config = loadConfig({ CARILLON_HOME: home, VOICE_BASE_URL: baseUrl });
  const books = () => openLedgerOnly(config, { log: noting });
  const again = 'the ledger’s Postgres was started again, and everything that was acknowledged is there';
  await stop();
  try {
    for (const _round of [1, 2]) {
      const { permit, lifecycle } = await books();
      await permit.refresh();
      await lifecycle.stop(10_000);
    }
    expect(lines).toEqual([]);
    const living = await books();
    globalThis.process.kill(pidOf(home), 'SIGKILL');
    await expect.poll(() => lines).toContain('the embedded Postgres had stopped and was restarted');
    lines.length = 0;
    // Checked again until the ledger answers.
    await expect.poll(() => living.permit.refresh().then(() => lines)).toEqual([again]);
    await living.lifecycle.stop(10_000);
    await leaveKilledServer(home);
    lines.length = 0;
    await (await books()).lifecycle.stop(10_000);
    expect(lines).toEqual([again]);
  } finally {
    await start();
  }
}, 120_000);

it('a process that has seen nothing waits for one that has it, and vouches alone when none comes', async () => {
  await stop();
  await start();
  const clock = createShiftedClock();
  const fresh = await process(join(folder, 'other'), clock);
  await fresh.check(true);
  expect([codeOf(fresh), await isSound()]).toEqual([null, false]);
  clock.shift(5_001);
  await fresh.check(true);
  expect([codeOf(fresh), await isSound()]).toEqual([null, true]);
});

it('an older copy of the data that is put back pauses every campaign, and opens nothing, until a person confirms', async () => {
  const id = await campaign('march', 3);
  const lane = (await ledger.lanes.join(['main']))[0]!.id;
  const request = { id, limit: 1, due: 3, queued: 0, places: null };
  const [planned] = await ledger.attempts.plan(lane, [request], 9, 9);
  const living = await process();
  await living.check(true);
  await stop();
  copyTo(join(home, 'ledger'), join(folder, 'copy'));
  await start();
  await living.check(true);
  const open = async () => {
    const attempt = (await ledger.attempts.load(planned!.id))!;
    return ledger.attempts.open(
      { id: planned!.id, revision: attempt.revision, agent: 'agent-1', policy: null },
      openerOn(lane),
    );
  };
  expect(await open()).toBe('open');
  const opened = { id: planned!.id, opens: 1, campaign: id };
  living.opened(opened);
  await stop();
  renameSync(join(home, 'ledger'), join(folder, 'newer'));
  copyTo(join(folder, 'copy'), join(home, 'ledger'));
  await start();
  // Before any process looked, the fence is shut.
  expect(await open()).toBe('unsure');
  expect(await ledger.attempts.plan(lane, [request], 9, 9)).toEqual([]);
  const after = await process();
  expect(after.trouble()).toMatchObject({ code: 'ledger-unconfirmed', exit: 3 });
  expect(after.trouble()!.remedy).toMatch(/carillon ledger confirm --lost-since 20/);
  expect([await open(), await stateOf(id)]).toEqual(['unsure', { state: 'paused', reason: 'history-lost' }]);
  // The process that opened it notes who it was: that person waits for a word of a person.
  const [person] = await sql<{ id: string }>(
    'select recipient_id as id from carillon.attempts where id = $1',
    [planned!.id],
  );
  const note = { attempt: planned!.id, recipient: Number(person!.id), campaign: id, opens: 1 };
  const lost = {
    attempt: '01920000-0000-7000-8000-000000000000',
    recipient: 987_654,
    campaign: id,
    opens: 1,
  };
  const at = new Date().toISOString();
  const notes = [note, lost].map((each) => ({ ...each, at }));
  expect(await ledger.lostHistory.loseNoted(notes, 7_200_000)).toEqual([
    { id, name: 'march', marked: 1, held: null },
    { id: null, name: null, marked: 1, held: 0 },
  ]);
  expect(await ledger.lostHistory.loseNoted(notes.slice(0, 1), 7_200_000)).toEqual([]);
  expect(await ledger.lostHistory.since(new Date())).toEqual([{ id, name: 'march' }]);
  expect(await ledger.lostHistory.loseWaiting(id, 7_200_000)).toBe(2);
  expect((await ledger.unknowns.list(id)).map((each) => each.reason)).toEqual(Array(3).fill('lost-history'));
  expect((await ledger.reports.audit()).filter((rule) => rule.broken > 0)).toEqual([]);
  expect(await ledger.lostHistory.confirm()).toBe('behind');
  expect([await isSound(), await open()]).toEqual([true, 'moved']);
  // What was seen earlier does not count any more, on whatever machine.
  await after.check(true);
  await living.check(true);
  expect([codeOf(after), codeOf(living), codeOf(await process())]).toEqual([null, null, null]);
});

it('the openings of the last moment are held against the ledger, and those of a deleted campaign are not', async () => {
  const lastSeen = await process();
  await lastSeen.check(true);
  const campaign = '01920000-0000-7000-8000-000000000001';
  await sql(
    `insert into carillon.activity (who, role, verb, subject, campaign_id) values ('cli', 'admin', 'campaign.delete', $1::text, $1::uuid)`,
    [campaign],
  );
  lastSeen.opened({ id: '01920000-0000-7000-8000-000000000002', opens: 1, campaign });
  await stop();
  await start();
  await lastSeen.check(true);
  expect(codeOf(lastSeen)).toBe(null);
  lastSeen.opened({
    id: '01920000-0000-7000-8000-000000000003',
    opens: 1,
    campaign: campaign.replace(/1$/, '9'),
  });
  await stop();
  await start();
  await lastSeen.check(true);
  expect([codeOf(lastSeen), await ledger.lostHistory.confirm()]).toEqual(['ledger-unconfirmed', 'intents']);
});

it('on a server of your own, a process leaves time to others that may know of calls which it does not', async () => {
  const clock = createShiftedClock();
  const homes = [join(folder, 'quiet'), join(folder, 'busy')] as const;
  const [quiet, busy] = [await process(homes[0], clock, false), await process(homes[1], clock, false)];
  for (const each of [quiet, busy]) await each.check(true);
  expect(await isSound()).toBe(true);
  const id = await campaign('others', 9);
  await stop();
  copyTo(join(home, 'ledger'), join(folder, 'before-busy'));
  await start();
  await busy.check(true);
  clock.shift(3_001);
  await busy.check(true);
  expect([codeOf(busy), await isSound()]).toEqual([null, true]);

  // The other learns nothing of what it opens before the older data is there.
  const lane = (await ledger.lanes.join(['main']))[0]!.id;
  const [planned] = await ledger.attempts.plan(
    lane,
    [{ id, limit: 9, due: 9, queued: 0, places: null }],
    9,
    9,
  );
  const { revision } = (await ledger.attempts.load(planned!.id))!;
  const opening = { id: planned!.id, revision, agent: 'agent-1', policy: null };
  expect(await ledger.attempts.open(opening, openerOn(lane))).toBe('open');
  busy.opened({ id: planned!.id, opens: 1, campaign: id });
  await stop();
  renameSync(join(home, 'ledger'), join(folder, 'after-busy'));
  renameSync(join(folder, 'before-busy'), join(home, 'ledger'));
  await start();
  await quiet.check(true);
  expect([codeOf(quiet), await isSound()]).toEqual([null, false]);
  clock.shift(2_001);
  await busy.check();
  expect(codeOf(busy)).toBe('ledger-unconfirmed');
  clock.shift(1_000);
  await quiet.check();
  expect([codeOf(quiet), await isSound()]).toEqual(['ledger-unconfirmed', false]);
  expect(await stateOf(id)).toEqual({ state: 'paused', reason: 'history-lost' });
  await ledger.lostHistory.confirm();
});

it('a ledger that was restored waits for a person, whatever was seen of it', async () => {
  await (await process()).check(true);
  noteRestored(home, 'from a backup');
  const restored = await process();
  expect(restored.trouble()?.message).toContain('restored from a backup');
  expect(await ledger.lostHistory.confirm()).toBe('restored');
  expect(codeOf(await process())).toBe(null);
});
