import { describe, expect } from 'vitest';
import { people, summaryOf } from '../support/carillon.ts';
import { creates, expectSound, until } from '../support/journeys.ts';
import { it } from './desk.ts';

/** Without credit: nobody is called twice, uncalled people keep their place, and waiting spends no attempt. */
describe.concurrent('a run whose credit ends', () => {
  const args = ['run', 'people.csv', '--agent', 'agent_1', '--json'];

  it('with --on-402 exit follows its calls, exits with 3, and finishes when it is started with credit', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100, credits: 25 });
    const env = { VOICE_RATE: '100' };
    desk.write('people.csv', people(60));
    const first = await desk.run([...args, '--on-402', 'exit'], env);
    expect(first.code, first.stderr).toBe(3);
    expect(summaryOf(first)).toMatchObject({
      rows: 60,
      done: 25,
      parked: 35,
      waiting: 0,
      queued: 0,
      calling: 0,
      unknown: 0,
      attempts: 25,
    });
    expect(desk.sim.state().created).toBe(25);
    expect(first.stderr).toMatch(
      /No credit: .*402.*\. 35 people are parked\. Top up, then: carillon run people\.csv --agent agent_1 --json --on-402 exit/,
    );
    const rows = desk.table('people.results.csv');
    expect(rows.filter((row) => row.state === 'done' && row.outcome)).toHaveLength(25);
    const parked = rows.filter((row) => row.state === 'parked');
    expect(parked).toHaveLength(35);
    expect(parked.every((row) => /credit/i.test(row.error!) && row.attempts === '0')).toBe(true);
    const keys = JSON.parse((await desk.type(['keys', '--json'], env)).stdout).items;
    expect(keys).toMatchObject([{ name: 'main', state: 'out_of_credit' }]);
    // Nobody can tell when it ends: neither its campaign, nor a list that is not in the ledger yet.
    const told = JSON.parse((await desk.type(['campaign', 'forecast', 'people', '--json'], env)).stdout);
    expect(told).toMatchObject({
      ends_at: { p50: null },
      limited_by: 'credit',
      reason: expect.stringMatching(/402/),
    });
    const dry = await desk.type(['run', 'people.csv', '--agent', 'a', '--name', 'next', '--dry-run'], env);
    expect(dry.stdout).toMatch(/Forecast: the end cannot be forecast: no key has credit \(.*402/);

    // Still without credit: one probe, and everybody keeps their place.
    const before = creates(desk).length;
    const second = await desk.type([...args, '--on-402', 'exit'], env);
    expect(second.code, second.stderr).toBe(3);
    expect(summaryOf(second)).toMatchObject({ done: 25, parked: 35, attempts: 25 });
    expect(creates(desk).length - before).toBe(1);

    desk.sim.control({ addCredits: 100 });
    const third = await desk.type([...args, '--on-402', 'exit'], env);
    expect(third.code, third.stderr).toBe(0);
    expect(summaryOf(third)).toMatchObject({ rows: 60, done: 60, parked: 0, attempts: 60 });
    expect(third.stderr).not.toMatch(/No credit:/);
    expect(desk.sim.state().created).toBe(60);
    await expectSound(desk);
  });

  it('waits by itself with single probes at growing gaps, spends no attempt, and continues after the top-up', async ({
    openDesk,
  }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100, credits: 10, shares: { answered: 1 } });
    desk.write('people.csv', people(40));
    const run = desk.start(args, { VOICE_RATE: '100' });
    const refusals = () => creates(desk).filter((entry) => entry.answer === 402);
    await until(() => refusals().length > 0, 'a 402');
    const since = refusals()[0]!.mono;
    // Requests on their way at the first 402 are refused too; on a busy machine some are seconds late.
    const probes = () => creates(desk).filter((entry) => entry.mono > since + 4_500);
    await until(() => probes().length > 0, 'a probe');
    await run.prints(/no credit on main; next probe [^;]+; the rest costs about \d/);
    expect(desk.sim.state().created).toBe(10);
    desk.sim.control({ credits: 1_000 });
    const ended = await run.ended;
    // The gaps are 5 s, 10 s and so on, with nothing else before a probe is accepted. On a slow machine the top-up may
    // come after the second probe.
    const sent = probes();
    const accepted = sent.findIndex((entry) => entry.answer === 201);
    expect(accepted).toBeGreaterThan(0);
    const times = [since, ...sent.slice(0, accepted + 1).map((entry) => entry.mono)];
    for (let i = 1; i < times.length; i++) {
      expect((times[i]! - times[i - 1]!) / 1_000).toBeGreaterThan(Math.min(60, 5 * 2 ** (i - 1)) * 0.9);
    }
    expect(sent.slice(accepted).every((entry) => entry.answer === 201)).toBe(true);
    expect(ended.code, ended.stderr).toBe(0);
    expect(summaryOf(ended)).toMatchObject({ rows: 40, done: 40, parked: 0, unknown: 0, attempts: 40 });
    expect(desk.sim.state().created).toBe(40);
    await expectSound(desk);
  });

  it('with --on-402 exit sends no probe while it follows its calls', async ({ openDesk }) => {
    // A call lasts longer than the gap before the first probe.
    const desk = await openDesk('postgres', {
      // No answer: about half a minute of ringing.
      speed: 4,
      rate: 100,
      credits: 3,
      shares: { 'no-answer': 1 },
    });
    desk.write('people.csv', people(12));
    const run = desk.start([...args, '--on-402', 'exit'], { VOICE_RATE: '100' });
    await until(() => creates(desk).some((entry) => entry.answer === 402), 'a 402');
    const first = creates(desk).find((entry) => entry.answer === 402)!.mono;
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(3);
    expect(summaryOf(ended)).toMatchObject({ done: 3, parked: 9, attempts: 3 });
    expect(creates(desk).filter((entry) => entry.mono > first + 4_500)).toEqual([]);
    expect(summaryOf(ended).seconds).toBeGreaterThan(5);
    await expectSound(desk);
  });

  it('on one of two keys continues with the other, and leaves nobody out', async ({ openDesk }) => {
    const desk = await openDesk('postgres', { speed: 600, rate: 100 });
    // Only this key's creates get the 402.
    desk.write('people.csv', people(30));
    desk.sim.control({ addFaults: [{ kind: 'error', status: 402, next: 1 }] });
    const ended = await desk.type([...args, '--on-402', 'exit'], {
      VOICE_RATE: '50',
      VOICE_API_KEYS: 'one=sk_one,two=sk_two',
    });
    const summary = summaryOf(ended);
    // The rows parked with the key without credit wait for a person: everybody else was called.
    expect(ended.code, ended.stderr).toBe(summary.parked > 0 ? 3 : 0);
    expect(summary.done + summary.parked).toBe(30);
    expect(summary.attempts).toBe(summary.done);
    const again = await desk.type(args, { VOICE_RATE: '50', VOICE_API_KEYS: 'one=sk_one,two=sk_two' });
    expect(again.code, again.stderr).toBe(0);
    expect(summaryOf(again)).toMatchObject({ done: 30, attempts: 30 });
    await expectSound(desk);
  });
});
