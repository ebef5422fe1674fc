/**
 * How far a budget is passed, and what keeping it costs in time: simulated campaigns on a service that nobody knows yet,
 * whose calls cost after four shapes, judged by the ledger's own functions. The first to end are the shortest, and dear
 * calls are the ones under way, so a mean would be passed many times over.
 *
 *   npx tsx bench/measure/budgets.ts [--campaigns 300]
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openLedger } from '../../src/ledger/ledger.ts';
import { seeded } from '../../test/support/random.ts';
import { openStage } from '../support/stage.ts';

const { values } = parseArgs({ options: { campaigns: { type: 'string', default: '300' } } });
const campaigns = Number(values.campaigns);

type Draw = (random: () => number) => number;
const exponential: Draw = (random) => -Math.log(1 - random());
const normal: Draw = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const shapes: [string, Draw][] = [
  ['a long tail (log-normal, sigma 0.9)', (random) => 0.1 * Math.exp(0.9 * normal(random))],
  ['exponential', (random) => 0.15 * exponential(random)],
  ['three in ten answered, a long tail', (random) => (random() < 0.7 ? 0 : 0.1 * Math.exp(normal(random)))],
  ['mailboxes and conversations', (random) => (random() < 0.6 ? 0.02 : 0.1 + 0.2 * exponential(random))],
];
/** Minutes that a call of this cost takes. */
const minutes = (cost: number) => (cost > 0 ? 1 + 10 * cost : 0.5);

type Fit = (
  known: { told: number; talked: number; cost: number; squares: number; dearest: number },
  most: number,
  calls: number,
  room: number,
) => Promise<number>;

async function play(fit: Fit, draw: Draw, most: number, lanes: number, random: () => number) {
  const known = { told: 0, talked: 0, cost: 0, squares: 0, dearest: 0 };
  const live: { ends: number; cost: number }[] = [];
  let now = 0;
  for (;;) {
    for (let more = await fit(known, most, live.length, lanes - live.length); more > 0; more -= 1) {
      const cost = draw(random);
      live.push({ ends: now + minutes(cost), cost });
    }
    live.sort((a, b) => a.ends - b.ends);
    const ended = live.shift();
    if (!ended) return { over: (known.cost - most) / known.dearest, minutes: now };
    now = ended.ends;
    known.told += 1;
    known.talked += ended.cost > 0 ? 1 : 0;
    known.cost += ended.cost;
    known.squares += ended.cost ** 2;
    known.dearest = Math.max(known.dearest, ended.cost);
  }
}

const stage = await openStage(['postgres'], false);
try {
  const { url } = await stage.freshDatabase();
  await (await openLedger(url, 'http://bench.example/v1')).close();
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  const fit: Fit = async ({ told, talked, cost, squares, dearest }, most, calls, room) => {
    const prices =
      talked > 0 ? [cost / told, squares / cost, dearest, told, talked] : [null, null, null, null, null];
    const text = `select carillon.calls_left(('campaign', $1, $2, $3, 0, ($4, $5, $6, $7, $8)::carillon.prices, false,
      false, null, null)::carillon.purse, $9) as n`;
    const { rows } = await db.query(text, [most, cost, calls, ...prices, room]);
    return rows[0].n;
  };
  for (const [name, draw] of shapes)
    for (const [most, lanes] of [
      [3, 20],
      [12, 10],
      [30, 100],
      [200, 100],
    ] as const) {
      const over: number[] = [];
      let minutesEach = 0;
      for (let i = 0; i < campaigns; i += 1) {
        const played = await play(fit, draw, most, lanes, seeded(i + 1));
        over.push(played.over);
        minutesEach += played.minutes / campaigns;
      }
      const passed = over.filter((x) => x > 1 + 1e-9).length;
      console.log(
        `${name}; budget ${most}, ${lanes} calls at once: passed by more than the dearest call in ${passed} of ${campaigns}, ` +
          `by ${Math.max(...over).toFixed(2)} of it at most; ${minutesEach.toFixed(0)} minutes`,
      );
    }
  await db.end();
} finally {
  await stage.close();
}
