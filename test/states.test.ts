import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../src/ledger/migrate.ts';
import { waitReasons } from '../src/rules/wait-reason.ts';
import { freshDatabase, type TestDatabase } from './support/postgres.ts';

/** The ledger enforces exactly the states and moves that docs/reference/states.md draws. */
const migrations = readFolder('migrations');
const functions = readFolder('functions');
const docs = readFileSync(new URL('../docs/reference/states.md', import.meta.url), 'utf8');

function readFolder(name: string): string {
  const folder = fileURLToPath(new URL(`../src/ledger/${name}/`, import.meta.url));
  const files = readdirSync(folder).sort();
  return files.map((file) => readFileSync(`${folder}${file}`, 'utf8')).join('\n');
}

type Drawing = { begins: string[]; moves: string[]; ends: string[]; table: string[] };

/** The drawing and the table of one section. */
function drawn(section: string): Drawing {
  const text = docs.split(/^## /m).find((each) => each.startsWith(section))!;
  const arrows = [...text.matchAll(/^ {4}(\S+) --> (\S+?)(?::|$)/gm)].map(
    (arrow) => [arrow[1]!, arrow[2]!] as const,
  );
  return {
    begins: arrows.filter(([from]) => from === '[*]').map(([, to]) => to),
    ends: arrows.filter(([, to]) => to === '[*]').map(([from]) => from),
    moves: arrows.filter((arrow) => !arrow.includes('[*]')).map(([from, to]) => `${from} -> ${to}`),
    table: [...text.matchAll(/^\| `([a-z]+)` +\|/gm)].map((row) => row[1]!),
  };
}

/** The states that a table's CHECK allows. */
function allowed(table: string): string[] {
  const start = migrations.indexOf(`create table carillon.${table} (`);
  const check = /state text not null (?:default '\w+' )?check \(\s*state in \(([^)]+)\)/.exec(
    migrations.slice(start),
  )!;
  return check[1]!.split(',').map((each) => each.trim().replaceAll("'", ''));
}

const live = allowed('attempts');
const ended = allowed('ended_attempts');

function pairs(text: string): string[] {
  return [...text.matchAll(/\('(\w+)', '(\w+)'\)/g)].map((pair) => `${pair[1]} -> ${pair[2]}`);
}

/** The moves of live attempts in check_move(), and the ends that the table of the ended allows. */
function permitted(): string[] {
  const body = functions.slice(functions.indexOf('function carillon.check_move() returns'));
  const ends = migrations.slice(migrations.indexOf('check ((was, state) in ('));
  return [
    ...pairs(body.slice(0, body.indexOf('raise exception'))),
    ...pairs(ends.slice(0, ends.indexOf('partition by'))),
  ];
}

describe("an attempt's states", () => {
  const drawing = drawn('An attempt');

  it('are drawn as the ledger allows', () => {
    expect([...drawing.table].sort()).toEqual([...live, ...ended].sort());
    expect(new Set(drawing.moves.flatMap((move) => move.split(' -> ')))).toEqual(
      new Set([...live, ...ended]),
    );
  });

  it('move as they are drawn', () => {
    expect(new Set(drawing.moves).size).toBe(drawing.moves.length);
    expect([...drawing.moves].sort()).toEqual(permitted().sort());
  });

  it('begin with planned, and end where no move continues', () => {
    expect(drawing.begins).toEqual(['planned']);
    expect([...drawing.ends].sort()).toEqual([...ended].sort());
    const left = new Set(drawing.moves.map((move) => move.split(' -> ')[0]));
    expect(ended.filter((state) => left.has(state))).toEqual([]);
  });

  it('never lead back to a second request from where one may have been made', () => {
    // Placed, done and refused have an answer. Only "surely not called" leads from dialing to planned.
    expect(permitted().filter((move) => move.endsWith('-> dialing'))).toEqual(['planned -> dialing']);
    for (const state of ['placed', 'done', 'refused', 'dropped'])
      expect(permitted()).not.toContain(`${state} -> planned`);
  });
});

describe("a recipient's states", () => {
  const drawing = drawn('A recipient');
  /** A row's states, with those of its live attempt in place of 'live'. */
  const seen = [
    ...new Set([
      ...allowed('recipients').filter((state) => state !== 'live'),
      ...live.map((state) =>
        state === 'planned' ? 'queued' : ['parked', 'unknown'].includes(state) ? state : 'calling',
      ),
    ]),
  ];

  it('are drawn as the ledger shows', () => {
    expect([...drawing.table].sort()).toEqual([...seen].sort());
    expect(new Set(drawing.moves.flatMap((move) => move.split(' -> ')))).toEqual(new Set(seen));
    expect(new Set(drawing.moves).size).toBe(drawing.moves.length);
  });

  it('are those of the balance', () => {
    const balance = /rows = (.+)/.exec(docs)![1]!.split(' + ');
    expect(balance.sort()).toEqual([...seen].sort());
  });
});

describe('the ledger', () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    database = await freshDatabase();
    await migrate(database.url);
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(`
      insert into carillon.lanes (base_url, name) values ('http://a.example/v1', 'main');
      insert into carillon.campaigns (name, base_url, driver, terms)
        values ('c', 'http://a.example/v1', 'run', '{"maxAttempts": 1, "weight": 1, "retryFirst": false}');
      insert into carillon.recipients (campaign_id, row, phone) select id, 1, '+14155550123' from carillon.campaigns;
    `);
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  async function moves(from: string, to: string): Promise<boolean> {
    await client.query('begin');
    try {
      const made = await client.query(
        `insert into carillon.attempts
           (campaign_id, recipient_id, lane_id, phone, number, state, dialing_at, expires_at, phone_until, placed_at, call_id)
         select c.id, r.id, l.id, r.phone, 1, $1, now(), now(), now(), now(), 'call'
         from carillon.campaigns c, carillon.recipients r, carillon.lanes l returning id`,
        [from],
      );
      const { id } = made.rows[0];
      if (live.includes(to))
        await client.query('update carillon.attempts set state = $2 where id = $1', [id, to]);
      else
        await client.query(`select carillon.end_attempts(array[$1::uuid], array[$2], $3, 'x', null)`, [
          id,
          from,
          to,
        ]);
      return true;
    } catch (error) {
      expect((error as Error).message).toMatch(/cannot move from|violates check constraint/);
      return false;
    } finally {
      await client.query('rollback');
    }
  }

  it('lets an attempt make exactly the drawn moves', async () => {
    const possible: string[] = [];
    for (const from of live) {
      for (const to of [...live, ...ended]) {
        if (from !== to && (await moves(from, to))) possible.push(`${from} -> ${to}`);
      }
    }
    expect(possible.sort()).toEqual([...drawn('An attempt').moves].sort());
  });

  it('refuses a state that is not drawn', async () => {
    await expect(client.query(`update carillon.recipients set state = 'lost'`)).rejects.toThrow(
      'check constraint',
    );
  });
});

describe('the reasons of a row that waits', () => {
  it('are those of the code, each listed once', () => {
    const text = docs.split(/^## /m).find((each) => each.startsWith('Why a row waits'))!;
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    const listed = rows.flatMap((row) =>
      [...row.split('|')[1]!.matchAll(/`([a-z-]+)`/g)].map((word) => word[1]),
    );
    expect(listed.sort()).toEqual([...waitReasons].sort());
  });
});
