import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createSeal } from '../../src/base/seal.ts';
import { importList } from '../../src/control/lists/batches.ts';
import { readOrder } from '../../src/control/order/order.ts';
import { erasePerson } from '../../src/control/people/erase.ts';
import { startEmbedded } from '../../src/embedded/embedded.ts';
import { mostOld } from '../../src/ledger/erasures/erasures.ts';
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts';
import { checkDisk, fillLedger, isFilled, liveFrom, phoneOf } from '../support/people-ledger.ts';
import { keep, median, say, spread } from '../support/report.ts';

/**
 * How long erasing a person takes in a large ledger, how fast old people are erased, and what erasures cost an import.
 */
export type EraseOptions = { rows: number; asks: number; home: string };

const baseUrl = 'http://bench.example/v1';
const importRows = 100_000;
const batchRows = 1_000;
const pairs = 5;
const erasures = 1_000;
const oldMs = 10_000;

export async function measureErase(options: EraseOptions, signal: AbortSignal): Promise<void> {
  const home = options.home ? resolve(options.home) : mkdtempSync(join(tmpdir(), 'carillon-erase-'));
  mkdirSync(home, { recursive: true });
  const server = await startEmbedded({ home });
  try {
    const ledger = await openLedger(server.url, baseUrl, undefined, undefined, () =>
      createSeal('the secret of this measurement'),
    );
    try {
      if (!(await isFilled(server.url, options.rows))) {
        checkDisk(home, options.rows);
        await fillLedger(server.maintenanceUrl, options.rows);
      }
      const without = await importAll(ledger, 'without', 1);
      const one = await eraseSome(ledger, options, signal);
      say(`erase one person: p50 ${one.p50.toFixed(1)} ms, max ${one.most.toFixed(1)} ms`);
      const imports = await compareImports(ledger, signal);
      say(
        `import, ${erasures} erasures against none: ${imports.ratio.median.toFixed(3)} of the rows a second (${imports.ratio.least.toFixed(3)} to ${imports.ratio.most.toFixed(3)})`,
      );
      const old = await eraseOld(ledger, signal);
      say(
        `erase what is old: ${old.toFixed(0)} people a second; a round with nothing to do ${(await idle(ledger)).toFixed(2)} ms`,
      );
      keep('erase', { ...options, first: without, one, imports, old });
    } finally {
      await ledger.close();
    }
  } finally {
    await server.close();
    if (!options.home) rmSync(home, { recursive: true, force: true });
  }
}

async function eraseSome(ledger: Ledger, { rows, asks }: EraseOptions, signal: AbortSignal) {
  const clock = {
    sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
    monotonic: () => performance.now(),
  };
  const times: number[] = [];
  for (let k = 0; k < asks; k++) {
    signal.throwIfAborted();
    const phone = phoneOf((k * 7_919_993 + 12_345) % liveFrom(rows), rows);
    const begun = performance.now();
    await erasePerson({ ledger, clock }, { phone });
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  return { asks, p50: median(times), most: times.at(-1)! };
}

/**
 * Imports the same list in turns: with no erasure in the ledger, and with many. None of the erased people is on the
 * list.
 */
async function compareImports(ledger: Ledger, signal: AbortSignal) {
  const rates: { none: number; many: number }[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    signal.throwIfAborted();
    await setErasures(ledger, 0);
    const none = await importAll(ledger, `none-${pair}`, 2 * pair + 2);
    await setErasures(ledger, erasures);
    const many = await importAll(ledger, `many-${pair}`, 2 * pair + 3);
    rates.push({ none, many });
  }
  const told = spread(rates.map(({ none, many }) => many / none));
  return { rates, ratio: told };
}

async function setErasures(ledger: Ledger, many: number): Promise<void> {
  const { hash } = createSeal('the secret of this measurement');
  const client = await ledger.db.connect();
  try {
    await client.query('delete from carillon.erasures');
    const hashes = Array.from({ length: many }, (_, n) => hash(`+1999${1_000_000 + n}`));
    await client.query('insert into carillon.erasures (hash) select unnest($1::text[])', [hashes]);
    await client.query('analyze carillon.erasures');
  } finally {
    client.release();
  }
}

/** Returns rows a second. */
async function importAll(ledger: Ledger, name: string, nth: number): Promise<number> {
  const order = readOrder({ agent: 'agent' });
  const id = await ledger.campaigns.create({
    name: `import-${name}-${Date.now()}`,
    kind: 'list',
    baseUrl,
    state: 'draft',
    driver: 'background',
    order,
  });
  const batches = Array.from({ length: importRows / batchRows }, (_, at) => ({
    accepted: Array.from({ length: batchRows }, (_, k) => {
      const n = at * batchRows + k;
      const phone = `+44${7_000_000_000 + nth * importRows + n}`;
      const input = { phone, name: `Person ${n}`, city: `city-${n % 1_000}` };
      return { row: n + 2, phone, name: input.name, place: '', input, variables: { city: input.city } };
    }),
    rejected: [],
  }));
  const begun = performance.now();
  await importList(ledger, id!, { batches, columns: ['phone', 'name', 'city'] });
  return importRows / ((performance.now() - begun) / 1_000);
}

/** People a second, while the ledger does nothing else. The filled people are up to 100 days old. */
async function eraseOld({ erasures: store }: Ledger, signal: AbortSignal): Promise<number> {
  const begun = performance.now();
  let rounds = 0;
  for (; performance.now() - begun < oldMs && (await store.old(1)); rounds++) signal.throwIfAborted();
  return (rounds * mostOld) / ((performance.now() - begun) / 1_000);
}

async function idle({ erasures: store }: Ledger): Promise<number> {
  const begun = performance.now();
  for (let n = 0; n < 50; n++) await store.old(36_500);
  return (performance.now() - begun) / 50;
}
