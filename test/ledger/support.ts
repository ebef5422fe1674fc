/** Support of the ledger's tests: a database for the file, and for each test a service that no other test knows. */

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, expect, onTestFinished } from 'vitest';
import { readOrder } from '../../src/control/order/order.ts';
import { createAgeCounts } from '../../src/ledger/age-counts/age-counts.ts';
import { createAlerts } from '../../src/ledger/alerts/alerts.ts';
import { createAttempts, type Settlement } from '../../src/ledger/attempts/attempts.ts';
import type { Admission, Opener } from '../../src/ledger/attempts/open.ts';
import { createBudgets } from '../../src/ledger/budgets/budgets.ts';
import { createBulkActs } from '../../src/ledger/bulk/bulk.ts';
import { createCampaigns, type Driver } from '../../src/ledger/campaigns/campaigns.ts';
import { type Database, openDatabase } from '../../src/ledger/database.ts';
import { createLanes } from '../../src/ledger/lanes/lanes.ts';
import { type Ledger, openLedger, verbsOf } from '../../src/ledger/ledger.ts';
import type { ImportOptions } from '../../src/ledger/people/import.ts';
import type { NewRecipient, NewReject } from '../../src/ledger/people/lines.ts';
import { createPeople } from '../../src/ledger/people/people.ts';
import { createProcesses, type ProcessReport } from '../../src/ledger/processes/processes.ts';
import { createRefreshes } from '../../src/ledger/refreshes/refreshes.ts';
import { createUnknowns } from '../../src/ledger/unknowns/unknowns.ts';
import type { Order } from '../../src/rules/order.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

export type Person = {
  id: number;
  phone: string;
  state: string;
  outcome: string | null;
  reason: string | null;
} & {
  attempts: number;
  row: number;
  nextAt: Date | null;
};

export type CampaignWish = Partial<Order> & {
  people?: number;
  /** The number of the first of them: tests that run at once call different people. */
  from?: number;
  /** Most tests are not about the first create. */
  proved?: boolean;
  driver?: Driver;
  kind?: 'list' | 'calls';
  state?: 'draft' | 'running';
};

export type Books = Awaited<ReturnType<typeof openBooks>>;
export type House = ReturnType<Books['house']>;

export async function openBooks() {
  const database = await freshDatabase();
  const first = await openLedger(database.url, 'http://first.example/v1', undefined, 12);
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  // A database that is dropped closes what is still open.
  pool.on('error', () => undefined);
  const sql = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await pool.query(text, values.length > 0 ? values : undefined)).rows as T[];
  // A deadlock is detected soon.
  await sql(`alter database ${new URL(database.url).pathname.slice(1)} set deadlock_timeout = '100ms'`);
  await first.close();
  const ledger = await openLedger(database.url, 'http://first.example/v1', undefined, 12);
  let houses = 0;
  /** Services of finished tests, and of the current one. */
  let past: string[] = [];
  let present: { test: string | undefined; urls: string[] } = { test: undefined, urls: [] };

  /** A phone that is live here would not be called elsewhere: these people get new numbers. */
  const moveOut = async (urls: string[]) => {
    if (urls.length === 0) return;
    const theirs = '(select id from carillon.campaigns where base_url = any ($1))';
    await sql(
      `update carillon.live_phones p set phone = p.phone || 'x' || a.campaign_id from carillon.attempts a
       where a.id = p.attempt_id and a.campaign_id in ${theirs}`,
      [urls],
    );
    await sql(
      `update carillon.attempts set keeps = null where campaign_id in ${theirs} and keeps is not null`,
      [urls],
    );
    for (const table of ['attempts', 'recipients']) {
      const text = `update carillon.${table} set phone = phone || 'x' || campaign_id where campaign_id in ${theirs}`;
      await sql(text, [urls]);
    }
  };
  const moveIn = async (baseUrl: string) => {
    const test = expect.getState().currentTestName;
    if (test !== present.test) {
      past.push(...present.urls);
      present = { test, urls: [] };
    }
    present.urls.push(baseUrl);
    const gone = past.filter((url) => !present.urls.includes(url));
    past = [];
    await moveOut(gone);
  };

  /** At its own service, unless one is named. */
  const house = (baseUrl?: string) => {
    houses += 1;
    return createHouse(ledger, sql, baseUrl ?? `http://service-${houses}.example/v1`, moveIn);
  };
  /** A campaign at a service of its own. */
  const campaign = async (wish: CampaignWish = {}) => {
    const its = house();
    return { house: its, campaign: await its.campaign(wish) };
  };

  return {
    url: database.url,
    ledger,
    sql,
    /** A connection for as long as a test holds it. */
    connect: () => pool.connect(),
    /** Resolves when a statement like this one waits for a lock. */
    blocked: (statement: string) =>
      until(
        () =>
          sql(
            `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query like $1`,
            [statement],
          ),
        (found) => found.length > 0,
      ),
    /** A connection until the end of the test; what is not committed by then is rolled back. */
    async hand(): Promise<pg.PoolClient> {
      const client = await pool.connect();
      onTestFinished(async () => {
        await client.query('rollback');
        client.release();
      });
      return client;
    },
    /** The database through the connections of another process, until the end of the test. */
    another(): Database {
      const db = openDatabase(database.url, { max: 4 });
      onTestFinished(() => db.close());
      return db;
    },
    /** All numbers are free again for the next house of this test. */
    async vacate() {
      await moveOut(present.urls);
      present.urls = [];
    },
    house,
    campaign,
    /** A campaign at a service of its own, and the attempts that are planned for its people: by default for its only one. */
    async planned(wish: CampaignWish = {}, most = 100) {
      const made = await campaign({ people: 1, ...wish });
      const ids = await made.house.plan(made.campaign, most);
      return { ...made, ids, id: ids[0]! };
    },
    async close() {
      await pool.end();
      await ledger.close();
      await database.drop();
    },
  };
}

