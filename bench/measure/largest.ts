import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSimulator } from '../../simulator/server.ts';
import { startApi } from '../../src/api/server.ts';
import { openApp } from '../../src/app.ts';
import { loadConfig } from '../../src/base/config/config.ts';
import { createLog } from '../../src/base/log.ts';
import { type Json, type Operation, operations } from '../../test/support/description.ts';
import { type Part, partsOf, valueFor, withPart } from '../../test/support/parts.ts';
import { describeMachine } from '../support/report.ts';
import { openStage, results } from '../support/stage.ts';

/** How long the largest request of each route blocks the event loop, and with it everyone else's answer. */
export type LargestOptions = { people: number; only: string };

type Ask = {
  name: string;
  method: string;
  path: string;
  type?: string | undefined;
  body?: string | undefined;
};
type Took = { name: string; bytes: number; status: number; blockedMs: number; answeredMs: number };

/** The most bytes of a body, and of an address, which Node limits together with the headers. */
const bodyBytes = 1_000_000;
const addressBytes = 15_000;
const mostEntries = 10_000;
/** The body of a list, which may have any length. */
const streamedBytes = 5_000_000;
const longestMs = 60_000;

export async function measureLargest(options: LargestOptions, signal: AbortSignal): Promise<void> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const stage = await openStage(['postgres'], false);
  const database = await stage.freshDatabase();
  const simulator = await startSimulator({ rate: null, speed: 600 });
  const env = {
    VOICE_BASE_URL: simulator.url,
    VOICE_API_KEYS: 'main=secret-of-main',
    DATABASE_URL: database.url,
    CARILLON_HOME: join(stage.folder, 'api'),
  };
  const app = await openApp(loadConfig(env), { log: createLog('silent') });
  const stations = app.stations({ dialer: app.dialer, campaignId: null, runId: null });
  const api = app.lifecycle.add(await startApi(app, { host: '127.0.0.1', port: 0, stations }));
  const took: Took[] = [];
  try {
    await fill(api.url, options.people);
    say(`${'milliseconds'.padEnd(64)}   bytes status  blocked answered`);
    for (const each of [...operations.flatMap(asksOf), ...hostile()]) {
      if (!each.name.includes(options.only)) continue;
      signal.throwIfAborted();
      const one = await ask(api.url, each);
      took.push(one);
      say(
        `${one.name.padEnd(64)}${String(one.bytes).padStart(8)} ${one.status} ${one.blockedMs.toFixed(1).padStart(10)}${one.answeredMs.toFixed(0).padStart(9)}`,
      );
    }
  } finally {
    await app.lifecycle.stop(longestMs);
    await simulator.close();
    await database.drop();
    await stage.close();
  }
  took.sort((a, b) => b.blockedMs - a.blockedMs);
  const path = join(results, 'largest.json');
  writeFileSync(path, `${JSON.stringify({ machine: describeMachine(), ...options, took }, null, 2)}\n`);
  say(`\nThe longest: ${took[0]?.name}, ${took[0]?.blockedMs.toFixed(0)} ms. Written to ${path}`);
}

async function fill(url: string, people: number): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'list', agent: 'agent_1' });
  await fetch(`${url}/api/campaigns`, { method: 'POST', headers: json, body });
  const rows = Array.from({ length: people }, (_, k) => `+1415${5_550_000 + k},Person ${k}\n`);
  await fetch(`${url}/api/campaigns/list/recipients`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: `phone,name\n${rows.join('')}`,
  });
}

/** Measures the block of the serving process, in which the request is also prepared and read. */
async function ask(url: string, { name, method, path, type, body }: Ask): Promise<Took> {
  const bytes = body === undefined ? path.length : Buffer.byteLength(body);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // Its first samples measure nothing.
  await sleep(20);
  const begun = performance.now();
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(longestMs),
    headers: type === undefined ? {} : { 'content-type': type },
    ...(body === undefined ? {} : { body }),
  });
  // Streams of events do not end.
  if (path.startsWith('/api/events')) await response.body?.cancel();
  else await response.arrayBuffer();
  const answeredMs = performance.now() - begun;
  await sleep(20);
  delay.disable();
  return { name, bytes, status: response.status, blockedMs: delay.max / 1e6, answeredMs };
}

function asksOf({ method, path, facts }: Operation): Ask[] {
  const address = path.replace(/\{\w+\}/g, 'list');
  const plain: Ask = { name: `${method} ${path}`, method, path: address };
  const queries = (facts.parameters ?? [])
    .filter((each: Json) => each.in === 'query')
    .flatMap(({ name, schema }: Json) => partsOf(schema, [name]))
    .map((part: Part) => ({
      ...plain,
      name: `${plain.name} ?${part.steps}`,
      path: `${address}?${queryOf(part)}`,
    }));
  const content = Object.entries<Json>(facts.requestBody?.content ?? {});
  const bodies = content.flatMap(([type, { schema, example }]) => {
    const isStreamed = /imports|recipients$|suppressions\/import/.test(path);
    if (isStreamed) return [{ ...plain, name: `${plain.name} ${type}`, type, body: longList(type, example) }];
    return partsOf(schema).map((part) => {
      const body = largest((n) => JSON.stringify(withPart(example, part, n)), mostOf(part));
      return { ...plain, name: `${plain.name} ${part.kind} ${part.steps.join('.')}`, type, body };
    });
  });
  if (method === 'GET' || method === 'DELETE') return [...(bodies.length > 0 ? bodies : [plain]), ...queries];
  return bodies.length > 0 ? bodies : [{ ...plain }];
}

