/**
 * What goes wrong on a Sunday: incidents that are made in a ledger, what the first screen must say of each, and the one
 * act that ends it. test/browser/sunday.test.ts plays them in a browser, `npm run sunday` shows them to a person.
 */
import pg from 'pg';
import { createEndings, createWatch } from '../../src/background/alerts.ts';
import { readOrder } from '../../src/control/order/order.ts';
import { openApi } from '../api/support.ts';
import { createHouse, type House, persons, workerReport } from '../ledger/support.ts';
import type { TestServer } from '../support/postgres.ts';
import { type Proxy as Between, startDatabaseProxy } from '../support/proxy.ts';
import { startReceiver } from '../support/receiver.ts';

export type Ground = Awaited<ReturnType<typeof openGround>>;

const worker = { host: 'floor-2', pid: 4711 };
const name = `${worker.host}:${worker.pid}`;
const well = { loops: [], trouble: null };

/** A ledger, an API and a page, without workers: the incidents say what these would have done. */
export async function openGround(server?: TestServer) {
  let proxy: (Between & { url: string }) | undefined;
  const api = await openApi({
    ...(server && { server }),
    simulator: { speed: 600 },
    env: { WEBHOOK_ALLOW_PRIVATE: '1', CARILLON_SECRET: 'a secret of sixteen characters' },
    reach: async (url) => {
      proxy = await startDatabaseProxy(url);
      return proxy.url;
    },
  });
  const pool = new pg.Pool({ connectionString: api.env.DATABASE_URL, max: 2 });
  pool.on('error', () => undefined);
  const sql = async <T extends object>(text: string, values?: unknown[]): Promise<T[]> =>
    (await pool.query(text, values)).rows as T[];
  const house = createHouse(api.app.ledger, sql, api.simulator.url);
  const { ledger } = house;
  /** What the one worker says of itself; null: it is dead. */
  let says: Pick<Parameters<typeof ledger.processes.report>[0], 'loops' | 'trouble'> | null = well;
  const watch = createWatch({
    ledger,
    rounds: {
      ages: () => (says?.loops ?? []).map(({ name, age_ms: ageMs, stuck }) => ({ name, ageMs, stuck })),
      asides: api.app.rounds.asides,
    },
    permit: { aheadMs: () => 0, trouble: () => null },
    endings: createEndings(api.app, 0),
    lanes: [{ name: 'main' }],
    home: api.env.CARILLON_HOME!,
    machine: 'floor-2',
    process: name,
  });
  const receiver = await startReceiver();
  return {
    api,
    receiver,
    house,
    sql,
    proxy: proxy!,
    worker(now: typeof says) {
      says = now;
    },
    /** A campaign of three people that a worker dials. */
    async campaign(name: string, wish: Parameters<House['campaign']>[0] = {}): Promise<string> {
      const id = await house.campaign({ people: 3, ...wish });
      await sql('update carillon.campaigns set name = $2 where id = $1', [id, name]);
      return id;
    },
    /** The worker's beat and its watch. What must last before somebody is told has lasted, and so has its absence. */
    async beat(): Promise<void> {
      if (says) await ledger.processes.report(workerReport(name, { ...worker, ...says }));
      else await sql(`update carillon.processes set seen_at = now() - interval '1 hour'`);
      await sql(`update carillon.alerts set seen_at = seen_at - interval '5 minutes'`);
      await watch();
      await sql(
        `update carillon.alerts set first_at = first_at - interval '5 minutes' where raised_at is null`,
      );
      await watch();
    },
    /** Everything is well again, and no campaign is left. */
    async calm(): Promise<void> {
      says = well;
      await sql(
        `update carillon.campaigns set state = 'canceled', name = id::text, created_at = now() - interval '2 hours'
         where state <> 'canceled'`,
      );
      await sql(`update carillon.lanes set state = 'open', reason = null, probe_at = null`);
      await house.crash();
      for (const { id } of await sql<{ id: string }>(
        `select id from carillon.attempts where state = 'unknown'`,
      ))
        await house.free(id);
      for (const table of ['alerts', 'caller_numbers', 'processes', 'webhooks', 'works'])
        await sql(`delete from carillon.${table}`);
    },
    async close(): Promise<void> {
      await pool.end();
      await receiver.leave();
      await api.close();
      await proxy!.close();
    },
  };
}

