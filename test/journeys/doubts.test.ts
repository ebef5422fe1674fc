import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { FaultRule } from '../../simulator/faults.ts';
import { type Desk, people, summaryOf } from '../support/carillon.ts';
import { ask, asked, creates, expectRefused, expectSound, until } from '../support/journeys.ts';
import { startProxy } from '../support/proxy.ts';
import { it } from './desk.ts';

/** Creates that may have called without a readable answer: shown, never sent again, resolved by a person. */
const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];
const env = { VOICE_RATE: '100', VOICE_TIMEOUT_MS: '8000' };

/** Each fault strikes one phone, so that a second create to it would be seen. */
const doubts: Record<string, FaultRule> = {
  'a 500 after the call was made': { kind: 'error', when: 'after' },
  'a 500 before': { kind: 'error', when: 'before' },
  'a 503 after the call was made': { kind: 'error', status: 503, when: 'after' },
  'a 408': { kind: 'error', status: 408, when: 'after' },
  'a reset after the call was made': { kind: 'reset', when: 'after' },
  'a reset before': { kind: 'reset', when: 'before' },
  'an answer that never comes': { kind: 'hang', when: 'after' },
  'an answer that comes after VOICE_TIMEOUT_MS': { kind: 'hang', when: 'after', ms: 20_000 },
  'a page of HTML': { kind: 'html', when: 'after' },
  'broken JSON': { kind: 'broken-json' },
  'a redirect': { kind: 'redirect', when: 'after' },
};

type UnknownLine = {
  attempt: string;
  phone: string;
  reason: string;
  detail: string;
  why: string;
  call_id: string | null;
};
async function unknowns(desk: Desk): Promise<UnknownLine[]> {
  const listed = await desk.type(['unknown', 'list', '--campaign', 'people', '--json'], env);
  expect(listed.code, listed.stderr).toBe(0);
  return JSON.parse(listed.stdout).items;
}

