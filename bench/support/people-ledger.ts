import { createHash } from 'node:crypto';
import { statfsSync } from 'node:fs';
import pg from 'pg';
import { say } from '../support/report.ts';

/**
 * Fills a ledger with called people, as fast as Postgres takes them: their ids, calls and phones follow from a number,
 * so that a search can ask for anyone.
 */
export const campaigns = 50;
const live = 5_000;
/** A million rows take about 1.3 GB, and a quarter more while the indexes are built. */
const bytesARow = 1_600;

export const idOf = (kind: 'campaign' | 'attempt' | 'call', n: number): string => {
  const hex = createHash('md5').update(`${kind}${n}`).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** One phone in five is on two campaigns. */
export const phoneOf = (n: number, rows: number): string => `+1${2_010_000_000 + (n % fifths(rows)) * 3}`;
const fifths = (rows: number) => Math.floor((rows * 5) / 6);
/** The first row of people on a call, at the end of the last campaign. */
export const liveFrom = (rows: number): number => rows - rows / campaigns;
export const livePeople = (rows: number): number => Math.min(live, rows / campaigns / 2);

export function checkDisk(folder: string, rows: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free > rows * bytesARow * 1.5) return;
  throw new Error(
    `${rows} people take about ${((rows * bytesARow) / 2 ** 30).toFixed(0)} GB, and ${folder} has ${(free / 2 ** 30).toFixed(0)} GB free`,
  );
}

export async function isFilled(url: string, rows: number): Promise<boolean> {
  return withClient(url, async (client) => {
    const { rows: found } = await client.query(
      `select obj_description('carillon.recipients'::regclass) as note`,
    );
    return found[0].note === noteOf(rows);
  });
}

const noteOf = (rows: number) => `filled with ${rows} people and their words`;

export async function fillLedger(url: string, rows: number): Promise<void> {
  await withClient(url, async (client) => {
    const begun = performance.now();
    const told = (what: string) =>
      say(`${what} (${((performance.now() - begun) / 1_000).toFixed(0)} s since the start)`);
    await client.query(`set synchronous_commit = off; set session_replication_role = replica;
      set maintenance_work_mem = '1GB'; set work_mem = '64MB'`);
    await client.query(lanesSql);
    await client.query(campaignsSql, [campaigns]);
    const indexes = await dropIndexes(client);
    const step = 500_000;
    for (let from = 0; from < rows; from += step) {
      const values = [rows, from, Math.min(rows, from + step) - 1, fifths(rows), campaigns];
      await client.query(peopleSql, [...values, livePeople(rows)]);
      await client.query(endedSql, values);
    }
    await client.query(liveSql, [rows, campaigns, fifths(rows), livePeople(rows)]);
    await client.query(wordsSql);
    told(`${rows} people are in the tables`);
    for (const index of indexes) {
      await client.query(index);
      told(`  ${index.slice(0, 110)}`);
    }
    await client.query(`select setval(pg_get_serial_sequence('carillon.recipients', 'id'), ${rows})`);
    for (const table of ['recipients', 'people_words', 'ended_attempts', 'attempts', 'campaigns'])
      await client.query(`vacuum analyze carillon.${table}`);
    await client.query(`comment on table carillon.recipients is '${noteOf(rows)}'`);
    told('the ledger is ready');
  });
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns the statements that create them again. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const tables = `'carillon.recipients'::regclass, 'carillon.ended_attempts'::regclass, 'carillon.people_words'::regclass`;
  const { rows: keys } = await client.query<{ off: string; on: string }>(`
    select format('alter table %s drop constraint %I cascade', conrelid::regclass, conname) as off,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as on
    from pg_constraint where conrelid in (${tables}) and contype in ('p', 'u')`);
  const { rows: others } = await client.query<{ off: string; on: string }>(`
    select format('drop index %s', indexrelid::regclass) as off, pg_get_indexdef(indexrelid) as on from pg_index
    where indrelid in (${tables}) and not exists (select from pg_constraint where conindid = indexrelid)`);
  const all = [...keys, ...others];
  for (const { off } of all) await client.query(off);
  // Otherwise the index would stay without those of the partitions.
  return all.map(({ on }) => on.replace(' ON ONLY ', ' ON '));
}

const syllables = 'ka no li ra me to su ne vi da ro pe sha mi lo be ti ur an el'.split(' ');
/** Which syllables make up the name, from the number: 3 of the given name and 3 of the other, of 20 each. */
const steps = [
  [7, 1],
  [3, 20],
  [11, 400],
  [13, 3],
  [17, 60],
  [9, 7],
] as const;

