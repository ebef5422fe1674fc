import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { remarks } from '../../src/cli/commands/run/words.ts';
import { freePort } from '../support/ports.ts';
import { carillon, startChild } from './child.ts';
import { useTerminal } from './terminal.ts';

/** The division of output between stdout and stderr, and how much of it there is. */
const term = useTerminal('file', { speed: 6_000, shares: { busy: 1 } });
beforeAll(async () => {
  writeFileSync(
    join(term.folder, 'people.csv'),
    'phone,name\n+14155550123,Ann\n+14155550124,Ben\nnobody,Cy\n',
  );
});

const rows = (text: string) => text.trim().split('\n');

/** As a user types it, in the folder of the list: files are named as in the shell. */
async function typed(line: string) {
  const env = { PATH: process.env.PATH, ...term.env };
  const child = promisify(execFile)(process.execPath, [carillon, ...line.split(' ')], {
    cwd: term.folder,
    env,
  });
  const { code, stdout, stderr } = await child
    .then((ended) => ({ ...ended, code: 0 }))
    .catch((error: { code: number; stdout: string; stderr: string }) => error);
  return { code, out: stdout, err: stderr };
}

describe('results on standard output', () => {
  it('are the rows and nothing else, and what is told goes to stderr', async () => {
    const run = await typed('run people.csv --agent a --yes --name rows --out -');
    expect(run.code).toBe(0);
    expect(rows(run.out)).toHaveLength(3);
    expect(rows(run.out)[0]).toMatch(/^row,phone,name,state,/);
    expect(run.err).toContain('3 rows: 2 done, 1 rejected');
    expect(run.err).toContain(
      'Results: standard output (2 rows), rejected: rows.results.rejected.csv (1 row)',
    );
    expect(readdirSync(term.folder)).not.toContain('-');
  });

  it('come with the JSON document on stderr, of a run and of each export', async () => {
    const run = await typed('run people.csv --agent a --yes --name both --out - --json');
    expect(rows(run.out)).toHaveLength(3);
    const last = rows(run.err).find((line) => line.startsWith('{'));
    expect(JSON.parse(last!)).toMatchObject({ campaign: 'both', rows: 3, done: 2, rejected: 1 });

    const whole = await term.type('campaign export both --out - --json');
    expect(whole.out).toBe(run.out);
    expect(JSON.parse(whole.err)).toEqual({ campaign: 'both', out: '-', rows: 2 });
    const found = await term.type('bulk export --campaign both --out - --json');
    expect(rows(found.out)).toHaveLength(3);
    expect(JSON.parse(found.err)).toMatchObject({ act: 'export', people: 2 });
    await term.type('suppress add +14155550199');
    const list = await term.type('suppress export - --json');
    expect(rows(list.out)).toHaveLength(2);
    expect(JSON.parse(list.err)).toEqual({ out: '-', rows: 1 });
  });

  it('do not mix with the JSON document where results go to a file', async () => {
    const run = await typed('run people.csv --agent a --yes --name file --json');
    expect(JSON.parse(run.out)).toMatchObject({ campaign: 'file', done: 2 });
    expect(rows(readFileSync(join(term.folder, 'file.results.csv'), 'utf8'))).toHaveLength(3);
  });
});

describe('--quiet', () => {
  it('leaves the summary, the files and what needs a person', async () => {
    const run = (name: string, more = '') => {
      const out = join(term.folder, `${name}.csv`);
      return term.type(
        `run ${join(term.folder, 'people.csv')} --agent a --yes --name ${name} --out ${out}${more}`,
      );
    };
    const loud = await run('loud');
    expect(loud.out).toContain('loud: 2 to call');
    expect(loud.out).toContain('requests/s');
    const quiet = await run('quiet', ' --quiet');
    expect(quiet.code).toBe(0);
    expect(quiet.err).toBe('');
    expect(quiet.out).toMatch(/^3 rows: 2 done, 1 rejected\nOutcomes: busy 2\nSpent: .*\nResults: .*\n$/);
    const short = await run('limited', ' -q --limit 1');
    expect(short.out).toContain('Limit of 1 new call reached');
  });

  it('leaves an error as it is', async () => {
    const wrong = await term.type('run nothing.csv --agent a --quiet');
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect(wrong.err).toMatch(/^carillon: .*nothing\.csv/);
  });
});

describe('the end of a run that was interrupted', () => {
  const run = { again: 'carillon run people.csv', name: 'people', order: {} } as never;
  const standing = { optOuts: { people: 0 }, firstOutcomes: {}, unknownPlaced: 0 } as never;
  const told = (calling: number, unknown: number) =>
    remarks({ kind: 'interrupted' }, { calling, unknown } as never, standing, run);

  it('says what becomes of the people on the line', () => {
    expect(told(0, 0)).toEqual(['Interrupted; nothing was lost. Resume with: carillon run people.csv']);
    expect(told(8, 0)[0]).toBe(
      '8 people are still on the line. Their calls continue at the service; their results are fetched when you resume.',
    );
    expect(told(1, 0)[0]).toMatch(
      /^1 person is still on the line\. The call continues .* its result is fetched/,
    );
  });

  it('says of a call that was found as the run ended how its end is fetched', () => {
    const over = (calling: number) =>
      remarks(
        { kind: 'stuck', why: 'unknown', words: null },
        { calling, unknown: 0 } as never,
        standing,
        run,
      );
    expect(over(0)).toEqual([]);
    expect(over(1)).toEqual([
      '1 call in doubt was found as the run ended. Fetch its result with: carillon run people.csv',
    ]);
  });

  it('says of the unknown that they are not called again, with the command to review them', () => {
    expect(told(0, 2).at(-1)).toMatch(
      /^2 unknown: could not confirm .* will not be retried\. Review: carillon/,
    );
  });
});

describe('carillon demo --port', () => {
  it('serves its page there, and refuses a port that is taken', async () => {
    const port = await freePort();
    const demo = startChild(['demo', '--stay', '--port', String(port)]);
    for (;;) if ((await demo.line()).includes(`listens on http://127.0.0.1:${port}`)) break;
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    const second = await term.type(`demo --port ${port}`);
    expect(second).toMatchObject({ code: 2, err: expect.stringContaining(`The port ${port} is taken`) });
    expect((await demo.stop()).code).toBe(0);
  });
});
