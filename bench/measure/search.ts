import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findPeople } from '../../src/control/people/find.ts';
import { listAttempts } from '../../src/control/people/person.ts';
import { searchPeople } from '../../src/control/people/search.ts';
import { startEmbedded } from '../../src/embedded/embedded.ts';
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts';
import {
  campaigns,
  checkDisk,
  fillLedger,
  idOf,
  isFilled,
  liveFrom,
  livePeople,
  nameOf,
  phoneOf,
} from '../support/people-ledger.ts';
import { keep, say } from '../support/report.ts';

/** How long each part of a search takes on a ledger of millions of called people, from the request to its answer. */
export type SearchOptions = { rows: number; asks: number; home: string };

type Case = { name: string; query: (n: number) => object };
type Took = { name: string; asks: number; p50: number; p99: number; most: number; items: number };

/** How long one filter is measured at most. */
const longestMs = 6_000;
const hourMs = 3_600_000;

export async function measureSearch(options: SearchOptions, signal: AbortSignal): Promise<void> {
  const home = options.home ? resolve(options.home) : mkdtempSync(join(tmpdir(), 'carillon-search-'));
  mkdirSync(home, { recursive: true });
  const server = await startEmbedded({ home });
  const took: Took[] = [];
  try {
    const ledger = await openLedger(server.url, 'http://bench.example/v1');
    try {
      if (!(await isFilled(server.url, options.rows))) {
        checkDisk(home, options.rows);
        await fillLedger(server.maintenanceUrl, options.rows);
      }
      say(
        `\n${'milliseconds'.padEnd(44)}${['p50', 'p99', 'max', 'found'].map((each) => each.padStart(9)).join('')}`,
      );
      for (const each of casesOf(options.rows)) {
        signal.throwIfAborted();
        const one = await ask(ledger, each, options);
        took.push(one);
        const figures = [one.p50, one.p99, one.most].map((ms) => ms.toFixed(1).padStart(9)).join('');
        say(`${one.name.padEnd(44)}${figures}${String(one.items).padStart(9)}`);
      }
    } finally {
      await ledger.close();
    }
  } finally {
    await server.close();
    if (!options.home) rmSync(home, { recursive: true, force: true });
  }
  keep('search', { ...options, took });
}

async function ask(ledger: Ledger, { name, query }: Case, { rows, asks }: SearchOptions): Promise<Took> {
  const clock = { now: () => Date.now() };
  const times: number[] = [];
  let items = 0;
  const end = performance.now() + longestMs;
  // Spread over the whole ledger, with another person each time.
  for (let k = 0; k < asks && performance.now() < end; k++) {
    const given = query((k * 7_919_993 + 12_345) % rows);
    const begun = performance.now();
    const page =
      'attempts' in given
        ? await listAttempts(ledger, String(given.attempts), {})
        : 'q' in given
          ? await findPeople({ ledger, clock }, given)
          : await searchPeople({ ledger, clock }, given);
    times.push(performance.now() - begun);
    items = page.items.length;
  }
  times.sort((a, b) => a - b);
  const quantile = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))]!;
  return { name, asks: times.length, p50: quantile(0.5), p99: quantile(0.99), most: times.at(-1)!, items };
}

function casesOf(rows: number): Case[] {
  const called = (n: number) => n % liveFrom(rows);
  const onCall = (n: number) => liveFrom(rows) + (n % livePeople(rows));
  const list = (n: number) => `campaign-${n % (campaigns - 1)}`;
  const last = `campaign-${campaigns - 1}`;
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
  return [
    { name: 'phone', query: (n) => ({ phone: phoneOf(n, rows) }) },
    { name: 'phone, national, country not known', query: (n) => ({ phone: phoneOf(n, rows).slice(2) }) },
    { name: 'call_id', query: (n) => ({ call_id: idOf('call', called(n)) }) },
    { name: 'call_id of a call in progress', query: (n) => ({ call_id: idOf('call', onCall(n)) }) },
    { name: 'call_id that is not there', query: (n) => ({ call_id: `none-${n}` }) },
    { name: 'attempt', query: (n) => ({ attempt: idOf('attempt', called(n)) }) },
    { name: 'recipient', query: (n) => ({ recipient: String(n + 1) }) },
    { name: 'find: four digits', query: (n) => ({ q: phoneOf(n, rows).slice(-4) }) },
    { name: 'find: six digits', query: (n) => ({ q: phoneOf(n, rows).slice(-6) }) },
    { name: 'find: four letters of a name', query: (n) => ({ q: nameOf(n).slice(-4) }) },
    { name: 'find: a name', query: (n) => ({ q: nameOf(n) }) },
    {
      name: 'find: a part of a name, three digits',
      query: (n) => ({ q: `${nameOf(n).slice(0, 4)} ${phoneOf(n, rows).slice(-3)}` }),
    },
    { name: 'find: letters that nobody has', query: (n) => ({ q: `wxyz${n}` }) },
    {
      name: 'find: four digits in a campaign',
      query: (n) => ({ campaign: list(n), name: phoneOf(n, rows).slice(-4) }),
    },
    { name: 'campaign', query: (n) => ({ campaign: list(n) }) },
    { name: 'campaign, outcome', query: (n) => ({ campaign: list(n), outcome: 'busy' }) },
    {
      name: 'campaign, variable of one in a thousand',
      query: (n) => ({ campaign: list(n), variable: `city:city-${n % 1_000}` }),
    },
    {
      name: 'campaign, key, from',
      query: (n) => ({ campaign: list(n), key: 'key-3', from: '+14155551002' }),
    },
    { name: 'campaign, state of two in the list', query: (n) => ({ campaign: list(n), state: 'rejected' }) },
    { name: 'campaign, since an hour', query: () => ({ campaign: last, since: ago(hourMs) }) },
    { name: 'state calling', query: () => ({ state: 'calling' }) },
    { name: 'campaign, state calling', query: () => ({ campaign: last, state: 'calling' }) },
    { name: 'state unknown, of which there are none', query: () => ({ state: 'unknown' }) },
    { name: 'no filter', query: () => ({}) },
    { name: 'since an hour', query: () => ({ since: ago(hourMs) }) },
    {
      name: 'a day in the past, outcome',
      query: () => ({ since: ago(50 * 24 * hourMs), until: ago(49 * 24 * hourMs), outcome: 'failed' }),
    },
    { name: 'outcome', query: () => ({ outcome: 'failed' }) },
    { name: 'key', query: () => ({ key: 'key-7' }) },
    { name: 'variable, one in a thousand', query: (n) => ({ variable: `city:city-${n % 1_000}` }) },
    { name: 'variable of nobody', query: () => ({ variable: 'city:nowhere' }) },
    { name: 'attempts of a campaign', query: (n) => ({ attempts: list(n) }) },
    { name: 'attempts of a list of which few were called', query: () => ({ attempts: last }) },
  ];
}