export type Incident = {
  /** What happened, as one tells it afterwards. */
  what: string;
  happen(ground: Ground): Promise<unknown>;
  /** The first screen says this first: what stands still, and why. */
  tells: string;
  why: RegExp;
  /** The words of its one button; none where only who runs the machine can act. */
  act?: string;
  /** What is to be seen and pressed there, one after the other, until it is mended. */
  there: readonly (string | RegExp | [field: string, text: string])[];
  /** What who runs the machine does. */
  repair?(ground: Ground): Promise<void>;
};

const answered = async ({ house }: Ground, campaign: string, cost: number) => {
  const [id] = await house.plan(campaign, 1);
  await house.call(id!);
  await house.settle(id!, 'answered', { cost });
};
const lose = async ({ house }: Ground, campaign: string) => {
  for (const id of await house.plan(campaign, 3)) await house.admit(id);
  await house.crash();
};
const pause =
  (reason: string) =>
  async ({ house, campaign }: Ground) =>
    house.ledger.campaigns.pause([await campaign('March reminders')], reason);
const says =
  (report: Parameters<Ground['worker']>[0]) =>
  async ({ campaign, worker: speak }: Ground) => {
    await campaign('March reminders');
    speak(report);
  };
const restart = async ({ worker: speak }: Ground) => speak(well);

