import { describe, expect } from 'vitest';
import { summaryOf } from '../support/carillon.ts';
import { asked, expectRefused, expectSound } from '../support/journeys.ts';
import { it } from './desk.ts';

/** Rejected rows go back in as they are, once they are repaired. */
const env = { VOICE_RATE: '100', VOICE_POLL: '1' };
const phone = (n: number) => `+1415555${7000 + n}`;
const order = ['--agent', 'agent_1', '--json'];
const rejects = 'people.results.rejected.csv';

describe.concurrent('a file of rejected rows', () => {
  it('given to run under the same campaign calls the repaired people, and nobody else again or no more', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    const list = `Mobile;note;line\n${phone(1)};a;1\n+1 (415) 555;"=1;+x";2\nbad;c;3\n${phone(2)};d;4\n12;e;5\n`;
    desk.write('people.csv', list);
    const first = await desk.type(['run', 'people.csv', ...order, '--limit', '1'], env);
    expect(summaryOf(first)).toMatchObject({ rows: 5, rejected: 3, done: 1, waiting: 1 });
    const file = desk.read(rejects);
    expect(file.split('\n').slice(0, 3)).toEqual([
      'Mobile,note,line,line,reason',
      `+1 (415) 555,"'=1;'+x",2,3,"""+1 (415) 555"" is too short"`,
      'bad,c,3,4,"""bad"" contains letters"',
    ]);
    desk.write(rejects, file.replace('+1 (415) 555,', `${phone(3)},`).replace('bad,', `${phone(4)},`));
    const again = ['run', rejects, '--name', 'people', ...order];
    const second = await desk.type(again, env);
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).toMatch(
      /holds rejected rows: its last columns, line and reason, are not variables/,
    );
    expect(summaryOf(second)).toMatchObject({ rows: 5, rejected: 1, skipped: 0, done: 4, attempts: 4 });
    const rows = desk.table('people.results.csv');
    expect(rows.map((row) => [row.phone, row.in_note, row.in_line]).sort()).toEqual([
      [phone(1), 'a', '1'],
      [phone(2), 'd', '4'],
      [phone(3), "'=1;'+x", '2'],
      [phone(4), 'c', '3'],
    ]);
    expect(rows[0]).not.toHaveProperty('in_reason');
    // The rest stands where it stood, and nobody is lost when all of it is taken out.
    expect(desk.read(rejects)).toBe(
      'Mobile,note,line,line,reason\n12,e,5,4,"""12"" is too short for a phone number"\n',
    );
    desk.write(rejects, 'Mobile,note,line,line,reason\n');
    const third = await desk.type(again, env);
    expect(third.code, third.stderr).toBe(0);
    expect(summaryOf(third)).toMatchObject({ rows: 4, rejected: 0, skipped: 0, done: 4 });
    for (const n of [1, 2, 3, 4]) expect(asked(desk).get(phone(n)), phone(n)).toBe(1);
    await expectSound(desk);
  });

  it('under its own name is a list, and never overwritten by its own rejects', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    const file = `phone,line,reason\n${phone(11)},2,has no phone number\n${phone(12)},3,has no phone number\n`;
    desk.write('left.csv', file);
    const first = await desk.type(['run', 'left.csv', ...order, '--limit', '1'], env);
    expect(summaryOf(first)).toMatchObject({ rows: 2, done: 1, waiting: 1 });
    desk.write('left.csv', file.split('\n').slice(0, 2).join('\n'));
    const second = await desk.type(['run', 'left.csv', ...order], env);
    expect(summaryOf(second)).toMatchObject({ rows: 2, done: 1, skipped: 1 });

    desk.write('x.rejected.csv', 'phone,name\n+14155557020,Ann\n');
    expectRefused(
      await desk.type(['run', 'x.rejected.csv', '--name', 'x', '--out', 'x.csv', ...order], env),
      /x\.rejected\.csv is the list itself, and would be overwritten.*--out/,
    );
  });

  it('that is added to a campaign takes the place of what it repairs, and leaves the other rejects', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    desk.write('one.csv', `phone,city\n${phone(21)},a\nbad,b\n12,c\n`);
    desk.write('two.csv', 'phone,city\nworse,d\n');
    await desk.type(['run', 'one.csv', '--name', 'april', ...order], env);
    await desk.type(['campaign', 'add', 'april', 'two.csv'], env);
    await desk.type(['campaign', 'export', 'april', '--rejected', 'r.csv'], env);
    const lines = desk.read('r.csv').split('\n');
    expect(lines[0]).toBe('phone,city,line,reason');
    desk.write(
      'r.csv',
      [lines[0], lines[1]!.replace('bad', phone(22)), lines[2]!.replace('12', '13')].join('\n'),
    );
    const added = await desk.type(['campaign', 'add', 'april', 'r.csv', '--json'], env);
    expect(JSON.parse(added.stdout)).toMatchObject({ accepted: 1, rejected: 1 });
    await desk.type(['campaign', 'export', 'april', '--rejected', 'r.csv'], env);
    expect(
      desk
        .table('r.csv')
        .map(({ phone, city }) => [phone, city])
        .sort(),
    ).toEqual([
      ['13', 'c'],
      ['worse', 'd'],
    ]);
    const shown = JSON.parse((await desk.type(['campaign', 'show', 'april', '--json'], env)).stdout);
    expect(shown.balance).toMatchObject({ rows: 4, rejected: 2, done: 1, waiting: 1 });
    await expectSound(desk);

    desk.write('odd.csv', `who,Who\n${phone(23)},x\n`);
    expectRefused(
      await desk.type(['campaign', 'add', 'april', 'odd.csv'], env),
      /odd\.csv has no column with a known name for phone numbers.*--map phone=COL/,
    );
    const twins = await desk.type(['campaign', 'add', 'april', 'odd.csv', '--map', 'phone=who'], env);
    expect(twins.stderr).toMatch(/2 columns have the same name.*column 1 \(who\) as the phone/);
  });
});

