import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, people, summaryOf } from '../support/carillon.ts';
import { ask, asked, creates, expectRefused, expectSound, until, worstOverrun } from '../support/journeys.ts';
import { freePort } from '../support/ports.ts';
import { it } from './desk.ts';

/** Several keys: each has its own pace and state, and no secret leaves the environment. */
const secrets = { one: 'sk_one_8fQ2secret', two: 'sk_two_Zr71secret' };
const both = `one=${secrets.one},two=${secrets.two}`;
const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];

/** Every text in the ledger's database, in all schemas, the queue's too. */
async function everyText(desk: Desk): Promise<string> {
  const columns = await ask<{ schema: string; name: string }>(
    desk,
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  expect(columns.length).toBeGreaterThan(5);
  let text = '';
  for (const { schema, name } of columns) {
    const rows = await ask<{ row: string }>(desk, `select t::text as row from "${schema}"."${name}" t`);
    text += rows.map((each) => each.row).join('\n');
  }
  return text;
}

describe.concurrent('keys', () => {
  it('may be a hundred with the queue in Postgres, and Ctrl-C still works', async ({ openDesk }) => {
    const names = Array.from({ length: 100 }, (_, i) => `key${i}`);
    const keys = names.map((name) => `sk_of_${name}`);
    const desk = await openDesk('postgres', { speed: 600, rate: 20, keys });
    // One call a key, and some keys a second.
    desk.write('people.csv', people(130));
    const env = { VOICE_API_KEYS: names.map((name, i) => `${name}=${keys[i]}`).join(','), VOICE_RATE: '2' };
    const run = desk.start(args, env);
    await until(() => desk.sim.state().created >= 30, '30 calls');
    run.child.kill('SIGINT');
    const stopped = await run.ended;
    expect(stopped.code, stopped.stderr).toBe(130);
    const ended = await desk.run(args, env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 130, done: 130, unknown: 0 });
    for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);
    await expectSound(desk);
  });

  it('come, go and change their secret in a file without a restart; one that goes finishes its calls first', async ({
    openDesk,
  }) => {
    const sk = ['sk_file_first', 'sk_file_second', 'sk_file_third'];
    const desk = await openDesk('postgres', { speed: 20, rate: 50, keys: sk });
    const by = (key: number) => creates(desk).filter((entry) => entry.key === key).length;
    const path = join(desk.folder, 'keys');
    // As a deployment does it: never half a file.
    const put = (text: string, mode = 0o600) => {
      writeFileSync(`${path}.new`, text, { mode });
      chmodSync(`${path}.new`, mode);
      renameSync(`${path}.new`, path);
    };
    const env = { VOICE_API_KEYS: '', VOICE_API_KEYS_FILE: path, VOICE_RATE: '4' };
    put('main=sk_file_first\n', 0o644);
    const open = await desk.run(['worker'], env);
    expect(open.code).toBe(2);
    expect(open.stderr).toMatch(
      /^carillon: VOICE_API_KEYS_FILE .* may be read by others \(mode 0644\); run `chmod 600 .*`\. .*\n$/,
    );

    put('# the first account\nmain=sk_file_first\n');
    desk.write('list.csv', people(60));
    for (const order of [
      ['campaign', 'create', 'list', '--agent', 'agent_1'],
      ['campaign', 'add', 'list', 'list.csv'],
      ['campaign', 'start', 'list'],
    ])
      expect((await desk.run(order, env)).code).toBe(0);
    const worker = desk.start(['worker'], env);
    await until(() => by(0) >= 8, 'calls of the first key');

    put('spare=sk_file_second\n');
    await until(() => by(1) >= 4, 'calls of the second key');
    const made = by(0);
    const [main, spare] = JSON.parse((await desk.type(['keys', '--json'], env)).stdout).items;
    expect(main).toMatchObject({ name: 'main', present: false });
    expect(spare.processes).toEqual([expect.stringMatching(`:${worker.child.pid}$`)]);

    // Something that cannot be used changes nothing, and neither does a signal stop the process.
    put('spare sk_file_second\n');
    await worker.prints(/VOICE_API_KEYS_FILE .*\. .*The keys stay as they were/);
    put('spare=sk_file_third\n');
    worker.child.kill('SIGHUP');
    await until(() => by(2) >= 4, 'calls with the new secret');
    await until(
      async () =>
        (
          await ask<{ n: number }>(
            desk,
            "select count(*)::int as n from carillon.recipients where state <> 'done'",
          )
        )[0]!.n === 0,
      'everyone is called, and every call is followed to its end',
    );
    expect(by(0)).toBe(made);
    expect(by(0) + by(1) + by(2)).toBe(60);
    for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);
    await worker.prints(/a key that was removed has finished its calls/);
    worker.child.kill('SIGTERM');
    const ended = await worker.ended;
    expect(ended.code).toBe(0);
    expect(ended.stdout + ended.stderr).not.toMatch(/sk_file/);
    await expectSound(desk);
  });

  it('that differ between two workers: the second dials nothing and everyone is told; alike again, it dials', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 50, keys: Object.values(secrets) });
    const dialledBy = (key: number) => creates(desk).filter((entry) => entry.key === key).length;
    const env = {
      VOICE_API_KEYS: `main=${secrets.one}`,
      VOICE_RATE: '20',
      CARILLON_SECRET: 'a'.repeat(32),
    };
    const other = { ...env, VOICE_API_KEYS: `main=${secrets.two}`, CARILLON_SECRET: 'b'.repeat(32) };
    const start = async (list: string, from: number) => {
      desk.write(`${list}.csv`, people(20, from));
      const made = await desk.type(['campaign', 'create', list, '--agent', 'agent_1'], env);
      expect(made.code, made.stderr).toBe(0);
      expect((await desk.type(['campaign', 'add', list, `${list}.csv`], env)).code).toBe(0);
      expect((await desk.type(['campaign', 'start', list], env)).code).toBe(0);
    };
    const first = desk.start(['worker'], env);
    await first.prints(/Workers run/);
    const second = desk.start(['worker'], other);
    await second.prints(/another secret for the key main.*: nothing is dialled\. Give/);
    await start('first', 0);
    await until(() => dialledBy(0) === 20, 'all of the first list are called');
    expect(dialledBy(1)).toBe(0);

    // A person is told, with either of the two settings.
    await until(
      async () => (await desk.type(['alerts'], env)).stdout.includes('another secret for the key main'),
      'the alert',
    );
    expect((await desk.type(['alerts'], env)).stdout).toMatch(/another CARILLON_SECRET/);
    const [key] = JSON.parse((await desk.type(['keys', '--json'], env)).stdout).items;
    expect(key.differs).toMatchObject([
      { process: expect.stringMatching(`:${second.child.pid}$`), what: 'secret' },
    ]);
    expect((await desk.type(['keys'], other)).stdout).toMatch(
      /This command has another secret for the key main/,
    );
    const told = (await desk.type(['doctor'], env)).stdout;
    expect(told).toMatch(
      new RegExp(`warn {2}workers +\\S+:${second.child.pid} has another secret for the key main`),
    );
    expect(told).toMatch(new RegExp(`warn {2}workers +\\S+:${second.child.pid} has another CARILLON_SECRET`));
    const call = await desk.type(['call', 'create', '--agent', 'agent_1', '--to', '+14155559999'], other);
    expect(call.stderr).toMatch(/another secret for the key main/);
    expect(call.code).toBe(2);

    // A rolling change: the last with the old key stops, and those with the new one then dial.
    first.child.kill('SIGTERM');
    await first.ended;
    await start('second', 100);
    await until(() => dialledBy(1) === 20, 'all of the second list are called');
    const late = desk.start(['worker'], env);
    await late.prints(/another secret for the key main.*: nothing is dialled/);
    const confirmed = await desk.type(['keys', 'confirm', 'main'], env);
    expect(confirmed.stdout).toMatch(/^The key main of this command is the one in force/);
    await second.prints(
      /another secret for the key main.*: nothing is dialled[\s\S]*another secret for the key main/,
    );
    await start('third', 200);
    await until(() => dialledBy(0) === 40, 'all of the third list are called');
    expect(dialledBy(1)).toBe(20);
    expect(await everyText(desk)).not.toContain(secrets.one);
    await expectSound(desk);
  });

  it('continue without one that is revoked in the middle: exit 0, everybody called once', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 20, keys: Object.values(secrets) });
    desk.write('people.csv', people(80));
    const run = desk.start(args, { VOICE_API_KEYS: both, VOICE_RATE: '10', LOG_LEVEL: 'debug' });
    await until(() => desk.sim.state().created >= 30, '30 calls');
    desk.sim.control({ revokeKeys: [0] });
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 80, done: 80, unknown: 0, attempts: 80 });
    expect(desk.sim.state().created).toBe(80);
    const keys = JSON.parse(
      (await desk.type(['keys', '--json'], { VOICE_API_KEYS: both, VOICE_RATE: '20' })).stdout,
    ).items;
    expect(keys).toMatchObject([
      { name: 'one', state: 'denied' },
      { name: 'two', state: 'open' },
    ]);
    await expectSound(desk);

    const said = ended.stdout + ended.stderr + JSON.stringify(keys) + desk.read('people.results.csv');
    const kept = await everyText(desk);
    for (const secret of Object.values(secrets)) {
      expect(said).not.toContain(secret);
      expect(kept).not.toContain(secret);
    }
    // Phones are in the ledger and the results, and masked in logs.
    expect(ended.stderr).not.toMatch(/\+14155550\d{3}/);
  });

  it('that are all revoked end the run with 3, and every row is kept', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 20, keys: Object.values(secrets) });
    const env = { VOICE_API_KEYS: both, VOICE_RATE: '10' };
    desk.write('people.csv', people(80));
    const run = desk.start(args, env);
    await until(() => desk.sim.state().created >= 30, '30 calls');
    desk.sim.control({ revokeKeys: [0, 1] });
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(3);
    const summary = summaryOf(ended);
    expect(summary.unknown).toBe(0);
    expect(summary.attempts).toBe(desk.sim.state().created);
    expect(summary.waiting + summary.calling + summary.done).toBe(80);
    expect(ended.stderr).toMatch(
      /The service does not accept any of the keys: .*401.*Correct VOICE_API_KEYS, then: carillon run/,
    );
    const shown = await desk.type(['keys', '--json'], env);
    expect(JSON.parse(shown.stdout).items).toMatchObject([{ state: 'denied' }, { state: 'denied' }]);

    // A key revoked before the start: refused at once, nobody is dialled.
    const before = creates(desk).length;
    expectRefused(await desk.run(args, env), /does not accept the key one: .*401.*VOICE_API_KEYS/);
    expect(creates(desk).length).toBe(before);

    // With the keys back, the next run continues and follows the calls that could not be polled.
    desk.sim.control({ restoreKeys: [0, 1] });
    const again = await desk.run(args, env);
    expect(again.code, again.stderr).toBe(0);
    expect(summaryOf(again)).toMatchObject({ done: 80, attempts: 80 });
    await expectSound(desk);
  });

  it('that are wrong at the start end the run with 2 before anybody is dialled', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { keys: ['sk_right'] });
    desk.write('people.csv', people(3));
    const wrong = await desk.run(args, { VOICE_API_KEYS: 'main=sk_wrong' });
    expectRefused(wrong, /does not accept the key main: the service answered 401/);
    expect(wrong.stderr).not.toContain('sk_wrong');
    expectRefused(await desk.run(args, { VOICE_API_KEYS: undefined }), /VOICE_API_KEYS/);
    expectRefused(await desk.run(args, { VOICE_BASE_URL: undefined }), /VOICE_BASE_URL/);
    expectRefused(await desk.run(args, { VOICE_API_KEYS: 'a=same,b=same' }), /one secret under two names/);
    expectRefused(await desk.run(args, { VOICE_RATE: 'fast' }), /VOICE_RATE/);
    expectRefused(await desk.run(args, { VOICE_RATE: 'nobody=5' }), /VOICE_RATE .*nobody/);
    expectRefused(await desk.run(args, { VOICE_BASE_URL: 'voice.example' }), /VOICE_BASE_URL is not a URL/);
    expect(asked(desk).size).toBe(0);
    // One good key among bad ones is enough to continue.
    const mixed = await desk.run(args, { VOICE_API_KEYS: 'bad=sk_wrong,good=sk_right' });
    expect(mixed.code, mixed.stderr).toBe(0);
    expect(mixed.stderr).toMatch(/key not accepted: bad/);
    expect(summaryOf(mixed)).toMatchObject({ done: 3 });
  });

  it('are sent as bearer token or as X-API-Key, as VOICE_AUTH says', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 6_000, keys: ['sk_right'] });
    desk.write('people.csv', people(2));
    const run = await desk.run(args, { VOICE_API_KEYS: 'sk_right', VOICE_AUTH: 'x-api-key' });
    expect(run.code, run.stderr).toBe(0);
    const shown = await desk.type(['keys', '--json'], { VOICE_API_KEYS: 'sk_right' });
    expect(JSON.parse(shown.stdout).items).toMatchObject([{ name: 'default' }]);
  });

  it('of one declared account keep its VOICE_RATE together', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: null, keys: Object.values(secrets) });
    desk.write('people.csv', people(120));
    const account = { VOICE_API_KEYS: both, VOICE_ACCOUNTS: 'one+two', VOICE_RATE: '40' };
    const ended = await desk.run(args, account);
    expect(ended.code, ended.stderr).toBe(0);
    const sent = [...desk.sim.journal()];
    for (const key of [0, 1]) expect(sent.filter((entry) => entry.key === key).length).toBeGreaterThan(10);
    expect(worstOverrun(sent, 40)).toBeLessThanOrEqual(40 * 0.25);
  });

  it('each keep their own VOICE_RATE', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: null, keys: Object.values(secrets) });
    desk.write('people.csv', people(120));
    const ended = await desk.run(args, { VOICE_API_KEYS: both, VOICE_RATE: 'one=40,two=4' });
    expect(ended.code, ended.stderr).toBe(0);
    const [one, two] = desk.sim.state().keys;
    const sent = (key: number) => [...desk.sim.journal()].filter((entry) => entry.key === key);
    expect(worstOverrun(sent(0), 40)).toBeLessThanOrEqual(40 * 0.25);
    expect(worstOverrun(sent(1), 4)).toBeLessThanOrEqual(3);
    // The key with ten times the rate does more of the work, however busy the machine is.
    expect(two!.requests).toBeGreaterThan(0);
    expect(one!.requests).toBeGreaterThan(two!.requests);
  });
});

describe('a service', () => {
  it('that cannot be reached at the start is an error with a remedy, and nobody is dialled', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres');
    const port = await freePort();
    desk.write('people.csv', people(3));
    expectRefused(
      await desk.run(args, { VOICE_BASE_URL: `http://127.0.0.1:${port}/v1` }),
      /cannot be reached: .*Check VOICE_BASE_URL/,
    );
    // The failed start leaves nothing behind that would refuse another URL.
    const run = await desk.run(args);
    expect(run.code, run.stderr).toBe(0);
  });
});