describe.concurrent('a create that may have called', () => {
  it('is unknown in every case, ends the run with 3, and is not sent again until a person resolves it', async ({
    openDesk,
  }) => {
    const names = Object.keys(doubts);
    const faults = names.map((name, i) => ({ ...doubts[name]!, phone: `${5_550_010 + 2 * i}` }));
    const desk = await openDesk('postgres', { speed: 600, rate: 100, faults });
    // Ordinary people are in between: this many faults in a row would be an outage.
    const done = 10 + names.length;
    desk.write('people.csv', people(done + names.length));
    const first = await desk.run(args, env);
    expect(first.code, first.stderr).toBe(3);
    expect(summaryOf(first)).toMatchObject({
      rows: done + names.length,
      done,
      unknown: names.length,
      attempts: done + names.length,
      waiting: 0,
    });
    expect(first.stderr).toMatch(
      new RegExp(`${names.length} unknown: .*carillon unknown list --campaign people`),
    );
    const rows = desk.table('people.results.csv').filter((_, i) => i >= 10 && i % 2 === 0);
    for (const [i, row] of rows.entries()) {
      expect(row.state, names[i]).toBe('unknown');
      expect(row.error, names[i]).not.toBe('');
      expect(row.attempts, names[i]).toBe('1');
    }
    const listed = await unknowns(desk);
    expect(listed).toHaveLength(names.length);
    expect(listed.every((each) => each.reason === 'lost' && each.detail)).toBe(true);

    // Run again: nobody is posted a second time.
    const second = await desk.run(args, env);
    expect(second.code, second.stderr).toBe(3);
    expect(summaryOf(second)).toMatchObject({ done, unknown: names.length });
    for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);

    // A person may resolve it only when the request can no longer be on its way.
    const free = listed.find((each) => each.phone === '+14155550012')!;
    const resolve = (id: string, ...more: string[]) =>
      desk.type(['unknown', 'resolve', id, ...more, '--json'], env);
    expectRefused(await resolve(free.attempt, '--as', 'not-called'), /may still be on its way.*Try again in/);
    await ask(
      desk,
      `update carillon.attempts set expires_at = expires_at - interval '4 minutes' where state = 'unknown'`,
    );
    const freed = await resolve(free.attempt, '--as', 'not-called');
    expect(JSON.parse(freed.stdout), freed.stderr).toMatchObject({ recipient_state: 'waiting' });
    expectRefused(await resolve(free.attempt, '--as', 'not-called'), /is not unknown/);

    // Resolved as called, with and without the id that the person found.
    const called = listed.find((each) => each.phone === '+14155550010')!;
    const call = [...desk.sim.journal({ method: 'POST' })].find(
      (entry) => entry.phone === called.phone && entry.call,
    )!.call!;
    const placed = await resolve(called.attempt, '--as', 'called', '--call-id', call);
    expect(JSON.parse(placed.stdout), placed.stderr).toMatchObject({
      recipient_state: 'done',
      call_id: call,
    });
    const others = listed.filter((each) => each !== called && each !== free);
    const settled = await Promise.all(others.map((each) => resolve(each.attempt, '--as', 'called')));
    for (const each of settled) expect(each.code, each.stderr).toBe(0);
    // The faults are gone: only people who were not called are called now, and the run ends.
    desk.sim.control({ faults: [] });
    const third = await desk.run(args, env);
    expect(third.code, third.stderr).toBe(0);
    expect(summaryOf(third)).toMatchObject({ done: done + names.length, unknown: 0 });
    for (const [phone, times] of asked(desk)) expect(times, phone).toBe(phone === free.phone ? 2 : 1);
    await expectSound(desk);
  });

  it('leaves nobody unknown where the service holds an idempotency key, after a SIGKILL too, and makes one call', async ({
    openDesk,
  }) => {
    const names = Object.keys(doubts);
    const faults = names.map((name, i) => ({ ...doubts[name]!, next: 1, phone: `${5_550_010 + 2 * i}` }));
    const desk = await openDesk('postgres', { speed: 600, rate: 100, faults, idempotencyMs: 86_400_000 });
    desk.write('profile.json', '{"idempotency": {"header": "Idempotency-Key", "holdsSeconds": 86400}}');
    const own = { ...env, VOICE_TIMEOUT_MS: '3000', VOICE_PROFILE: join(desk.folder, 'profile.json') };
    const done = 20 + names.length;
    desk.write('people.csv', people(done));
    // It is killed while two creates that were carried out have no answer.
    desk.sim.control({
      addFaults: [{ kind: 'hang', when: 'after', ms: 30_000, phone: '5550001', next: 1 }],
    });
    const killed = desk.start(args, own);
    await until(() => creates(desk).some(({ phone }) => phone === '+14155550001'), 'a create', 60_000);
    killed.child.kill('SIGKILL');
    await killed.ended;
    let ended = await desk.run(args, own);
    // A call that was found as the run ended is followed by the next.
    if (ended.stderr.includes('found as the run ended')) ended = await desk.run(args, own);
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: done, done, unknown: 0, attempts: done });
    const calls = [...desk.sim.calls()].map(({ phone }) => phone);
    expect(calls.sort()).toEqual([...new Set(calls)]);
    expect(calls).toHaveLength(done);
    // Nobody's words are left.
    expect(await ask(desk, 'select from carillon.attempts where sent is not null')).toEqual([]);
    await expectSound(desk);
  });

  it('is unknown too when it is answered 200 without an id', async ({ openDesk }) => {
    const desk = await openDesk('postgres');
    let posts = 0;
    const service = createServer((request, response) => {
      if (request.method === 'POST') posts += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(request.method === 'POST' ? '{"status":"queued","message":"accepted"}' : '[]');
    }).listen(0, '127.0.0.1');
    await once(service, 'listening');
    const own = { ...env, VOICE_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1` };
    try {
      desk.write('people.csv', people(3));
      for (const _ of [1, 2]) {
        const ended = await desk.run(args, own);
        expect(ended.code, ended.stderr).toBe(3);
        expect(summaryOf(ended)).toMatchObject({ rows: 3, unknown: 3, attempts: 3 });
        expect(posts).toBe(3);
      }
    } finally {
      service.closeAllConnections();
      service.close();
    }
  });
});

describe.concurrent('a create that surely did not call', () => {
  it('according to createdNothing in the profile is tried again and costs no attempt', async ({
    openDesk,
  }) => {
    const faults: FaultRule[] = [{ kind: 'error', status: 503, when: 'before', at: [3, 4, 7] }];
    const desk = await openDesk('postgres', { speed: 600, rate: 100, faults });
    desk.write('people.csv', people(15));
    desk.write('profile.json', '{"createdNothing":[503]}');
    const ended = await desk.run(args, { ...env, VOICE_PROFILE: 'profile.json' });
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 15, done: 15, unknown: 0, attempts: 15 });
    expect(creates(desk).filter((entry) => entry.answer === 503)).toHaveLength(3);
    await expectSound(desk);
  });

  it('because nothing listened waits and continues when the service is back', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 30 });
    const proxy = await startProxy(desk.sim.port);
    try {
      desk.write('people.csv', people(100));
      const run = desk.start(args, {
        VOICE_RATE: '15',
        LOG_LEVEL: 'warn',
        VOICE_BASE_URL: `http://127.0.0.1:${proxy.port}/v1`,
      });
      await until(() => desk.sim.state().created >= 20, '20 calls');
      await proxy.cut();
      // A cut that takes more than a few creates at once is an outage: then only a probe asks.
      await run.prints(/the service cannot be reached: the lane rests|the service is failing: the key stops/);
      await proxy.restore();
      const ended = await run.ended;
      const summary = summaryOf(ended);
      // Only creates between request and answer at the cut are unknown: less than a second's worth.
      expect(summary.unknown).toBeLessThan(15);
      expect(summary.done).toBe(100 - summary.unknown);
      expect(ended.code, ended.stderr).toBe(summary.unknown > 0 ? 3 : 0);
      for (const [phone, times] of asked(desk)) expect(times, phone).toBe(1);
      await expectSound(desk);
    } finally {
      await proxy.close();
    }
  });
});

