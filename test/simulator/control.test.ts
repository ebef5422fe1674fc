import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createJournal, type JournalEntry } from '../../simulator/journal.ts';
import { createTally } from '../../simulator/keys.ts';
import { startSimulator } from '../../simulator/server.ts';
import { type Client, createHandClock, openSimulator } from './support.ts';

let sim: Client;

beforeEach(async () => {
  sim = await openSimulator();
});

const readJournal = async (query = ''): Promise<JournalEntry[]> => {
  const { text } = await sim.ask('GET', `/_sim/journal${query}`, undefined, {});
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
};

describe('the journal', () => {
  test('holds every request with its answer, phone and call, and no secret', async () => {
    const created = await sim.call('+14155550101');
    await sim.look(created.json.id);
    await sim.call('+1');
    await sim.ask('GET', '/phone-number?limit=3', undefined, {});
    const entries = await readJournal();
    expect(entries).toMatchObject([
      { seq: 0, method: 'POST', path: '/v1/call', key: 0, answer: 201, call: created.json.id },
      {
        seq: 1,
        method: 'GET',
        path: `/v1/call/${created.json.id}`,
        key: 0,
        answer: 200,
        phone: '+14155550101',
      },
      { seq: 2, answer: 422, phone: '+1', call: null },
      { seq: 3, path: '/v1/phone-number?limit=3', key: null, answer: 401 },
    ]);
    expect(JSON.stringify(entries)).not.toContain('secret');
    expect([...sim.journal()]).toEqual(entries);
  });

  test('holds the body of a create that carries variables or an override, and of no other', async () => {
    await sim.call('+14155550101');
    await sim.call('+14155550102', { agent_overrides: { variables: { plan: 'gold', level: 3 } } });
    await sim.call('+14155550103', { customer: { phone_number: '+14155550103', data: { vip: true } } });
    const other = await openSimulator({ customer: { variables: 'data' } });
    await other.call('+14155550104', { customer: { phone_number: '+14155550104', data: { vip: true } } });
    const bodies = [...sim.journal(), ...other.journal()].map(({ body }) => body);
    await other.close();
    expect(bodies).toMatchObject([
      null,
      { agent_overrides: { variables: { plan: 'gold', level: 3 } } },
      null,
      { customer: { phone_number: '+14155550104', data: { vip: true } } },
    ]);
  });

  test('is read in part: by method, by path, by number and by time', async () => {
    const { json } = await sim.call('+14155550101');
    await sim.look(json.id);
    await sim.ask('GET', '/phone-number');
    expect(await readJournal('?method=GET')).toHaveLength(2);
    expect(await readJournal('?method=GET&path=/v1/call/')).toHaveLength(1);
    expect(await readJournal('?after=1')).toMatchObject([{ seq: 2 }]);
    expect(await readJournal(`?since=${Date.now() + 1000}`)).toEqual([]);
    expect((await sim.ask('GET', '/_sim/journal?since=today')).status).toBe(422);
  });

  test('drops the oldest entries beyond its limit and keeps counting', () => {
    const journal = createJournal(8192);
    for (let i = 0; i < 30_000; i++) {
      const seq = journal.arrive(i, i, 'GET', '/v1/phone-number');
      journal.answer(seq, 200);
    }
    const entries = [...journal.entries()];
    expect(entries.length).toBeGreaterThanOrEqual(8192);
    expect(entries.length).toBeLessThanOrEqual(2 * 8192);
    expect(entries.at(-1)).toMatchObject({ seq: 29_999, at: 29_999, answer: 200 });
    expect(entries).toHaveLength(journal.size());
    journal.note(3, { phone: '+14155550101' });
    journal.answer(3, 'reset');
  });

  test('streams more than one portion to a slow reader', async () => {
    for (let i = 0; i < 1200; i++) await sim.ask('GET', '/phone-number?limit=1');
    expect(await readJournal()).toHaveLength(1200);
  });

  test('is also appended to a file, across starts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'carillon-sim-'));
    const journalFile = join(folder, 'journal.ndjson');
    for (let start = 0; start < 2; start++) {
      const other = await openSimulator({ journalFile });
      await other.call('+14155550101');
      await other.close();
    }
    const lines = (await readFile(journalFile, 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).answer)).toEqual([201, 201]);
    await rm(folder, { recursive: true });
    await expect(openSimulator({ journalFile: join(folder, 'gone', 'x') })).rejects.toMatchObject({
      code: 'file-unwritable',
      message: expect.stringMatching(/gone\/x cannot be written: its folder does not exist$/),
    });
  });
});