type Sql = <T extends object>(text: string, values?: unknown[]) => Promise<T[]>;

/** Books for all tests of a file: each test must leave a ledger in which the audit finds nothing. */
export async function shareBooks({ audited = true } = {}): Promise<Books> {
  const books = await openBooks();
  if (audited) afterEach(() => expectSound(books));
  afterAll(() => books.close());
  return books;
}

export async function expectSound({ ledger }: Books): Promise<void> {
  expect((await ledger.reports.audit()).filter((rule) => rule.broken > 0)).toEqual([]);
}

export function createHouse(
  shared: Ledger,
  sql: Sql,
  baseUrl: string,
  moveIn: (baseUrl: string) => Promise<void> = async () => {},
) {
  const { db } = shared;
  const ledger: Ledger = {
    ...shared,
    baseUrl,
    campaigns: createCampaigns(db),
    bulk: createBulkActs(db, baseUrl),
    people: createPeople(db),
    attempts: createAttempts(db),
    alerts: createAlerts(db, baseUrl),
    lanes: createLanes(db, baseUrl),
    budgets: createBudgets(db, baseUrl),
    processes: createProcesses(db, baseUrl),
    refreshes: createRefreshes(db, baseUrl),
    ageCounts: createAgeCounts(db, baseUrl),
    unknowns: createUnknowns(db, baseUrl),
    together: (work, length = 'quick') => db.together((within) => work(verbsOf(within, baseUrl)), length),
  };
  let made = 0;
  /** People of earlier campaigns here: nobody is on two by chance. */
  let many = 0;

  const lane = async (name = 'main'): Promise<number> => (await ledger.lanes.join([name]))[0]!.id;

  const people = async (campaignId: string): Promise<Person[]> =>
    sql(
      `select id::integer, phone, state, outcome, reason, attempts, row,
         case when next_at > '-infinity' then next_at end as "nextAt"
       from carillon.people where campaign_id = $1 order by row, id`,
      [campaignId],
    );

  const house = {
    baseUrl,
    ledger,
    lane,
    people,

    async campaign(wish: CampaignWish = {}): Promise<string> {
      const {
        people: count = 0,
        from = 1,
        proved = true,
        driver = 'background',
        kind = 'list',
        state = 'running',
        ...order
      } = wish;
      made += 1;
      if (made === 1) await moveIn(baseUrl);
      const id = await ledger.campaigns.create({
        name: `${baseUrl} ${made}`,
        kind,
        baseUrl,
        state,
        driver,
        order: { ...readOrder({ agent: 'agent-1' }), ...order },
      });
      if (proved) await sql('update carillon.campaigns set proved = true where id = $1', [id]);
      if (count > 0) {
        await house.add(
          id!,
          persons(count, many + from).map((each, i) => ({ ...each, row: i + 2 })),
        );
      }
      many += count;
      return id!;
    },

    add: (
      campaignId: string,
      accepted: NewRecipient[],
      options: Partial<ImportOptions> & { rejected?: NewReject[] } = {},
    ) =>
      ledger.people.import(campaignId, once({ accepted, rejected: options.rejected ?? [] }), {
        columns: options.columns ?? ['phone', 'name'],
        onKnown: options.onKnown,
        mode: options.mode ?? 'whole',
      }),

    /** Plans this many people; returns the attempts. */
    async plan(
      campaignId: string,
      most = 100,
      places: string[] | null = null,
      laneName = 'main',
    ): Promise<string[]> {
      return house.planOn(await lane(laneName), campaignId, most, places);
    },

    async planOn(
      laneId: number,
      campaignId: string,
      most: number,
      places: string[] | null = null,
    ): Promise<string[]> {
      const request = { id: campaignId, limit: most, due: most, queued: 0, places };
      return (await ledger.attempts.plan(laneId, [request], most, most)).map((planned) => planned.id);
    },

    /** Tries people again who ended so, as an act on many does; returns how many wait. */
    async retry(campaignId: string, outcomes: string[]): Promise<number> {
      const all = await sql<{ id: number }>(
        'select id from carillon.recipients where campaign_id = $1 and outcome = any ($2)',
        [campaignId, outcomes],
      );
      const ids = all.map(({ id }) => id);
      return (await ledger.db.transaction((tx) => ledger.bulk.retry(tx, ids, false))).length;
    },

    /** Orders a single call that is planned at once; returns the attempt. */
    async single(campaignId: string, laneId: number, phone: string): Promise<string> {
      const order = { phone, name: null, place: '', variables: {}, override: null, request: null };
      const { attempt } = await ledger.calls.add(campaignId, { ...order, lane: laneId });
      if (attempt === null) throw new Error('it was not planned');
      return attempt;
    },

    async admit(id: string, by: Partial<Omit<Opener, 'laneId'>> = {}): Promise<Admission> {
      const attempt = await ledger.attempts.load(id);
      if (!attempt) return 'moved';
      await ledger.policies.refresh();
      const policy = ledger.policies.version()?.version ?? null;
      return ledger.attempts.open(
        { id, revision: attempt.revision, agent: attempt.agentId, policy },
        { ...openerOn(attempt.laneId), ...by },
      );
    },

    place: (id: string, callId: string = randomUUID()) =>
      ledger.attempts.placed({
        id,
        callId,
        status: 'queued',
        nextPollAt: inSeconds(5),
        deadlineAt: inSeconds(3_600),
      }),

    /** From planned to placed; returns the call's id. */
    async call(id: string): Promise<string> {
      const callId = randomUUID();
      expect(await house.admit(id)).toBe('open');
      expect(await house.place(id, callId)).toBe(true);
      return callId;
    },

    settle: (id: string, outcome = 'answered', more: Partial<Settlement> = {}) =>
      ledger.attempts.settle({ ...settlement, id, outcome, status: outcome, ...more }),

    async attempt(id: string) {
      return (await ledger.reports.attempt(id))!;
    },

    async states(campaignId: string): Promise<string[]> {
      return (await people(campaignId)).map((person) => person.state);
    },

    /** This much time passes for dialing and unknown attempts here; an hour is more than any request may take. */
    async age(seconds = 3_600): Promise<void> {
      await sql(
        `update carillon.attempts a
         set expires_at = a.expires_at - make_interval(secs => $2)
         from carillon.lanes l where l.id = a.lane_id and l.base_url = $1 and a.state in ('dialing', 'unknown')`,
        [baseUrl, seconds],
      );
    },

    /** A person says, long after, that no call was made. */
    async free(id: string): Promise<boolean> {
      await house.age();
      return ledger.unknowns.free(id);
    },

    /** Dialers died long ago; returns how many attempts they left behind. */
    async crash(): Promise<number> {
      await house.age();
      return (await ledger.attempts.crash(baseUrl)).length;
    },

    /** Broken rules of the whole ledger; none in a sound one. */
    async faults(): Promise<string[]> {
      return (await ledger.reports.audit()).filter((rule) => rule.broken > 0).map((rule) => rule.rule);
    },
  };
  return house;
}

