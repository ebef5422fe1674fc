// Shared by the peers on Postgres: the list, tables that keep what Carillon keeps (a person's state, an attempt with
// its result, an event a step, each step one statement that admits and claims), and the two requests.
import pg from 'pg';
import { Pool } from 'undici';

const ended = new Set(['completed', 'no-answer', 'voicemail', 'busy', 'failed', 'canceled']);

export async function openDispatcher({ storeUrl, serviceUrl, key, calls, poolSize }) {
  const pool = new pg.Pool({ connectionString: storeUrl, max: poolSize });
  await pool.query(`
    create table people (
      id integer primary key, phone text not null unique, name text, state text not null default 'waiting',
      outcome text, attempts integer not null default 0, updated_at timestamptz not null default now());
    create table attempts (
      id integer primary key, person integer not null references people, state text not null default 'planned',
      call_id text, status text, outcome text, duration double precision, cost double precision, transcript text,
      recording_url text, structured_data jsonb, planned_at timestamptz not null default now(),
      dialing_at timestamptz, placed_at timestamptz, ended_at timestamptz);
    create index on people (state);
    create index on attempts (person);
    create index on attempts (state) where state <> 'done';
    create unique index on attempts (call_id) where call_id is not null;
    create table events (
      id bigint generated always as identity primary key, attempt integer not null, event text not null,
      at timestamptz not null default now())`);
  await pool.query(
    `insert into people (id, phone, name)
     select i, '+1415' || (5550000 + i), 'Person ' || i from generate_series(0, $1::integer - 1) i`,
    [calls],
  );
  await pool.query('insert into attempts (id, person) select id, id from people');
  const { origin, pathname } = new URL(serviceUrl);
  const service = new Pool(origin, { connections: 300 });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const ask = async (method, path, body) => {
    const answer = await service.request({
      method,
      path: `${pathname}${path}`,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered with ${answer.statusCode}`);
    return answer.body.json();
  };
  let left = calls;
  let finish;
  const finished = new Promise((resolve) => {
    finish = resolve;
  });

  return {
    pool,
    finished,
    /** Claims, posts and keeps the call's id; false if another worker has it. */
    async dial(id) {
      const { rows } = await pool.query({
        name: 'open',
        text: `
          with moved as (
            update attempts set state = 'dialing', dialing_at = now() where id = $1 and state = 'planned' returning id, person
          ), told as (insert into events (attempt, event) select id, 'dialing' from moved)
          update people p set state = 'calling', attempts = attempts + 1, updated_at = now()
          from moved m where p.id = m.person returning p.phone, p.name`,
        values: [id],
      });
      if (rows.length === 0) return false;
      const [{ phone, name }] = rows;
      const call = await ask('POST', '/call', {
        agent_id: 'agent_bench',
        customer: { phone_number: phone, name },
      });
      await pool.query({
        name: 'placed',
        text: `
          with moved as (
            update attempts set state = 'placed', call_id = $2, status = $3, placed_at = now()
            where id = $1 and state = 'dialing' returning id
          )
          insert into events (attempt, event) select id, 'placed' from moved`,
        values: [id, call.id, call.status ?? null],
      });
      return true;
    },
    /** Polls once; true if the call has ended and its result is kept. */
    async track(id) {
      const { rows } = await pool.query({
        name: 'load',
        text: 'select call_id from attempts where id = $1',
        values: [id],
      });
      const call = await ask('GET', `/call/${rows[0].call_id}`);
      if (!ended.has(call.status)) return false;
      await pool.query({
        name: 'settle',
        text: `
          with moved as (
            update attempts set state = 'done', status = $2, outcome = $2, duration = $3, cost = $4, transcript = $5,
              recording_url = $6, structured_data = $7, ended_at = now()
            where id = $1 and state = 'placed' returning id, person
          ), told as (insert into events (attempt, event) select id, 'done' from moved)
          update people p set state = 'done', outcome = $2, updated_at = now() from moved m where p.id = m.person`,
        values: [
          id,
          call.status,
          call.duration ?? null,
          call.cost ?? null,
          call.transcript ?? null,
          call.recording_url ?? null,
          call.structured_data ?? null,
        ],
      });
      left -= 1;
      if (left === 0) finish();
      return true;
    },
    async close() {
      await service.close();
      await pool.end();
    },
  };
}
