import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type ServiceName, serviceNames } from '../../simulator/settings.ts';
import { people, summaryOf } from '../support/carillon.ts';
import { agentOf, caller, profileOf } from '../support/dialects.ts';
import { asked, creates, expectRefused, expectSound, inTurns, until } from '../support/journeys.ts';
import { serve } from '../voice/servers.ts';
import { it } from './desk.ts';

/** The order: what a refusal is blamed on, when people may be called, and how often. */
const base = ['run', 'people.csv', '--json'];
const args = [...base, '--agent', 'agent_1'];
const env = { VOICE_RATE: '100' };
/** Services that know before they ring that a number does not exist; the others ring, and the call fails. */
const knowsInvalid: readonly ServiceName[] = ['elevenlabs'];

describe.concurrent('an order to stop early', () => {
  it('after the first people, then when too many calls fail, says how to continue each time', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100, shares: { failed: 1 } });
    desk.write('people.csv', people(80));
    const first = await desk.run([...args, '--first', '2'], env);
    expect(first.code, first.stderr).toBe(0);
    expect(summaryOf(first)).toMatchObject({ rows: 80, done: 2, waiting: 78, outcomes: { failed: 2 } });
    expect(first.stderr).toMatch(
      /The first 2 people were called: failed 2. 78 people wait. Continue with `carillon campaign resume people`, or/,
    );
    // The same command again is not the word to call the rest.
    const again = await desk.run([...args, '--first', '2'], env);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain('The first 2 people were called: failed 2.');
    expect(creates(desk)).toHaveLength(2);
    const rest = await desk.run([...args, '--stop-at', '50%/1m', '--max-calls', '1'], env);
    expect(rest.code, rest.stderr).toBe(3);
    expect(rest.stderr).toMatch(/Paused: stop-at: (\d+) of \1 calls in 1 min failed\. Look at the errors/);
    const { done, waiting } = summaryOf(rest);
    expect(done).toBeGreaterThanOrEqual(7);
    expect(waiting).toBe(80 - done);
    await expectSound(desk);
  });
});