const settlement: Omit<Settlement, 'id' | 'outcome'> = {
  polls: 1,
  status: null,
  duration: 12,
  cost: 0.08,
  currency: null,
  ended_reason: null,
  transcript: 'Hello.',
  recording_url: null,
  structured_data: null,
  provider_call_sid: null,
  direction: null,
  contact_id: null,
  metadata: null,
  record: null,
  startedAt: null,
  endedAt: null,
  again: null,
  refresh: null,
  refreshIn: null,
  localHour: null,
  optOut: null,
  lateStart: null,
};

/** A background worker without a cap. */
type Report = Omit<ProcessReport, 'baseUrl'>;
/** What a background worker that is well reports of itself. */
export const workerReport = (id: string, more: Partial<Report> = {}): Report => ({
  id,
  host: 'one',
  pid: 1,
  version: '0',
  node: '24',
  parts: ['planner', 'dialer', 'tracker'],
  queue: 'postgres',
  keys: {},
  secret: null,
  loops: [],
  clockAheadMs: 0,
  trouble: null,
  memory: 1,
  startedAt: new Date(),
  ...more,
});

export function openerOn(laneId: number): Opener {
  return {
    dialer: 'dialer-1',
    runId: null,
    laneId,
    laneCap: null,
    timeoutMs: 30_000,
    keepsPhoneMs: 7_200_000,
  };
}

