import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { startSimulator } from '../simulator/server.ts';
import type { SimulatorOptions } from '../simulator/settings.ts';
import { root } from './support/checkout.ts';
import { until } from './support/journeys.ts';
import { freePort } from './support/ports.ts';
import { freshDatabase } from './support/postgres.ts';
import { startAirtable } from './support/stand-ins/airtable.ts';
import { startHubspot } from './support/stand-ins/hubspot.ts';
import { startSalesforce } from './support/stand-ins/salesforce.ts';
import { startStandIn } from './support/stand-ins/service.ts';
import { missingOf, openTerminal, type Step, stepsOf, type Terminal } from './support/terminal.ts';

/**
 * Each recipe is typed as it stands, in a folder and with a ledger of its own, against a simulated service.
 *
 * Marks before a block:
 * `sim: {...}`      what the service is like: its options, and before a later block what changes
 * `test: stays`     the command does not end; the next one comes when it has printed what the page shows
 * `test: exit 3`    how it ends, if not with 0
 * `test: counts`    figures differ from run to run
 */
const folder = join(root, 'docs/recipes');
const recipes = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');

/** Times, ids, secrets, and how many requests it took. */
const varies = [
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z)?/g,
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g,
  /\bevt_[\da-f]+/g,
  /\d+ requests? of which \d+ polls?/,
  /, \d+ s$/,
];

/** Two at a time: they wait more than they work, and each starts processes of its own. */
const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
let next = 0;

it.concurrent.each(recipes)('%s does what it shows', async (name) => {
  const page = readFileSync(join(folder, name), 'utf8');
  if (page.includes('curl ') && !canUseCurl(name)) return;
  const lane = next++ % lanes.length;
  const played = lanes[lane]!.then(() => play(name, page));
  lanes[lane] = played.catch(() => undefined);
  await played;
});

it('there is something to run in each, and the index names them all', () => {
  expect(recipes).toHaveLength(16);
  const index = readFileSync(join(folder, 'README.md'), 'utf8');
  for (const name of recipes) {
    const page = readFileSync(join(folder, name), 'utf8');
    expect(index, name).toContain(`](${name})`);
    expect(stepsOf(page).flatMap(({ shown }) => shown).length, name).toBeGreaterThan(2);
    expect(page.split('\n').length, name).toBeLessThanOrEqual(61);
  }
});

type Neighbour = { env: Record<string, string>; close(): Promise<void> };
const phones = ['415-555-0101', '415-555-0102', '415-555-0103'];
/** What stands beside Carillon in a recipe, and the settings by which it is found: they take the place of the reader's. */
const neighbours: Record<string, () => Promise<Neighbour>> = {
  'hubspot.md': () =>
    startHubspot(phones.map((phone, id) => ({ id: `${id}`, properties: { phone, carillon_call: 'true' } }))),
  'salesforce.md': () =>
    startSalesforce(phones.map((Phone, id) => ({ Id: `003D00000000000${id}`, Name: 'Ann', Phone }))),
  'airtable.md': () =>
    startAirtable(phones.map((Phone, id) => ({ id: `rec${id}`, fields: { Phone, Call: true } }))),
  'n8n.md': () => startHook('N8N_HOOK'),
  'zapier.md': () => startHook('ZAPIER_HOOK'),
  'make.md': () => startHook('MAKE_HOOK'),
};

async function startHook(name: string): Promise<Neighbour> {
  const hook = await startStandIn(() => ({ status: 200, body: {} }));
  return { ...hook, env: { [name]: `${hook.url}/catch` } };
}

async function play(name: string, page: string): Promise<void> {
  const [port, hook] = [await freePort(), await freePort()];
  const steps = stepsOf(page.replaceAll('3000', String(port)).replaceAll('8080', String(hook)));
  const neighbour = await neighbours[name]?.();
  const database = await freshDatabase();
  const sim = await startSimulator({ speed: 1_000, rate: null, ...serviceOf(steps[0]!) });
  const terminal = openTerminal(
    { carillon: { skips: 0, runs: `'${process.execPath}' '${join(root, 'bin/carillon.js')}'` } },
    {
      TZ: 'UTC',
      DATABASE_URL: database.url,
      VOICE_BASE_URL: sim.url,
      VOICE_API_KEYS: 'main=secret',
      VOICE_RATE: '100',
      PORT: String(port),
      ...(neighbour && {
        ...neighbour.env,
        CARILLON_URL: `http://127.0.0.1:${port}`,
        WEBHOOK_ALLOW_PRIVATE: '1',
      }),
    },
  );
  try {
    for (const [at, step] of steps.entries()) {
      if (at > 0) sim.control(serviceOf(step));
      await take(step, terminal);
    }
    await expectSql(join(terminal.folder, 'march.sql'), database.url);
  } finally {
    await terminal.close();
    await sim.close();
    await database.drop();
    await neighbour?.close();
  }
}

/** What a command prints may be printed by one that stays, too: an event, a delivery. */
async function take(step: Step, terminal: Terminal): Promise<void> {
  const typed = terminal.type(step.commands);
  const watched = [...terminal.running];
  const output = () => watched.map((each) => each.output()).join('\n');
  const told = () => `${step.commands}\n${output()}`;
  const missing = () => missingOf(step, output(), isMarked(step, 'counts') ? [...varies, /\d+/g] : varies);
  if (!isMarked(step, 'stays')) {
    const [, code = '0'] = step.marks.join().match(/exit (\d+)/) ?? [];
    expect(await Promise.race([typed.ended, afterLongest()]), told()).toBe(Number(code));
  }
  const last = () => typed.child.exitCode !== null && watched.length === 1;
  await until(() => missing().length === 0 || last(), step.commands, 60_000).catch(() => undefined);
  expect(missing(), told()).toEqual([]);
}

/** A recipe may write SQL for a database of the reader's. It is taken, and taken again. */
async function expectSql(path: string, url: string): Promise<void> {
  if (!existsSync(path)) return;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let times = 0; times < 2; times++) await client.query(readFileSync(path, 'utf8'));
    const { rows } = await client.query('SELECT phone, outcome FROM calls');
    expect(rows).toEqual([{ phone: '+14155550123', outcome: 'answered' }]);
  } finally {
    await client.end();
  }
}

/** A command that hangs fails with what it printed, and is ended. */
const afterLongest = () =>
  new Promise<string>((resolve) => setTimeout(() => resolve('it did not end'), 180_000).unref());

const isMarked = (step: Step, word: string) =>
  step.marks.some((mark) => mark.startsWith('test: ') && mark.includes(word));

function serviceOf(step: Step): SimulatorOptions {
  const mark = step.marks.find((each) => each.startsWith('sim: '));
  return mark ? JSON.parse(mark.slice('sim: '.length)) : {};
}

/** Skipped tests are printed; with CI_REQUIRE_ALL=1 that is a failure. */
function canUseCurl(what: string): boolean {
  if (spawnSync('curl', ['--version']).status === 0) return true;
  const line = `${what}: curl is not on the PATH; install it (apt-get install curl, brew install curl)`;
  if (process.env.CI_REQUIRE_ALL === '1') throw new Error(line);
  console.warn(`SKIPPED ${line}`);
  return false;
}
