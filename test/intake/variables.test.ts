import { describe, expect, it, test } from 'vitest';
import { parseMap } from '../../src/intake/columns.ts';
import { readJsonRecipients } from '../../src/intake/json.ts';
import { gather, readFrom } from './files.ts';

const read = (content: string, map: string) => readFrom(content, { map: parseMap(map) });

describe('a column of a declared type', () => {
  it('may have a decimal comma where semicolons separate the cells', async () => {
    const { accepted, rejected } = await read(
      'phone;n\n+14155550101;12,5\n+14155550102;-3.5\n+14155550103;1.234,5\n',
      'n:number',
    );
    expect(accepted.map(({ variables }) => variables)).toEqual([{ n: 12.5 }, { n: -3.5 }]);
    expect(rejected.map(({ row }) => row)).toEqual([4]);
  });

  it('goes to the service as a number, a boolean or JSON, and stands in the results as it was', async () => {
    const file =
      'phone,Betrag,paid,plan,city\n+14155550101, 12.50 ,Yes,"{""a"": [1]}", Reno \n+14155550102,,,,\n';
    const { accepted } = await read(file, 'amount:number=betrag,paid:boolean,plan:json');
    expect(accepted.map((row) => row.variables)).toEqual([
      { city: 'Reno', amount: 12.5, paid: true, plan: { a: [1] } },
      { city: '' },
    ]);
    expect(accepted[0]!.input).toMatchObject({ Betrag: ' 12.50 ', paid: 'Yes' });
  });

  it('rejects the row of a wrong value with its reason, and the others continue', async () => {
    const file = `phone,n,b,j\n+14155550101,"12,5",,\n+14155550102,,maybe,\n+14155550103,,,{a\n+14155550104,9007199254740993,,\n+14155550105,1e3,0,[]\n`;
    const { accepted, rejected } = await read(file, 'n:number,b:boolean,j:json');
    expect(rejected.map(({ row, reason }) => [row, reason])).toEqual([
      [2, '"12,5" in the column "n" is not a number such as 7 or -2.5'],
      [3, '"maybe" in the column "b" is not true or false, yes or no, 1 or 0'],
      [4, '"{a" in the column "j" is not JSON'],
      [5, '"9007199254740993" in the column "n" contains a number that is too long: write it as text'],
    ]);
    expect(accepted.map((row) => row.variables)).toEqual([{ n: 1000, b: false, j: [] }]);
  });

  it('may have another name, which no other column has', async () => {
    const file = 'phone,Stadt,city\n+14155550101,Bonn,Reno\n';
    await expect(read(file, 'city:text=Stadt')).rejects.toThrow(
      'The map calls the column Stadt "city", and people.csv has another column of that name',
    );
    const both = await read(file, 'city:text=Stadt,home:text=city');
    expect(both.accepted[0]!.variables).toEqual({ city: 'Bonn', home: 'Reno' });
    await expect(read(file, 'zip:number')).rejects.toThrow('no column named "zip"');
  });
});

it('a map declares variables next to the columns with a use of their own', () => {
  expect(parseMap('phone=Tel, amount:Number = Betrag (EUR),agent=Bot,paid:boolean')).toEqual({
    phone: 'Tel',
    agent: 'Bot',
    variables: [
      { name: 'amount', type: 'number', column: 'Betrag (EUR)' },
      { name: 'paid', type: 'boolean', column: 'paid' },
    ],
  });
  // A column's name may hold a colon.
  expect(parseMap('phone=tel:number')).toEqual({ phone: 'tel:number' });
  for (const text of ['amount:money=X', ':number=X', 'amount:number=', 'a:text,a:json=B'])
    expect(() => parseMap(text)).toThrow(expect.objectContaining({ code: 'usage-invalid' }));
});

describe('a row’s own agent', () => {
  it('is in the column that the map names, and is not a variable', async () => {
    const file = `phone,bot\n+14155550101, agent-7 \n+14155550102,\n+14155550103,${'x'.repeat(201)}\n`;
    const { accepted, rejected } = await read(file, 'agent=bot');
    expect(accepted.map(({ agent, variables }) => [agent, variables])).toEqual([
      ['agent-7', {}],
      [undefined, {}],
    ]);
    expect(rejected[0]!.reason).toMatch(/is not an agent’s id$/);
    const { accepted: plain } = await readFrom('phone,agent\n+14155550101,agent-7\n');
    expect(plain[0]).toMatchObject({ variables: { agent: 'agent-7' } });
  });

  it('is a field of a person in JSON, and a variable of that name keeps its own place', async () => {
    const people = [
      { phone: '+14155550101', agent: ' a-1 ', variables: { agent: 'x' } },
      { phone: '+14155550102', agent: {} },
    ];
    const { accepted, rejected } = await gather(readJsonRecipients(people));
    expect(accepted[0]).toMatchObject({
      agent: 'a-1',
      variables: { agent: 'x' },
      input: { agent: ' a-1 ', 'variables.agent': 'x' },
    });
    expect(rejected[0]!.reason).toBe('has an agent that is not text');
  });
});

test('a map names columns by their role', () => {
  expect(parseMap('phone=Work Line, name = Who=What,')).toEqual({ phone: 'Work Line', name: 'Who=What' });
});

test('several phones are one person’s numbers, in their order', () => {
  expect(parseMap('phone=Mobile,phone=Home,phone=Work')).toEqual({
    phone: 'Mobile',
    morePhones: ['Home', 'Work'],
  });
});

test.each(['phone', 'phone=', '=COL', 'email=COL', 'name=A,name=B', `${'phone=A,'.repeat(10)}phone=B`])(
  'a map such as %j is refused',
  (text) => {
    expect(() => parseMap(text)).toThrow(expect.objectContaining({ code: 'usage-invalid' }));
  },
);