/** The attempt that a lane without calls sends ahead when it is time; null when none is due. */
export async function probeOf(
  { lanes }: Ledger,
  lane: number,
  campaign: string | null = null,
): Promise<string | null> {
  const next = await lanes.nextProbe(lane, campaign, null, []);
  return next !== null && (await lanes.probeWith(lane, next)) ? next : null;
}

export function suppress(
  { suppressions }: Pick<Ledger, 'suppressions'>,
  phones: string[],
  reason: string | null = null,
) {
  return suppressions.add(phones.map((phone) => ({ phone, source: 'manual', reason })));
}

export function person(n: number, more: Partial<NewRecipient> = {}): NewRecipient {
  const phone = `+1415${5_550_000 + n}`;
  return {
    row: n + 1,
    phone,
    name: `Person ${n}`,
    place: '',
    input: { phone, name: `Person ${n}` },
    variables: {},
    ...more,
  };
}

export function persons(count: number, from = 1): NewRecipient[] {
  return Array.from({ length: count }, (_, i) => person(from + i));
}

export async function* once<T>(...items: T[]): AsyncGenerator<T> {
  yield* items;
}

export function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString();
}

/**
 * Records how far ahead each probe was set, by the ledger's own clock. A later look at the clock finds less, and on a
 * busy machine much less. Returns a function that reads the last one of a lane, in seconds.
 */
export async function keepGaps(books: Books): Promise<(lane: number) => Promise<number>> {
  await books.sql(`
    create schema gaps;
    create table gaps.seen (n serial, lane integer, seconds numeric);
    create function gaps.keep() returns trigger language plpgsql as $$
      begin
        insert into gaps.seen (lane, seconds) values (new.id, extract(epoch from new.probe_at - now()));
        return null;
      end $$;
    create trigger keep after update on carillon.lanes for each row
      when (new.probe_at is distinct from old.probe_at) execute function gaps.keep()`);
  return async (lane) => {
    const [last] = await books.sql<{ seconds: string }>(
      'select seconds from gaps.seen where lane = $1 order by n desc limit 1',
      [lane],
    );
    return Number(last!.seconds);
  };
}

export function tally(items: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[item] = (counts[item] ?? 0) + 1;
  return counts;
}

/** Plans as if the planner had not looked: phones that it would skip reach the fence. */
export async function planBlindly(books: Books, house: House, campaign: string): Promise<string[]> {
  const made = await books.sql<{ id: string }>(
    `with made as (
       insert into carillon.attempts (campaign_id, recipient_id, lane_id, phone, number)
       select campaign_id, id, $2, phone, attempts + 1 from carillon.recipients
       where campaign_id = $1 and state = 'waiting' returning id, recipient_id)
     update carillon.recipients r set state = 'live' from made m where r.id = m.recipient_id returning m.id`,
    [campaign, await house.lane()],
  );
  return made.map((row) => row.id);
}