describe.concurrent('a mistake in the order', () => {
  it('costs three creates and no row, is reported in the service’s words, and is fixed with --agent', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    desk.write('people.csv', people(30));
    const wrong = await desk.run([...base, '--agent', 'agent-unknown'], env);
    expect(wrong.code, wrong.stderr).toBe(3);
    expect(summaryOf(wrong)).toMatchObject({ rows: 30, waiting: 30, rejected: 0, done: 0, attempts: 0 });
    expect(wrong.stderr).toMatch(/The service refuses the order: .*404.*Agent not found.*then: carillon run/);
    expect(creates(desk).map((entry) => entry.answer)).toEqual([404, 404, 404]);
    expect(desk.table('people.results.csv').every((row) => row.state === 'waiting')).toBe(true);
    const right = await desk.run(args, env);
    expect(right.code, right.stderr).toBe(0);
    expect(right.stderr).toMatch(/changed options/);
    expect(summaryOf(right)).toMatchObject({ rows: 30, done: 30, attempts: 30 });
    await expectSound(desk);
  });

  it('in the profile’s customer field counts as the order’s too', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    desk.write('people.csv', people(10));
    desk.write('profile.json', '{"customer":{"field":"person"}}');
    const ended = await desk.run(args, { ...env, VOICE_PROFILE: 'profile.json' });
    expect(ended.code, ended.stderr).toBe(3);
    expect(summaryOf(ended)).toMatchObject({ rows: 10, waiting: 10, rejected: 0, attempts: 0 });
    expect(ended.stderr).toMatch(
      /refuses the order: customer: Field required; person: Value is not expected/,
    );
    expect(creates(desk)).toHaveLength(3);
  });

  it('in one person’s data rejects only that person, in the service’s words', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100, refused: ['+14155550004'] });
    // The country code exists, but the length is wrong.
    desk.write('people.csv', `${people(6)}+2901,short\n`);
    desk.sim.control({ addFaults: [{ kind: 'error', status: 400, phone: '5550003', next: 1 }] });
    const ended = await desk.run(args, env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 7, rejected: 2, done: 5, attempts: 5 });
    const rows = desk.table('people.results.csv');
    expect(rows.map((row) => row.attempts)).toEqual(['1', '1', '1', '1', '0', '1']);
    const refused = rows.find((row) => row.phone === '+14155550004');
    expect(refused).toMatchObject({ state: 'rejected', outcome: '', call_id: '' });
    expect(refused!.error).toBe('customer.phone_number: Value cannot be called');
    // Both stand in the file of what was rejected, in the order of the list.
    const rejects = desk.table('people.results.rejected.csv');
    expect(rejects.map(({ line, reason }) => [line, reason])).toEqual([
      ['6', 'refused by the service: customer.phone_number: Value cannot be called'],
      ['8', expect.stringContaining('+2901')],
    ]);
    // The same list again: the person stays rejected, and nobody is asked for again.
    const again = await desk.run(args, env);
    expect(summaryOf(again)).toMatchObject({ rows: 7, rejected: 2, done: 5, attempts: 5 });
    expect(desk.table('people.results.rejected.csv')).toEqual(rejects);
    expect(asked(desk).get('+14155550004')).toBe(1);
    // With another row, and under the number that the service takes, the person is called.
    const repaired = `${people(6).replace('Person 4', 'Ann')}+2901,short\n`;
    desk.write('people.csv', repaired);
    const dry = await desk.run([...args, '--dry-run'], env);
    expect(summaryOf(dry)).toMatchObject({ rows: 7, rejected: 1, waiting: 1, done: 5 });
    desk.sim.control({ refused: [] });
    const third = await desk.run(args, env);
    expect(summaryOf(third)).toMatchObject({ rows: 7, rejected: 1, done: 6, attempts: 6 });
    expect(asked(desk).get('+14155550004')).toBe(2);
    await expectSound(desk);
    // After a refusal that names no field, the person waits and is called the next time.
    expect(asked(desk).get('+14155550003')).toBe(2);
  });

  it.for(serviceNames)(
    '%s: wrong numbers reject their rows, the first too, and all others are called',
    async (service, { openDesk }) => {
      const wrong = ['+14155550000', '+14155550003', '+14155550004', '+14155550005', '+14155550007'];
      const fates = { '+14155550003': 'invalid' } as const;
      const shares = { answered: 0.5, 'no-answer': 0.5 };
      const refused = wrong.filter((phone) => !(phone in fates) || !knowsInvalid.includes(service));
      const desk = await openDesk('postgres', {
        service,
        speed: 200,
        rate: 100,
        phones: fates,
        shares,
        refused,
      });
      desk.write('people.csv', people(10));
      desk.write('profile.json', JSON.stringify(profileOf(service)));
      const own = { ...env, VOICE_SERVICE: service, VOICE_PROFILE: join(desk.folder, 'profile.json') };
      const ended = await desk.type([...base, '--agent', agentOf(service), '--from', caller, '--yes'], own);
      expect(ended.code, ended.stderr).toBe(0);
      const rows = desk.table('people.results.csv');
      expect(rows.filter(({ state }) => state === 'rejected').map(({ phone }) => phone)).toEqual(wrong);
      expect(rows.filter(({ state }) => state === 'done')).toHaveLength(5);
    },
  );

  it('that is visible beforehand costs no create: exit 2, one line', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 6_000, rate: 100 });
    desk.write('people.csv', people(3));
    const refused: [string[], RegExp, Record<string, string>?][] = [
      [
        ['--from', '+14155559999'],
        /caller number \+14155559999 is not among the account’s phone numbers.*carillon numbers/,
      ],
      [['--from', '555'], /caller number "?555/],
      [['--number-id', 'nope'], /caller number with the id nope is not among/],
      [['--window', '20:00-20:00'], /window/i],
      [['--window', 'always'], /window/i],
      [['--days', 'someday'], /day/i],
      [['--timezone', 'Mars/Olympus'], /Mars\/Olympus/],
      [['--country', 'XX'], /"XX" is not a country code/],
      [['--map', 'fone=x'], /--map does not accept "fone=x"/],
      [['--max-attempts', 'many'], /attempts/],
      [['--retry', 'no-answer=30m'], /retry .*only one attempt.*--max-attempts/i],
      [['--retry', 'sleepy=3m', '--max-attempts', '2'], /sleepy.*not an outcome/],
      [['--retry', 'busy=soon', '--max-attempts', '2'], /busy.*"?soon/],
      [['--on-402', 'hope'], /on-402.*wait or exit/],
      [['--out', 'no/where.csv'], /no\/where\.csv cannot be written: its folder does not exist/],
      [['--out', 'people.csv/x.csv'], /cannot be written: a part of its path is not a folder/],
      [['--out', 'folder.csv'], /folder\.csv cannot be written: a folder has that name/],
      [['--out', './people.csv'], /people\.csv is the list itself, and would be overwritten.*--out/],
      [['--colour'], /unknown option '--colour'/],
      [['more.csv'], /too many arguments/],
      [[], /VOICE_PROFILE|profile\.json/, { VOICE_PROFILE: 'no-profile.json' }],
    ];
    mkdirSync(join(desk.folder, 'folder.csv'));
    desk.write('bad.json', '{"customer":');
    desk.write('odd.json', '{"costumer":{"field":"x"}}');
    const whole: [string[], RegExp, Record<string, string>?][] = [
      ...refused.map(([more, ...rest]) => [[...args, ...more], ...rest] as (typeof refused)[number]),
      [args, /bad\.json/, { VOICE_PROFILE: 'bad.json' }],
      [args, /odd\.json.*costumer/, { VOICE_PROFILE: 'odd.json' }],
      [base, /The option --agent <id> is missing/],
      [['run', 'people.csv', '--agnt', 'a'], /unknown option '--agnt'.*--agent/],
      [['run', '--agent', 'a'], /missing required argument 'file'/],
      [['runn', 'people.csv'], /runn.*--help/],
      [['run', 'nowhere.csv', '--agent', 'a'], /nowhere\.csv does not exist/],
      [['run', '.', '--agent', 'a'], /is a folder/],
    ];
    await inTurns(
      whole.map(
        ([line, words, extra]) =>
          async () =>
            expectRefused(await desk.run(line, { ...env, ...extra }), words),
      ),
      4,
    );
    expect(creates(desk)).toEqual([]);
    const listed = JSON.parse((await desk.type(['campaign', 'list', '--json'])).stdout);
    expect(listed.items).toEqual([]);
  });
});