export const incidents: readonly Incident[] = [
  {
    what: 'Unknown calls hold the budget of a campaign.',
    async happen(ground) {
      const id = await ground.campaign('March reminders', { maxCost: 1 });
      await answered(ground, id, 0.4);
      const [lost] = await ground.house.plan(id, 1);
      await ground.house.admit(lost!);
      await ground.house.crash();
    },
    tells: '1 call may have been placed.',
    why: /0\.40 spent and 0\.40 reserved of 1\.00/,
    act: 'Settle 1 call',
    there: ['No, nobody was called', 'Settle 1 person'],
  },
  {
    what: 'The budget of a campaign is spent.',
    happen: async (ground) =>
      answered(ground, await ground.campaign('March reminders', { maxCost: 1 }), 0.95),
    tells: 'March reminders calls nobody.',
    why: /budget allows no further call: 0\.95 spent of 1\.00/,
    act: 'Raise the budget',
    there: ['Change Stop rules', ['Most that its calls may cost', '20'], /Change the settings/],
  },
  {
    what: 'The account has no credit.',
    async happen({ house, campaign }) {
      const [id] = await house.plan(await campaign('March reminders'), 1);
      await house.admit(id!);
      await house.ledger.attempts.park(id!, await house.lane(), 'the balance is used up');
    },
    tells: 'The key main has no credit. Nobody is called.',
    why: /continues by itself when there is credit/,
    act: 'Open the key',
    there: ['Try now'],
  },
  {
    what: 'The key was revoked at the service.',
    async happen({ house, campaign }) {
      await campaign('March reminders');
      await house.ledger.lanes.deny(await house.lane(), 'revoked');
    },
    tells: 'The service does not accept the key main. Nobody is called.',
    why: /Correct it in VOICE_API_KEYS/,
    act: 'Open the key',
    there: ['Try now'],
  },
  {
    what: 'The service fails.',
    async happen({ house, campaign }) {
      const lane = await house.lane();
      for (const id of await house.plan(await campaign('March reminders'), 3)) {
        await house.admit(id);
        // The service says that it made no call: the person waits for the next request.
        await house.ledger.attempts.withhold({ id, sent: true, detail: 'HTTP 503' });
        await house.ledger.lanes.fail(lane, id, 'HTTP 503', 3);
      }
    },
    tells: 'The service fails on the key main. Nobody is called.',
    why: /continues by itself when the service answers/,
    act: 'Open the key',
    there: ['Try now'],
  },
  {
    what: 'The agent of the order does not exist at the service.',
    async happen({ house, campaign }) {
      for (const id of await house.plan(await campaign('March reminders'), 3)) {
        await house.admit(id);
        await house.ledger.attempts.refuseOrder(id, 'no such agent', 3);
      }
    },
    tells: 'March reminders calls nobody.',
    why: /The service refuses its settings: no such agent.*agent: agent-1/,
    act: 'Correct its settings',
    there: [
      'Change Agent and caller',
      ['Agent', 'agent-2'],
      /Change the settings/,
      'Resume',
      /^Resume: call/,
    ],
  },
  {
    what: 'Too many calls fail.',
    happen: pause('stop-at: 9 of the last 10 calls failed'),
    tells: 'March reminders calls nobody.',
    why: /9 of the last 10 calls failed/,
    act: 'See how calls ended',
    there: ['Resume', /^Resume: call/],
  },
  {
    what: 'Three calls have no answer, and may have been made.',
    happen: async (ground) => lose(ground, await ground.campaign('March reminders')),
    tells: '3 calls may have been placed.',
    why: /not call these people again until you say what happened/,
    act: 'Settle 3 calls',
    there: Array.from({ length: 3 }, () => ['No, nobody was called', 'Settle 1 person']).flat(),
  },
  {
    what: 'All numbers that a campaign calls from rest.',
    async happen({ sql, house, campaign }) {
      const id = await campaign('March reminders', { callers: [{ number: '+14155550100' }] });
      await sql(
        `insert into carillon.caller_numbers (name, rest, rested_at) values ('+14155550100', 'hand', now())`,
      );
      await house.plan(id, 3);
      // The worker's planner asks for it again and again.
      await sql(`update carillon.shares set seen_at = now() + interval '1 hour'`);
    },
    tells: 'March reminders calls nobody.',
    why: /All its caller numbers are full or rest/,
    act: 'See the numbers',
    there: ['Use again'],
  },
  {
    what: 'The worker was killed.',
    happen: says(null),
    tells: 'Nobody is called: no worker runs.',
    why: /3 people wait; no attempt is lost\. Start carillon up or carillon worker/,
    act: 'Open Health',
    there: [/no worker|nobody dials/i],
    repair: restart,
  },
  {
    what: 'The worker is frozen.',
    happen: says({ ...well, loops: [{ name: 'planner', age_ms: 90_000, stuck: true }] }),
    tells: 'The background work of a process is stuck. March reminders calls nobody.',
    why: /has not ended a round of the planner for 90 s/,
    act: 'Open Health',
    there: [/4711/],
    repair: restart,
  },
  {
    what: 'The worker’s disk is full.',
    happen: says({ ...well, trouble: 'file-unwritable' }),
    tells: '4711 does not dial: a file cannot be written.',
    why: /3 people wait; no attempt is lost/,
    act: 'Open Health',
    there: [/4711/],
    repair: restart,
  },
  {
    what: 'Somebody stopped everything.',
    async happen({ api, campaign }) {
      await campaign('March reminders');
      await campaign('April survey');
      await api.ask('POST', '/api/pause');
    },
    tells: 'Everything is stopped.',
    why: /This machine stopped 2 campaigns, and 6 people wait until you resume/,
    act: 'Resume all',
    there: [/^Resume: call/],
  },
  {
    what: 'A webhook takes no events.',
    async happen({ api, sql, receiver }) {
      await api.ask('POST', '/api/webhooks', { body: { url: receiver.url } });
      await sql(`update carillon.webhooks set state = 'failing', reason = 'HTTP 503', tries = 9`);
    },
    tells: 'takes no events.',
    why: /HTTP 503\. Its events wait, and are delivered when it answers/,
    act: 'Open the webhook',
    there: ['Send a test'],
  },
  {
    what: 'The numbers of a list are of another country.',
    async happen({ house, campaign }) {
      const reason = 'phone: not a phone number of US';
      const rejected = persons(40).map(({ row, input }) => ({ row, input, reason }));
      await house.add(await campaign('Lisbon survey', { people: 0 }), [], { rejected });
    },
    tells: 'All 40 rows of Lisbon survey were rejected.',
    why: /The first says “phone: not a phone number of US”/,
    act: 'See the rows',
    there: [/not a phone number of US/],
    repair: ({ calm }) => calm(),
  },
  {
    what: 'The hours of tomorrow, the last of a campaign, are too few for its people.',
    async happen({ campaign, house }) {
      const at = (hours: number) => new Date(Date.now() + hours * 3_600_000);
      const { times } = readOrder({
        agent: 'agent-1',
        window: '12:00-12:01',
        days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'][at(0).getUTCDay()],
        end_at: at(47).toISOString(),
      });
      const id = await campaign('March reminders', { people: 0, maxCalls: 1, times });
      await house.add(
        id,
        persons(1_000).map((each) => ({ ...each, place: 'America/New_York' })),
      );
    },
    tells: 'March reminders ends before everyone is called.',
    why: /About .* of 1000 people are not called before/,
    act: 'Change its hours',
    there: ['Change When', ['Not after', ''], /Change the settings/],
  },
  {
    what: 'The database is away.',
    async happen({ campaign, proxy }) {
      await campaign('March reminders');
      await proxy.cut();
    },
    tells: 'Carillon answers with errors',
    why: /The ledger \(Postgres\) cannot be reached.*Calls in progress go on at the service/,
    there: [],
    repair: ({ proxy }) => proxy.restore(),
  },
];
