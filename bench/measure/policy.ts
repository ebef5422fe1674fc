import { randomUUID } from 'node:crypto';
import { readOrder } from '../../src/control/order/order.ts';
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts';
import { writtenPolicy } from '../../src/ledger/policies/policies.ts';
import { describeMachine, keep, machineLine, say } from '../support/report.ts';
import { openStage } from '../support/stage.ts';

/** The cost of caps and gaps to planner and fence: the same ledger with rules and without, in turns. */
export type PolicyOptions = { rows: number; turns: number };

const service = 'http://bench.example/v1';
/** People planned in one turn, and attempts opened in one statement. */
const chunk = 500;
const batch = 100;
const rules = {
  caps: [
    { calls: 3, per: '24h' },
    { calls: 7, per: '7d' },
  ],
  gap: '4h',
  after_conversation: '7d',
};

type Sides = { without: number[]; with: number[] };

export async function measurePolicy({ rows, turns }: PolicyOptions, signal: AbortSignal): Promise<void> {
  const machine = describeMachine();
  say(machineLine(machine));
  const stage = await openStage(['postgres'], false);
  try {
    const database = await stage.freshDatabase();
    const ledger = await openLedger(database.url, service);
    try {
      const lane = (await ledger.lanes.join(['bench']))[0]!.id;
      const campaign = await fill(ledger, rows);
      const plan: Sides = { without: [], with: [] };
      const open: Sides = { without: [], with: [] };
      for (let turn = 0; turn < turns * 2 && !signal.aborted; turn++) {
        const side = turn % 2 === 0 ? 'without' : 'with';
        const { version } = await ledger.policies.set(writtenPolicy(side === 'with' ? rules : {}), 'api');
        const request = { id: campaign, limit: chunk, due: chunk, queued: 0, places: null };
        const [planMs, planned] = await timed(() => ledger.attempts.plan(lane, [request], chunk, chunk));
        const [openMs] = await timed(() =>
          openAll(
            ledger,
            planned.map(({ id }) => id),
            version,
          ),
        );
        // The first turns warm up.
        if (turn < 4) continue;
        plan[side].push((planMs * 1_000) / planned.length);
        open[side].push((openMs * 1_000) / planned.length);
      }
      const figures = { plan: compare(plan), open: compare(open) };
      for (const [what, { without, with: bound, ratio }] of Object.entries(figures))
        say(
          `${what}: ${without.toFixed(0)} µs a person without rules, ${bound.toFixed(0)} with, ratio ${ratio.toFixed(2)}`,
        );
      keep('policy', { rows, turns, figures, plan, open });
    } finally {
      await ledger.close();
      await database.drop();
    }
  } finally {
    await stage.close();
  }
}

/** A list whose people were all called twice before: the rules count both calls, and hold nobody. */
async function fill(ledger: Ledger, rows: number): Promise<string> {
  const order = readOrder({ agent: 'agent_bench' });
  const made = { name: 'policy', baseUrl: service, state: 'running', driver: 'background', order } as const;
  const campaign = (await ledger.campaigns.create(made))!;
  await ledger.db.transaction(async ({ client }) => {
    await client.query('update carillon.campaigns set proved = true');
    await client.query(
      `insert into carillon.recipients (campaign_id, row, phone)
       select $1, i, '+1' || (2000000000 + i) from generate_series(1, $2::integer) i`,
      [campaign, rows],
    );
    await client.query(
      `insert into carillon.phone_calls (phone, at, ended_at, answered, attempt_id)
       select r.phone, t, t, false, gen_random_uuid()
       from carillon.recipients r, (select now() - make_interval(days => d) as t from unnest(array[5, 6]) d) x`,
    );
  });
  const client = await ledger.db.connect();
  await client.query('vacuum analyze');
  client.release();
  return campaign;
}

async function openAll(ledger: Ledger, ids: string[], policy: number): Promise<void> {
  for (let from = 0; from < ids.length; from += batch) {
    const want = ids
      .slice(from, from + batch)
      .map((id) => ({ id, revision: 0, opens: 0, ticket: randomUUID(), policy }));
    const said = await ledger.db.query('attempts/open', {
      openings: JSON.stringify(want),
      dialer: 'bench',
      runId: null,
      laneCap: null,
      timeoutMs: 30_000,
      keepsPhoneMs: 7_200_000,
      journal: null,
    });
    const refused = said.find(({ verdict }) => verdict !== 'open');
    if (refused) throw new Error(`an opening was answered with ${refused.verdict}`);
  }
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const began = performance.now();
  const done = await work();
  return [performance.now() - began, done];
}

/** Compares medians, which a busy machine affects least. */
function compare(sides: Sides) {
  const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
  const [without, bound] = [median(sides.without), median(sides.with)];
  return { without, with: bound, ratio: bound / without };
}