describe.concurrent('caller numbers', () => {
  it('take turns, and the request has none if none is given', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100, strict: true });
    desk.write('people.csv', people(4));
    const turns = ['--from', '+14155550100', '--from', '+1 (212) 555-0102', '--number-id', 'number-4'];
    const ended = await desk.run([...args, ...turns], env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toMatch(/from \+14155550100, \+12125550102, number id number-4/);
    expect(summaryOf(ended)).toMatchObject({ done: 4, attempts: 4 });
  });
});

describe('a caller number that the service lists without its plus', () => {
  it('is known to a dry run and to a single call', async ({ onTestFinished, openDesk }) => {
    const listed = [{ id: 'n1', phone_number: '1 (415) 555-0100' }];
    const { baseUrl } = await serve(
      ({ url }) => (/^.v1.phone-number/.test(url) ? { json: listed } : { status: 422, json: {} }),
      onTestFinished,
    );
    const desk = await openDesk('postgres');
    const at = { ...env, VOICE_BASE_URL: baseUrl };
    desk.write('people.csv', people(1));
    const dry = await desk.run([...args, '--from', '+14155550100', '--dry-run'], at);
    expect(dry.code, dry.stderr).toBe(0);
    const call = ['call', 'create', '--agent', 'a', '--to', '+14155550199', '--from', '+14155550100'];
    expect((await desk.run(call, at)).stderr).toContain('the service refused the call');
    const other = await desk.run([...args, '--from', '+14155550101', '--dry-run'], at);
    expectRefused(other, /\+14155550101 is not among the account’s phone numbers/);
  });
});

