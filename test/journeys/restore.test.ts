import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../../src/embedded/embedded.ts';
import { type Desk, openDesk, people } from '../support/carillon.ts';
import { asked, expectRefused, until } from '../support/journeys.ts';

/** Backups of a ledger that calls, and what a restored one does with people whom it has forgotten. */
describe('a backup', () => {
  let desk: Desk;
  let held: Embedded | null = null;
  let backup: { path: string; made_at: string };
  const env = { DATABASE_URL: '', VOICE_RATE: '400' };
  const slowly = { ...env, VOICE_RATE: '8' };
  const run = (args: string[]) => desk.run(args, env);
  const home = (...parts: string[]) => join(desk.folder, 'home', ...parts);
  /** One server for all commands, instead of one for each. */
  const hold = async () => {
    held = await startEmbedded({ home: home() });
  };
  const restore = async (path: string) => {
    await held?.close();
    held = null;
    const restored = await run(['restore', path, '--yes']);
    expect(restored.code, restored.stderr).toBe(0);
    await hold();
    return restored.stdout;
  };
  const balance = async () =>
    JSON.parse((await run(['campaign', 'show', 'march', '--json'])).stdout).balance as Record<string, number>;

  beforeAll(async () => {
    desk = await openDesk('postgres', { speed: 600, rate: 400 });
    // The server's account must be able to enter it.
    chmodSync(desk.folder, 0o755);
    mkdirSync(home());
    desk.write('march.csv', people(300));
    await hold();
  });
  afterAll(async () => {
    await held?.close();
    await desk?.close();
  });

  it('is made while a campaign calls; restored, it calls nobody before a person confirmed', async () => {
    const dialling = desk.start(['run', 'march.csv', '--agent', 'agent_1', '--yes'], slowly);
    await until(() => desk.created().size >= 8, '8 calls');
    const made = await run(['backup', '--json']);
    expect(made.code, made.stderr).toBe(0);
    backup = JSON.parse(made.stdout);
    expect(JSON.parse(made.stdout).files).toBeGreaterThan(500);
    const inBackup = desk.created().size;
    expectRefused(await run(['restore', backup.path, '--yes']), /The ledger in \S+ is in use/);
    await until(() => desk.created().size >= inBackup + 8, '8 more');
    dialling.child.kill('SIGINT');
    expect((await dialling.ended).code).toBe(130);
    const called = asked(desk);

    expect(await restore(backup.path)).toMatch(
      /nobody is called until .*: `carillon ledger show` says how\.$/m,
    );
    expect(readdirSync(home()).some((name) => name.startsWith('ledger.before-'))).toBe(true);
    const refused = await run(['run', 'march.csv', '--agent', 'agent_1', '--yes']);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/The ledger has lost some of its history: it was restored from a backup/);
    const resumed = await run(['campaign', 'resume', 'march']);
    expect([resumed.code, asked(desk)]).toEqual([3, called]);
    const doctor = await run(['doctor', '--json']);
    const checks = JSON.parse(doctor.stdout).checks as { what: string; state: string; detail: string }[];
    expect(checks.filter(({ what }) => what === 'ledger')).toMatchObject([
      { state: 'ok' },
      { state: 'fail', detail: expect.stringContaining('nobody is called') },
      { state: 'ok', detail: expect.stringContaining('its last backup is') },
    ]);
    // Each names the same command.
    const advice = /`carillon ledger confirm --lost-since 20\S+`/.exec(refused.stderr)?.[0];
    expect(advice).toBeDefined();
    expect((await run(['ledger', 'show'])).stdout).toContain(advice);
    expect(doctor.stdout).toContain(advice);
  });

  it('knows by the notes of this machine whom it called since: exactly they are unknown, and nobody is called twice', async () => {
    const called = asked(desk);
    const confirmed = await run(['ledger', 'confirm', '--yes', '--json']);
    expect(confirmed.code, confirmed.stderr).toBe(0);
    const told = JSON.parse(confirmed.stdout);
    expect(told).toMatchObject({ confirmed: true, missing: 0, campaigns: [{ name: 'march' }] });
    expect(told.marked).toBeGreaterThanOrEqual(8);
    // One that was noted and then came too late to leave is among them: its note says no more.
    const unknown = JSON.parse((await run(['unknown', 'list', '--json'])).stdout).items as {
      phone: string;
    }[];
    const spared = unknown.filter(({ phone }) => !called.has(phone)).length;
    expect(called.size + spared).toBeLessThanOrEqual(told.noted);
    // Everyone else still waits to be called. Of an intent that the backup holds and that was then taken back, nothing is
    // noted: it never left, and is taken back again.
    const { waiting, queued } = await balance();
    expect(
      (await run(['campaign', 'export', 'march', '--out', 'on.ndjson', '--state', 'calling'])).code,
    ).toBe(0);
    const on = desk.read('on.ndjson').split('\n').filter(Boolean);
    const intended = on.filter((line) => !called.has(JSON.parse(line).phone)).length;
    expect(waiting! + queued! + intended).toBe(300 - called.size - spared);
    const again = await run(['run', 'march.csv', '--agent', 'agent_1', '--yes', '--json']);
    expect(again.code, again.stderr).toBe(3);
    const summary = JSON.parse(again.stdout);
    expect(summary).toMatchObject({ rows: 300, waiting: 0, queued: 0, calling: 0 });
    expect(summary.unknown).toBeGreaterThanOrEqual(told.marked);
    expect(summary.unknown).toBeLessThanOrEqual(called.size + spared);
    const now = asked(desk);
    expect([...now].filter(([, times]) => times > 1)).toEqual([]);
    expect(now.size).toBe(300 - spared);
    const audit = await run(['audit']);
    expect(audit.code, audit.stdout).toBe(0);
    expect((await run(['ledger', 'confirm'])).stdout).toMatch(/there is nothing to confirm/);
  });

  it('without those notes, --lost-since leaves everyone to a person whom a campaign would still call', async () => {
    // On another machine nobody noted the creates.
    rmSync(home('journal'), { recursive: true, force: true });
    await restore(join(backup.path, 'manifest.json'));
    const later = await run(['ledger', 'confirm', '--lost-since', '2099-01-01', '--yes']);
    expect([later.code, later.stderr]).toEqual([2, expect.stringContaining('is in the future')]);
    const confirmed = await run(['ledger', 'confirm', '--lost-since', '2h', '--yes', '--json']);
    expect(confirmed.code, confirmed.stderr).toBe(0);
    const { campaigns, marked } = JSON.parse(confirmed.stdout);
    expect(campaigns).toMatchObject([{ name: 'march', marked }]);
    const { waiting, queued } = await balance();
    expect(waiting! + queued!).toBe(0);
    const known = asked(desk);
    expect((await run(['run', 'march.csv', '--agent', 'agent_1', '--yes'])).code).toBe(3);
    expect(asked(desk)).toEqual(known);
  });

  it('that lacks a campaign calls nobody of it again when the list comes again: its people are unknown', async () => {
    // The whole list was called after the backup, from this machine.
    desk.write('late.csv', people(4, 700));
    const late = ['run', 'late.csv', '--agent', 'agent_1', '--yes', '--json'];
    const ran = await run(late);
    expect(ran.code, ran.stderr).toBe(0);
    const known = asked(desk);
    await restore(backup.path);
    const told = await run(['ledger', 'confirm', '--yes']);
    expect(told.code, told.stderr).toBe(0);
    expect(told.stdout).toMatch(
      /^4 creates were to people who are not in the ledger: if one is imported again/m,
    );
    const again = await run(late);
    expect(again.code, again.stderr).toBe(3);
    expect(JSON.parse(again.stdout)).toMatchObject({ rows: 4, unknown: 4 });
    expect(asked(desk)).toEqual(known);
    expect((await run(['audit'])).code).toBe(0);
  });

  it('that was interrupted leaves nothing, and of many the newest stay', async () => {
    const backups = () => readdirSync(home('backups'));
    const isHalf = (name: string) => name.endsWith('.part');
    const broken = desk.start(['backup'], env);
    await until(() => backups().some(isHalf), 'a backup has begun');
    broken.child.kill('SIGINT');
    const { code, stderr } = await broken.ended;
    expect([code, stderr]).toEqual([
      130,
      expect.stringMatching(/was interrupted, and nothing of it was kept/),
    ]);
    expect(backups().filter(isHalf)).toEqual([]);
    // One that was killed could not tidy up.
    mkdirSync(home('backups', 'carillon-20260101T000000Z-0a1b2c3d.part'));
    const kept = await run(['backup', '--keep', '1']);
    expect(kept.stdout).toMatch(/Backed up to .*; 1 older one removed/);
    expect(backups()).toEqual([expect.stringMatching(/^carillon-\d{8}T\d{6}Z$/)]);
  });

  it('that is not whole is refused', async () => {
    const [name] = readdirSync(home('backups'));
    const path = home('backups', name!);
    const file = join(path, 'ledger', 'PG_VERSION');
    writeFileSync(file, `${readFileSync(file, 'utf8')} `);
    expectRefused(await run(['restore', path, '--yes']), /is not whole: PG_VERSION is not what was copied/);
    expectRefused(await run(['restore', home('backups'), '--yes']), /the newest is/);
    expect(existsSync(home('ledger', 'PG_VERSION'))).toBe(true);
    for (const args of [['backup'], ['restore', path, '--yes']])
      expectRefused(await desk.run(args), /DATABASE_URL is set: the ledger is your own Postgres/);
  });
});
