import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, people } from '../support/carillon.ts';
import { asked, expectRefused, until } from '../support/journeys.ts';

/** Backups of a ledger that calls, and what a restored one does with people whom it has forgotten. */
describe('a backup', () => {
  let desk: Desk;
  const env = { DATABASE_URL: '', VOICE_RATE: '400' };
  const slowly = { ...env, VOICE_RATE: '5' };
  const run = (args: string[]) => desk.run(args, env);
  const backups = () => join(desk.folder, 'home', 'backups');

  beforeAll(async () => {
    desk = await openDesk('postgres', { speed: 600, rate: 400 });
    // The server's account must be able to enter it.
    chmodSync(desk.folder, 0o755);
    desk.write('march.csv', people(200));
  }, 60_000);
  afterAll(() => desk?.close());

  it('is made while a campaign calls; restored, it calls nobody before a person confirmed, and nobody twice after', async () => {
    const dialling = desk.start(['run', 'march.csv', '--agent', 'agent_1', '--yes'], slowly);
    await until(() => desk.created().size >= 8, '8 calls');
    const made = await run(['backup', '--json']);
    expect(made.code, made.stderr).toBe(0);
    const { path, files, made_at: since } = JSON.parse(made.stdout);
    expect(files).toBeGreaterThan(500);
    const inBackup = desk.created().size;
    const busy = await run(['restore', path, '--yes']);
    expectRefused(busy, /The ledger in \S+ is in use/);
    await until(() => desk.created().size >= inBackup + 8, '8 more');
    dialling.child.kill('SIGINT');
    expect((await dialling.ended).code).toBe(130);
    const called = asked(desk);

    const restored = await run(['restore', path, '--yes']);
    expect(restored.code, restored.stderr).toBe(0);
    expect(restored.stdout).toMatch(
      /nobody is called until you run: carillon ledger confirm --lost-since 20/,
    );
    expect(readdirSync(join(desk.folder, 'home')).some((name) => name.startsWith('ledger.before-'))).toBe(
      true,
    );

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

    const confirmed = await run(['ledger', 'confirm', '--lost-since', since, '--yes', '--json']);
    expect(confirmed.code, confirmed.stderr).toBe(0);
    const told = JSON.parse(confirmed.stdout);
    expect(told).toMatchObject({ confirmed: true, missing: 0, campaigns: [{ name: 'march' }] });
    expect(told.marked).toBeGreaterThanOrEqual(8);
    const again = await run(['run', 'march.csv', '--agent', 'agent_1', '--yes', '--json']);
    expect(again.code, again.stderr).toBe(3);
    const summary = JSON.parse(again.stdout);
    expect(summary).toMatchObject({ rows: 200, waiting: 0, queued: 0, calling: 0 });
    expect(summary.unknown).toBeGreaterThanOrEqual(told.marked);
    expect([...asked(desk)].filter(([, times]) => times > 1)).toEqual([]);
    // Everyone who may have been called waits for a person, and nobody else was called.
    expect(asked(desk)).toEqual(called);
    const audit = await run(['audit']);
    expect(audit.code, audit.stdout).toBe(0);
    expect((await run(['ledger', 'confirm'])).stdout).toMatch(/there is nothing to confirm/);
  }, 180_000);

  it('--lost-since leaves everyone to a person whom a campaign would still call', async () => {
    desk.write('april.csv', people(30, 500));
    const part = await run(['run', 'april.csv', '--agent', 'agent_1', '--yes', '--limit', '5']);
    expect(part.code, part.stderr).toBe(0);
    const made = JSON.parse((await run(['backup', '--json'])).stdout);
    await run(['run', 'april.csv', '--agent', 'agent_1', '--yes', '--limit', '10']);
    // On another machine nobody noted the creates.
    rmSync(join(desk.folder, 'home', 'journal'), { recursive: true, force: true });
    expect((await run(['restore', join(made.path, 'manifest.json'), '--yes'])).code).toBe(0);
    const confirmed = await run(['ledger', 'confirm', '--lost-since', made.made_at, '--yes', '--json']);
    expect(confirmed.code, confirmed.stderr).toBe(0);
    expect(JSON.parse(confirmed.stdout).campaigns).toMatchObject([{ name: 'april', marked: 25 }]);
    const known = asked(desk);
    expect((await run(['run', 'april.csv', '--agent', 'agent_1', '--yes'])).code).toBe(3);
    expect(asked(desk)).toEqual(known);
  }, 120_000);

  it('that is not whole is refused, and of many the newest stay', async () => {
    const kept = await run(['backup', '--keep', '1']);
    expect(kept.stdout).toMatch(/Backed up to .*; 2 older ones removed/);
    const [name] = readdirSync(backups());
    expect(readdirSync(backups())).toEqual([name]);
    const file = join(backups(), name!, 'ledger', 'PG_VERSION');
    writeFileSync(file, `${readFileSync(file, 'utf8')} `);
    expectRefused(
      await run(['restore', join(backups(), name!), '--yes']),
      /is not whole: PG_VERSION is not what was copied/,
    );
    expectRefused(await run(['restore', backups(), '--yes']), /the newest is/);
    expect(existsSync(join(desk.folder, 'home', 'ledger', 'PG_VERSION'))).toBe(true);
    for (const args of [['backup'], ['restore', backups(), '--yes']])
      expectRefused(await desk.run(args), /DATABASE_URL is set: the ledger is your own Postgres/);
  }, 60_000);
});