describe.concurrent('a call that was placed', () => {
  it('is followed through polls that fail in every way', async ({ openDesk }) => {
    const on = 'get';
    const faults: FaultRule[] = [
      { kind: 'error', on, at: [1, 2] },
      { kind: 'html', on, at: [2] },
      { kind: 'error', status: 404, on, at: [3] },
      { kind: 'broken-json', on, at: [4] },
      { kind: 'reset', on, at: [5] },
      { kind: 'redirect', on, at: [6] },
      { kind: 'hang', on, at: [7] },
    ];
    const desk = await openDesk('postgres', { speed: 600, rate: 100, faults });
    desk.write('people.csv', people(12));
    const ended = await desk.run(args, env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 12, done: 12, unknown: 0, attempts: 12 });
    const struck = desk.sim.state().faults.reduce((sum, fault) => sum + fault.struck, 0);
    expect(struck).toBeGreaterThanOrEqual(6);
    await expectSound(desk);
  });

  it('and never ends is shown as stale after VOICE_CALL_DEADLINE_MS and no longer polled', async ({
    openDesk,
  }) => {
    const faults: FaultRule[] = [{ kind: 'endless', phone: '5550001' }];
    const desk = await openDesk('postgres', { speed: 600, rate: 100, faults });
    const own = { ...env, VOICE_CALL_DEADLINE_MS: '20000' };
    desk.write('people.csv', people(3));
    const ended = await desk.run(args, own);
    expect(ended.code, ended.stderr).toBe(3);
    expect(summaryOf(ended)).toMatchObject({ done: 2, unknown: 1, attempts: 3 });
    expect(ended.stderr).toContain(
      '1 unknown: this call was placed, but its end was never reported. It will not be retried. Review: carillon unknown list --campaign people',
    );
    expect(ended.stderr).not.toMatch(/could not confirm/i);
    const [line] = await unknowns(desk);
    expect(line!.why).toBe('The call was placed, and the service never reported its end.');
    const shown = await desk.type(['campaign', 'show', 'people']);
    expect(shown.stdout).toContain(
      'this call was placed, but its end was never reported. Review: carillon unknown',
    );
    const call = await desk.type(['call', 'show', line!.attempt]);
    expect(call.stdout).toContain(`Call ${line!.call_id} was placed, but its end was never reported`);
    expect(line).toMatchObject({ reason: 'stale', phone: '+14155550001' });
    expect(line!.call_id).toBeTruthy();
    expect(line!.detail).toMatch(/did not end within its deadline/);
    const requests = desk.sim.state().requests;
    const again = await desk.run(args, own);
    expect(again.code, again.stderr).toBe(3);
    // Only the check of the key.
    expect(desk.sim.state().requests - requests).toBe(1);
    const resolved = await desk.type(['unknown', 'resolve', line!.attempt, '--as', 'called']);
    expect(resolved.code, resolved.stderr).toBe(0);
    const last = await desk.run(args, own);
    expect(last.code, last.stderr).toBe(0);
    await expectSound(desk);
  });

  it('has a transcript in the results even if it comes after the end', async ({ openDesk }) => {
    // Three seconds of wall-clock time.
    const faults: FaultRule[] = [{ kind: 'late-transcript', ms: 5_400_000 }];
    const desk = await openDesk('postgres', { speed: 600, rate: 100, faults, shares: { answered: 1 } });
    desk.write('people.csv', people(6));
    const ended = await desk.run(args, env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ done: 6, outcomes: { answered: 6 } });
    for (const row of desk.table('people.results.csv')) expect(row.transcript, row.phone).not.toBe('');
  });
});