describe.concurrent('the window', () => {
  /** Two digits of an hour, which may be past midnight. */
  const two = (n: number) => String(((n % 24) + 24) % 24).padStart(2, '0');
  const hourIn = (zone: string) =>
    Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', hour12: false, timeZone: zone }).format()) %
    24;
  /** A zone in which it is about midday, so that windows need not span midnight. */
  const noonZone = [
    'UTC',
    'America/New_York',
    'Asia/Tokyo',
    'Asia/Kolkata',
    'Pacific/Auckland',
    'America/Los_Angeles',
  ].find((zone) => hourIn(zone) >= 4 && hourIn(zone) <= 18)!;
  const closed = () => `${two(hourIn(noonZone) + 2)}:00-${two(hourIn(noonZone) + 3)}:00`;
  const open = () => `${two(hourIn(noonZone) - 2)}:00-${two(hourIn(noonZone) + 3)}:00`;

  it('that is closed dials nobody and says when it opens; Ctrl-C exits with 130', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    desk.write('people.csv', people(5));
    const window = closed();
    const run = desk.start([...args, '--window', window, '--timezone', noonZone], env);
    await run.prints(/5 wait for .*\d\d:\d\d:00(Z|[+-])/);
    run.child.kill('SIGINT');
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(130);
    expect(summaryOf(ended)).toMatchObject({ rows: 5, waiting: 5, queued: 0, attempts: 0 });
    expect(ended.stderr).toMatch(
      new RegExp(
        `Resume with: carillon run people\\.csv --json --agent agent_1 --window ${window} --timezone ${noonZone}`,
      ),
    );
    expect(creates(desk)).toEqual([]);
    // The same list with an open window: changed options apply.
    const later = await desk.run([...args, '--window', open(), '--timezone', noonZone], env);
    expect(later.code, later.stderr).toBe(0);
    expect(summaryOf(later)).toMatchObject({ done: 5, attempts: 5 });
  });

  it('follows the row’s own time zone first, then --timezone, then the prefix', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    // A zone in which the window is closed.
    const far = [
      'Pacific/Auckland',
      'Asia/Tokyo',
      'Europe/Berlin',
      'America/Los_Angeles',
      'UTC',
      'Asia/Kolkata',
      'America/New_York',
    ].find((zone) => Math.abs(hourIn(zone) - hourIn(noonZone)) >= 6)!;
    desk.write(
      'people.csv',
      `phone,timezone\n+14155550001,${noonZone}\n+14155550002,${far}\n+14155550003,\n`,
    );
    const run = desk.start([...args, '--window', open(), '--timezone', noonZone], env);
    await run.prints(/2\/3 .*1 waits for .*\d\d:\d\d:00(Z|[+-])/);
    run.child.kill('SIGINT');
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(130);
    expect(summaryOf(ended)).toMatchObject({ rows: 3, done: 2, waiting: 1 });
    expect([...asked(desk).keys()].sort()).toEqual(['+14155550001', '+14155550003']);
  });

  it('is every hour and day if none is given, as the first line says', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    desk.write('people.csv', people(2));
    const ended = await desk.run(['run', 'people.csv', '--agent', 'agent_1'], env);
    expect(ended.code, ended.stderr).toBe(0);
    const [first] = ended.stdout.split('\n');
    expect(first).toMatch(/^people: 2 to call; .*every hour and day; one attempt, no retry\.$/);
    expect(ended.stdout).toMatch(/2 rows: 2 done/);
    expect(ended.stdout).toMatch(/Results: people\.results\.csv \(2 rows\)/);
  });
});

describe.concurrent('attempts', () => {
  it('are repeated by the rule for the outcome, counted, and never more than allowed', async ({
    openDesk,
  }) => {
    const phones = {
      '+14155550000': ['no-answer', 'no-answer', 'answered'],
      '+14155550001': ['no-answer', 'no-answer', 'no-answer', 'answered'],
      '+14155550002': ['busy', 'answered'],
      '+14155550003': ['no-answer', 'answered'],
      '+14155550004': ['answered'],
    } as const;
    const desk = await openDesk('postgres', { speed: 600, rate: 100, phones });
    desk.write('people.csv', people(5));
    const ended = await desk.run([...args, '--max-attempts', '3', '--retry', 'no-answer=1s'], env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({
      rows: 5,
      done: 5,
      attempts: 10,
      outcomes: { answered: 3, 'no-answer': 1, busy: 1 },
    });
    const rows = desk.table('people.results.csv');
    expect(rows.map((row) => [row.outcome, Number(row.attempts)])).toEqual([
      ['answered', 3],
      ['no-answer', 3],
      ['busy', 1],
      ['answered', 2],
      ['answered', 1],
    ]);
    expect([...desk.created().values()]).toEqual(expect.arrayContaining([3, 3, 1, 2, 1]));
    const again = await desk.run([...args, '--max-attempts', '3', '--retry', 'no-answer=1s'], env);
    expect(again.code).toBe(0);
    expect(desk.sim.state().created).toBe(10);
    await expectSound(desk, 3);
  });

  it('are limited to one without a retry rule, whatever --max-attempts says, with a note about it', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100, shares: { busy: 1 } });
    desk.write('people.csv', people(3));
    const ended = await desk.run([...args, '--max-attempts', '3'], env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toMatch(/--max-attempts 3 .*--retry/);
    expect(summaryOf(ended)).toMatchObject({ done: 3, attempts: 3, outcomes: { busy: 3 } });
  });

  it('that wait for their time are reported, and survive Ctrl-C', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100, shares: { 'no-answer': 1 } });
    desk.write('people.csv', people(2));
    const run = desk.start([...args, '--max-attempts', '2', '--retry', 'no-answer=1h'], env);
    await run.prints(/2 wait for a retry, the next at /);
    run.child.kill('SIGINT');
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(130);
    expect(summaryOf(ended)).toMatchObject({ rows: 2, waiting: 2, attempts: 2 });
    await until(() => desk.sim.state().created === 2, 'two calls');
    await expectSound(desk);
  });
});