describe.concurrent('a list in JSON', () => {
  it('is called as a list in CSV is, from a file or from standard input', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    const people = [
      { phone: phone(31), name: 'Ann', variables: { plan: { tier: 1 } } },
      { phone: 'bad', plan: 'x', note: '=1' },
    ];
    desk.write('people.json', JSON.stringify(people, null, 2));
    const array = await desk.type(['run', 'people.json', ...order], env);
    expect(summaryOf(array)).toMatchObject({ campaign: 'people', rows: 2, rejected: 1, done: 1 });
    expect(desk.table('people.results.csv')[0]).toMatchObject({ name: 'Ann', in_plan: '{"tier":1}' });
    expect(desk.read(rejects)).toBe(
      `phone,name,plan,note,line,reason\nbad,,x,'=1,2,"""bad"" contains letters"\n`,
    );
    const lines = `\n{"phone":"${phone(32)}"}\n{"phone":\n{"mobile":"x"}\n`;
    desk.write('more.ndjson', lines);
    const named = await desk.type(['run', 'more.ndjson', ...order], env);
    expect(summaryOf(named)).toMatchObject({ rows: 3, rejected: 2, done: 1 });
    expect(desk.read('more.results.rejected.csv')).toBe(
      'phone,mobile,line,reason\n"{""phone"":",,3,is a line that is not JSON\n,x,4,has no phone number\n',
    );
    const piped = ['run', '-', '--map', 'phone=mobile', ...order, '--name'];
    const spoken = await desk.type([...piped, 'a'], env, `[{"mobile":"${phone(33)}"}]`);
    expect(summaryOf(spoken)).toMatchObject({ campaign: 'a', rows: 1, done: 1 });
    const streamed = await desk.type([...piped, 'b'], env, `{"mobile":"${phone(34)}"}\n`);
    expect(summaryOf(streamed)).toMatchObject({ campaign: 'b', rows: 1, done: 1 });
    for (const n of [31, 32, 33, 34]) expect(asked(desk).get(phone(n)), phone(n)).toBe(1);
    await expectSound(desk, 4);
  });

  it('that is broken is refused in one line with the place, and nobody is called', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    const cases: [string, string, string[], RegExp][] = [
      [
        'a.json',
        '[{"phone":"+14155557041"},\n{"phone"}]',
        [],
        /a\.json contains an item.* item 2, on line 2/,
      ],
      ['b.json', '{"phone":"+14155557041"}', [], /b\.json is not a single JSON array: line 1.*NDJSON/],
      ['c.json', '[]', [], /c\.json has no rows/],
      [
        'd.json',
        '[{"phone":"x"}]',
        ['--map', 'n:number'],
        /--map n:number declares a type, and JSON has its own/,
      ],
      ['e.csv', '[{"phone":"+14155557041"}]', [], /e\.csv is not CSV but JSON.*\.json/],
    ];
    for (const [name, text, more, words] of cases) {
      desk.write(name, text);
      expectRefused(await desk.type(['run', name, '--agent', 'agent_1', ...more], env), words);
    }
    expect(desk.sim.state().created).toBe(0);
  });
});