/** Requests that cost much for what they say, not for their length. */
function hostile(): Ask[] {
  const type = 'application/json';
  const post = (name: string, path: string, body: unknown): Ask => ({
    name: `POST ${path} ${name}`,
    method: 'POST',
    path,
    type,
    body: JSON.stringify(body),
  });
  const many = <T>(n: number, make: (k: number) => T) => Array.from({ length: n }, (_, k) => make(k));
  const national = (k: number) => `20712345${String(k).padStart(2, '0')}`;
  const odd = (k: number) => `+49 (0) 30 ${1_000_000 + k}`;
  const dates = (n: number) =>
    many(n, (k) => new Date(Date.now() + k * 86_400_000).toISOString().slice(0, 10));
  const hours = ['us-telemarketing', 'ca-telemarketing'];
  const [tollFree, days] = ['+18005550123', 14];
  const minutes = many(100, (k) => `${Math.floor(k / 6)}:${k % 6}0-${Math.floor(k / 6)}:${k % 6}5`);
  const halves = minutes
    .join('+')
    .slice(0, 995)
    .replace(/\+[^+]*$/, '');
  const same = many(250, () => '0-1').join('+');
  const week = (name: string, body: object) => post(name, '/api/week', { days, ...body });
  return [
    week('a toll-free number, both packs', { phone: tollFree, policy: { hours } }),
    week('a toll-free number, a hundred spans', { phone: tollFree, order: { window: halves } }),
    week('a toll-free number, the same span again', { phone: tollFree, order: { window: same } }),
    week('a hundred spans, a pack', { state: 'TX', order: { window: halves }, policy: { hours } }),
    week('a hundred spans', { timezone: 'America/New_York', order: { window: halves } }),
    week('closed for a year', { phone: tollFree, policy: { hours, not_on: dates(399) } }),
    week('two zones that share no hour', { phone: tollFree, order: { window: '9-10', not_on: dates(400) } }),
    post('200 packs', '/api/policy/check', { hours: many(200, (k) => hours[k % 2]) }),
    post('in national form', '/api/suppressions', {
      country: 'DE',
      phones: many(10_000, (k) => `030 ${10_000_000 + k}`),
    }),
    post('in odd forms', '/api/suppressions', { phones: many(10_000, odd) }),
    post('in odd forms', '/api/bulk', { act: 'export', dry_run: true, filter: { phone: many(1_000, odd) } }),
    post('in every country', '/api/bulk', {
      act: 'export',
      dry_run: true,
      filter: { phone: many(5, national) },
    }),
    {
      name: 'GET /api/calls in every country',
      method: 'GET',
      path: `/api/calls?${many(5, (k) => `phone=${national(k)}`).join('&')}`,
    },
    { name: 'GET /api/find in every country', method: 'GET', path: `/api/find?q=${national(1)}` },
  ];
}

function queryOf(part: Part): string {
  const name = part.steps[0]!;
  const written = (n: number) =>
    [valueFor(part, n)]
      .flat()
      .map((each) => `${name}=${encodeURIComponent(String(each))}`)
      .join('&');
  return largest(written, Math.min(addressBytes, mostOf(part)), addressBytes);
}

/** As many entries or letters as the route allows. */
function mostOf({ kind, most }: Part): number {
  return most ?? (kind === 'text' ? bodyBytes : mostEntries);
}

/** The largest request of at most this length that fits. */
function largest(write: (n: number) => string, most: number, bytes = bodyBytes): string {
  let [fits, over] = [0, most + 1];
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (write(middle).length <= bytes) fits = middle;
    else over = middle;
  }
  return write(fits);
}

function longList(type: string, example: Json): string {
  const one = (k: number) => `+1415${5_550_000 + (k % 4_000_000)}`;
  const rows = <T>(write: (k: number) => T): T[] =>
    Array.from({ length: streamedBytes / 50 }, (_, k) => write(k));
  if (type.includes('csv')) return `phone,name\n${rows((k) => `${one(k)},Person ${k}\n`).join('')}`;
  if (type.includes('ndjson')) return rows((k) => `{"phone":"${one(k)}","name":"Person ${k}"}\n`).join('');
  if (type.includes('json')) return JSON.stringify(rows((k) => ({ phone: one(k), name: `Person ${k}` })));
  return String(example);
}
