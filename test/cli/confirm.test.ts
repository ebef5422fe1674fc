import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { makeCampaign, useTerminal } from './terminal.ts';

const term = useTerminal('file', {
  shares: { busy: 1 },
  faults: [{ kind: 'reset', when: 'after', next: 1 }],
});

beforeAll(async () => {
  await term.type('call create --agent agent-1 --to +14155550121 --json');
  const { ledger, simulator } = term;
  await makeCampaign(ledger, { name: 'march', baseUrl: simulator.url }, 3);
  writeFileSync(join(term.folder, 'busy.csv'), 'phone\n+14155552000\n');
  const file = (name: string) => join(term.folder, name);
  const run = await term.type(`run ${file('busy.csv')} --agent agent-1 --out ${file('results.csv')}`);
  expect(run.code, run.err).toBe(0);
});

/** They forget, delete or stop for good, or call people again. */
const grave = [
  'erase +14155551000',
  'campaign delete busy',
  'campaign cancel march',
  'campaign retry busy --outcome busy',
  'bulk skip --campaign march',
  'bulk retry --campaign busy',
  'bulk suppress --campaign march',
  'unknown resolve --all --as not-called',
  'ledger confirm --lost-since 2h',
  'restore backup',
];

it.each(grave)('without a terminal and without --yes, %s does nothing and exits with 2', async (line) => {
  const before = await everything();
  const DATABASE_URL = line.startsWith('restore') ? '' : term.env.DATABASE_URL;
  const refused = await term.type(line, { env: { DATABASE_URL } });
  expect([refused.code, refused.out]).toEqual([2, '']);
  expect(refused.err).toMatch(
    /^carillon: Nothing was changed: there is no terminal to ask “.+”\. Add --yes if you are sure\.\n$/,
  );
  expect(await everything()).toEqual(before);
});

const everything = () =>
  term.sql(
    `select c.name, c.state, p.row, p.phone, p.state as person, p.outcome,
            (select count(*) from carillon.suppressions) as suppressed
       from carillon.campaigns c join carillon.people p on p.campaign_id = c.id order by 1, 3`,
  );