describe('the state', () => {
  test('counts calls, phones, duplicates and answers', async () => {
    // All within one second, and before any call ends.
    const sim = await openSimulator({}, createHandClock());
    for (const phone of ['01', '02', '01', '01']) await sim.call(`+141555501${phone}`);
    const { json } = await sim.ask('GET', '/_sim/state', undefined, {});
    expect(json).toMatchObject({
      requests: 4,
      created: 4,
      distinctPhones: 2,
      duplicates: 2,
      inFlight: 4,
      peakInFlight: 4,
      answers: { 201: 4 },
      keys: [{ key: 0, requests: 4, peakPerSecond: 4, revoked: false }],
    });
    expect(json).toEqual(JSON.parse(JSON.stringify(sim.state())));
  });

  test('shows the most requests within any one second', () => {
    const tally = createTally();
    for (let i = 0; i < 20_000; i++) tally.arrive(0, i * 10);
    for (let i = 0; i < 30; i++) tally.arrive(1, 500 + i * 100);
    expect(tally.keys()).toEqual([
      { key: 0, requests: 20_000, peakPerSecond: 100 },
      { key: 1, requests: 30, peakPerSecond: 10 },
    ]);
  });
});

describe('control', () => {
  test('changes the named settings over HTTP and returns the new state', async () => {
    const change = {
      rate: 5,
      limiter: 'sliding',
      windowMs: 60_000,
      credits: 3,
      speed: 10,
      latencyMs: [0, 1],
    };
    const { status, json } = await sim.ask('POST', '/_sim/control', change, {});
    expect(status).toBe(200);
    expect(json).toMatchObject({
      credits: 3,
      settings: { rate: 5, limiter: 'sliding', windowMs: 60_000, speed: 10, latencyMs: [0, 1] },
    });
  });

  test.each([
    [{ rate: -1 }, 'rate is not'],
    [{ port: 4 }, 'options do not include port'],
    [{ faults: [{ kind: 'error', next: -1 }] }, 'faults[0].next is wrong'],
    [{ speed: 2, revokeKeys: [9] }, 'revokeKeys names an unknown key'],
    ['not json', 'the options are not an object'],
  ])('refuses %j in one line and changes nothing', async (change, words) => {
    const before = sim.state();
    const { status, json } = await sim.ask('POST', '/_sim/control', change, {});
    expect(status).toBe(422);
    expect(json.error).toContain(words);
    expect(sim.state()).toEqual(before);
  });

  test('needs no key, leaves no journal entry and uses up no limit', async () => {
    sim.control({ rate: 1, burst: 1 });
    for (let i = 0; i < 5; i++) expect((await sim.ask('GET', '/_sim/state', undefined, {})).status).toBe(200);
    expect(sim.state().requests).toBe(0);
    expect((await sim.ask('GET', '/phone-number')).status).toBe(200);
    expect((await sim.ask('GET', '/_sim/nothing')).status).toBe(404);
  });

  test('starts over on reset, with the options it started with', async () => {
    const other = await openSimulator({ credits: 5 });
    const { json } = await other.call('+14155550101');
    other.control({ credits: 0, faults: [{ kind: 'error' }], revokeKeys: [0] });
    expect((await other.ask('POST', '/_sim/reset', {}, {})).json).toMatchObject({ requests: 0, credits: 5 });
    expect([...other.journal()]).toEqual([]);
    expect((await other.look(json.id)).status).toBe(404);
    expect((await other.call('+14155550101')).status).toBe(201);
  });
});

test('a port in use is reported in one line', async () => {
  await expect(startSimulator({ port: sim.port })).rejects.toThrow(
    `simulator: port ${sim.port} on 127.0.0.1 is in use`,
  );
});

test('closing ends open connections at once, hanging ones too, and may be done twice', async () => {
  sim.control({ faults: [{ kind: 'hang' }] });
  const hanging = sim.call('+14155550101').catch((error: unknown) => error);
  await expect.poll(() => sim.state().created).toBe(1);
  // A hanging request never ends by itself.
  await Promise.all([sim.close(), sim.close()]);
  expect(await hanging).toBeInstanceOf(Error);
});