/** `Kanoli Ramesha`: 64 million names, so that a part of one finds some, and a whole one few. */
export const nameOf = (n: number): string => {
  const made = steps.map(([by, per]) => syllables[(Math.floor(n / per) * by) % 20]!);
  const named = [made.slice(0, 3), made.slice(3)].map((each) => each.join(''));
  return named.map((each) => each[0]!.toUpperCase() + each.slice(1)).join(' ');
};
const name = `initcap(${steps
  .map(
    ([by, per], nth) =>
      `${nth === 3 ? "' ' || " : ''}(array['${syllables.join("','")}'])[1 + n / ${per} * ${by} % 20]`,
  )
  .join(' || ')})`;

const uuid = (kind: string, n: string) => `md5('${kind}' || ${n})::uuid`;
const phone = (people: string) => `'+1' || (2010000000 + (n % ${people}) * 3)`;
const outcome = `(array['answered', 'voicemail', 'no-answer', 'busy', 'failed', 'answered', 'no-answer'])[1 + n % 7]`;
/** The last campaign waits, except for people on a call; one in a hundred thousand was refused. */
const waits = '(n >= $1::bigint - $1::bigint / $5)';
const refused = '(n % 100000 = 77777)';
const endedAt = `now() - interval '100 days' * (1 - n::float8 / $1)`;

const lanesSql = `insert into carillon.lanes (base_url, name)
  select 'http://bench.example/v1', 'key-' || n from generate_series(1, 20) n`;

const campaignsSql = `
  insert into carillon.campaigns (id, name, base_url, state, driver, terms)
  select ${uuid('campaign', 'n')}, 'campaign-' || n, 'http://bench.example/v1', 'paused', 'background',
    '{"agents": [{"id": "agent", "share": 1}], "callers": [], "maxAttempts": 1, "weight": 1, "times": null}'
  from generate_series(0, $1::integer - 1) n`;

const peopleSql = `
  insert into carillon.recipients (id, campaign_id, row, attempts, phone, name, input, variables, state, outcome, updated_at)
  overriding system value
  select n + 1, ${uuid('campaign', '(n * $5 / $1)')}, 2 + n % ($1::bigint / $5), (not ${waits} and not ${refused})::integer,
    ${phone('$4')}, ${name}, jsonb_build_object('phone', ${phone('$4')}, 'name', ${name}, 'city', 'city-' || n * 7919 % 1000),
    '["phone", "name"]',
    case when n between $1::bigint - $1::bigint / $5 and $1::bigint - $1::bigint / $5 + $6 - 1 then 'live' when ${waits} then 'waiting'
      when ${refused} then 'rejected' else 'done' end,
    case when not ${waits} and not ${refused} then ${outcome} end, ${endedAt}
  from generate_series($2::bigint, $3::bigint) n`;

/** The triggers that keep them do not run while the tables are filled. */
const wordsSql = `insert into carillon.people_words (recipient_id, words)
  select id, carillon.words_of(phone, name) from carillon.recipients`;

const endedSql = `
  insert into carillon.ended_attempts (id, recipient_id, campaign_id, lane_id, number, requests, polls, planned_at, dialing_at,
    placed_at, ended_at, duration, cost, phone, state, was, outcome, caller, agent, call_id, provider_call_sid, status)
  select ${uuid('attempt', 'n')}, n + 1, ${uuid('campaign', '(n * $5 / $1)')}, 1 + n % 20, 1, 1, 2, ${endedAt}, ${endedAt}, ${endedAt},
    ${endedAt}, 42, 0.08, ${phone('$4')}, 'done', 'placed', ${outcome}, jsonb_build_object('number', '+1415555' || 1000 + n % 100),
    'agent', ${uuid('call', 'n')}::text, 'CA' || n, 'completed'
  from generate_series($2::bigint, $3::bigint) n where not ${waits} and not ${refused}`;

const liveSql = `
  insert into carillon.attempts (id, campaign_id, recipient_id, lane_id, phone, number, state, dialing_at, placed_at, call_id)
  select ${uuid('attempt', 'n')}, ${uuid('campaign', '($2 - 1)')}, n + 1, 1 + n % 20, ${phone('$3')}, 1, 'placed', now(), now(),
    ${uuid('call', 'n')}::text
  from generate_series($1::bigint - $1::bigint / $2, $1::bigint - $1::bigint / $2 + $4 - 1) n`;
