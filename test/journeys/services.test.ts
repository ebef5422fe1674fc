import { describe, expect, it } from 'vitest';
import { type ServiceName, serviceNames } from '../../simulator/settings.ts';
import { openDesk, people, summaryOf } from '../support/carillon.ts';
import { ask, until } from '../support/journeys.ts';

/**
 * A whole campaign at each service: room for ten calls, creates that are cut off after the call was made and before, and a
 * time without credit. Everyone is dialled once, and every result is the service's truth.
 */
type Seen = { id: string; phone: string; stamp: string | null; status: string; rang: boolean };

/** More with SERVICE_PEOPLE: the proof that a release asks for. */
const count = Number(process.env.SERVICE_PEOPLE ?? 60);
const others = serviceNames.filter((name) => name !== 'standard');

/** What stands on the simulated record, in our words. */
const outcomeOf: Record<string, string> = {
  completed: 'answered',
  voicemail: 'voicemail',
  'no-answer': 'no-answer',
  busy: 'busy',
  failed: 'failed',
  canceled: 'canceled',
};
/** Services whose records do not tell these apart. */
const blurred: Partial<Record<ServiceName, Record<string, string>>> = {
  elevenlabs: { busy: 'no-answer', failed: 'no-answer' },
  ultravox: { busy: 'no-answer', failed: 'no-answer' },
};

describe.concurrent('a campaign at a service', () => {
  it.each(others)('%s: everyone is dialled once, whatever the service refuses or loses', async (service) => {
    const desk = await openDesk('postgres', {
      service,
      speed: 200,
      rate: 100,
      concurrency: 10,
      credits: Math.floor(count / 2),
      seed: 7,
      shares: { answered: 0.35, 'no-answer': 0.35, voicemail: 0.2, busy: 0.1 },
      faults: [
        { kind: 'reset', on: 'create', when: 'after', probability: 0.1 },
        { kind: 'reset', on: 'create', when: 'before', probability: 0.03 },
      ],
    });
    const env = { VOICE_SERVICE: service, VOICE_RATE: '50', VOICE_TIMEOUT_MS: '3000' };
    const calls = async (): Promise<Seen[]> => (await fetch(`${desk.sim.origin}/_sim/calls`)).json() as never;
    const rang = async () => (await calls()).filter((call) => call.rang);
    try {
      desk.write('people.csv', people(count));
      const args = ['run', 'people.csv', '--agent', 'agent-1', '--from', '+14155550100', '--json', '--yes'];
      const run = desk.start(args, env);
      const isBroke = async () =>
        (await ask<{ state: string }>(desk, 'select state from carillon.lanes')).some(
          ({ state }) => state === 'out_of_credit',
        );
      const hasCredit = service === 'ultravox';
      if (!hasCredit) await Promise.race([until(isBroke, 'the credit is used up'), run.ended]);
      desk.sim.control({ credits: null });
      // A call that nobody can find leaves with 3 when everyone else is done.
      const ended = await run.ended;
      const summary = summaryOf(ended);
      expect(summary.rows, ended.stderr).toBe(count);
      expect(summary.done + summary.unknown, ended.stderr).toBe(count);
      const truth = await calls();
      const phones = new Map<string, Seen>();
      for (const call of await rang()) {
        expect(phones.has(call.phone), `${call.phone} was dialled twice`).toBe(false);
        phones.set(call.phone, call);
      }
      const rows = desk.table('people.results.csv');
      for (const row of rows) {
        const call = phones.get(row.phone!);
        if (row.state === 'unknown') {
          expect(call, `${row.phone} was dialled, and is unknown: ${row.error}`).toBeUndefined();
          continue;
        }
        expect(call, `${row.phone} is done, and was not dialled`).toBeDefined();
        const told = outcomeOf[call!.status] ?? call!.status;
        const known = blurred[service]?.[told] ?? told;
        expect(`${row.phone} ${row.outcome}`).toBe(`${row.phone} ${known}`);
        expect(row.attempts, row.phone).toBe('1');
        expect(row.call_id).toBe(call!.id);
      }
      // No attempt was spent on calls that dialled nobody.
      expect(truth.length).toBeGreaterThanOrEqual(phones.size);
      const audit = await desk.run(['audit', '--json'], env);
      expect(audit.code, audit.stdout + audit.stderr).toBe(0);
    } finally {
      await desk.close();
    }
  });
});
