import { describe, expect } from 'vitest';
import { summaryOf } from '../support/carillon.ts';
import { asked, creates, expectRefused, expectSound } from '../support/journeys.ts';
import { canUseRedis } from '../support/redis.ts';
import { it } from './desk.ts';

/** People with several phone numbers, from the file to the results. */
const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];
const env = { VOICE_RATE: '100' };

const engines = canUseRedis('people with several numbers, on Redis')
  ? (['postgres', 'redis'] as const)
  : (['postgres'] as const);

const list = `name,phone1,phone2,phone3,city
Ann,+14155550101,+14155550102,,Reno
Ben,not a phone,+14155550103,+14155550104,Elko
Cy,,,+14155550105,Ely
Dot,nothing,,,Ely
Eve,+14155550102,+14155550106,,Ely
`;

describe.concurrent.each(engines)('people with several numbers, queue in %s', (engine) => {
  it('are called on one after the other until somebody is reached, each as one row', async ({ openDesk }) => {
    const desk = await openDesk(engine, { speed: 600, rate: 100, shares: { 'no-answer': 1 } });
    desk.write('people.csv', list);
    const ended = await desk.type([...args, '--max-attempts', '2', '--next-number', 'no-answer=now'], env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('2 numbers of people with several will not be called: each is no phone');
    // Cy has one number, and Eve’s first is Ann’s: no rule tries them again.
    expect(summaryOf(ended)).toMatchObject({ rows: 5, rejected: 1, done: 4, attempts: 6 });
    expect([...asked(desk)].sort()).toEqual([1, 2, 3, 4, 5, 6].map((n) => [`+1415555010${n}`, 1]));
    const results = desk.table('people.results.csv');
    expect(results.map(({ name, phone, attempts }) => [name, phone, attempts])).toEqual([
      ['Ann', '+14155550102', '2'],
      ['Ben', '+14155550104', '2'],
      ['Cy', '+14155550105', '1'],
      ['Eve', '+14155550106', '1'],
    ]);
    const [rejected] = desk.table('people.results.rejected.csv');
    expect(rejected).toMatchObject({
      name: 'Dot',
      line: '5',
      reason: expect.stringContaining('"nothing"'),
    });
    const shown = await desk.type(['call', 'show', '+14155550103', '--json']);
    const found = await desk.type(['find', '+14155550103', '--json']);
    expect(found.stdout + shown.stdout).toContain('"Ben"');
    expect(JSON.parse(found.stdout).items[0].phones).toEqual([
      { phone: '', passed: expect.stringContaining('"not a phone"') },
      { phone: '+14155550103', passed: null },
      { phone: '+14155550104', passed: null },
    ]);
    const told = await desk.type(['find', '+14155550103']);
    expect(told.stdout).toMatch(/numbers: not called: "not a phone" [^;]+; \+14155550103; \+14155550104/);
    await expectSound(desk);
  });

  it('are called on the first alone when somebody is reached there, and never again by the same file', async ({
    openDesk,
  }) => {
    const desk = await openDesk(engine, { speed: 600, rate: 100, shares: { answered: 1 } });
    desk.write('people.csv', 'Mobile,Home\n+14155550101,+14155550102\n');
    const mapped = [
      ...args,
      '--map',
      'phone=Mobile,phone=Home',
      '--max-attempts',
      '3',
      '--retry',
      'no-answer=1h',
    ];
    const ended = await desk.type(mapped, env);
    expect(ended.code, ended.stderr).toBe(0);
    // The other number leads to the person who was called.
    desk.write('people.csv', 'Mobile,Home\n+14155550102,\n');
    const again = await desk.type(mapped, env);
    expect(again.code, again.stderr).toBe(0);
    expect(summaryOf(again)).toMatchObject({ rows: 1, done: 1, attempts: 1 });
    expect(creates(desk).map(({ phone }) => phone)).toEqual(['+14155550101']);
    await expectSound(desk);
  });
});

it('a rule for the next number is checked before anybody is called', async ({ openDesk }) => {
  const desk = await openDesk('postgres');
  desk.write('people.csv', list);
  const refused = async (rule: string[], words: RegExp) =>
    expectRefused(await desk.type([...args, ...rule], env), words);
  await refused(
    ['--next-number', 'answered=now', '--max-attempts', '2'],
    /answered, after which no other number/,
  );
  await refused(['--next-number', 'busy=soon', '--max-attempts', '2'], /the time "soon" for busy/);
  await refused(['--next-number', 'busy=now'], /only one attempt is allowed/);
  expect(creates(desk)).toEqual([]);
});
