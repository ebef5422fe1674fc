import { describe, expect } from 'vitest';
import { type ServiceName, serviceNames } from '../../simulator/settings.ts';
import { people, summaryOf } from '../support/carillon.ts';
import { agentOf, caller, profileOf } from '../support/dialects.ts';
import { ask, until } from '../support/journeys.ts';
import { it } from './desk.ts';

/**
 * A whole campaign at each service: room for ten calls, creates that are cut off after the call was made and before, and a
 * time without credit. Everyone is dialled once, and every result is the service's truth.
 */
type Seen = { id: string; phone: string; stamp: string | null; status: string; rang: boolean };

/** With SERVICE_PEOPLE, so many at every service: the proof that a release asks for. */
const asked = process.env.SERVICE_PEOPLE;
const count = Number(asked ?? 30);
const others: ServiceName[] = asked ? serviceNames.filter((name) => name !== 'standard') : ['vapi', 'retell'];

/** The simulator's words for an end, in ours. */
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
  ultravox: { busy: 'no-answer', failed: 'no-answer', voicemail: 'answered' },
};

describe('a campaign at a service', () => {
  it.for(others)(
    '%s: everyone is dialled once, whatever the service refuses or loses',
    async (service, { openDesk }) => {
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
      const env = {
        VOICE_SERVICE: service,
        VOICE_PROFILE: 'profile.json',
        VOICE_RATE: '50',
        VOICE_TIMEOUT_MS: '3000',
      };
      const calls = async (): Promise<Seen[]> =>
        (await (await fetch(`${desk.sim.origin}/_sim/calls`)).json()) as Seen[];
      desk.write('profile.json', JSON.stringify(profileOf(service)));
      desk.write('people.csv', people(count));
      const args = ['run', 'people.csv', '--agent', agentOf(service), '--from', caller, '--json', '--yes'];
      const run = desk.start(args, env);
      const isBroke = async () =>
        (await ask<{ state: string }>(desk, 'select state from carillon.lanes')).some(
          ({ state }) => state === 'out_of_credit',
        );
      let isOver = false;
      void run.ended.then(() => {
        isOver = true;
      });
      // One of them has no sign for missing credit.
      if (service !== 'ultravox') await until(async () => isOver || isBroke(), 'the credit is used up');
      desk.sim.control({ credits: null });
      // People whose calls were never made stay unknown, and then the run exits with 3.
      let ended = await run.ended;
      // A call that was found as the run ended is followed by the next.
      if (ended.stderr.includes('found as the run ended')) ended = await desk.run(args, env);
      const summary = summaryOf(ended);
      expect(
        { rows: summary.rows, settled: summary.done + summary.unknown },
        ended.stdout + ended.stderr,
      ).toEqual({
        rows: count,
        settled: count,
      });
      const phones = new Map<string, Seen>();
      for (const call of (await calls()).filter(({ rang }) => rang)) {
        expect(phones.has(call.phone), `${call.phone} was dialled twice`).toBe(false);
        phones.set(call.phone, call);
      }
      for (const row of desk.table('people.results.csv')) {
        const call = phones.get(row.phone!);
        if (row.state === 'unknown') {
          expect(call, `${row.phone} was dialled, and is unknown: ${row.error}`).toBeUndefined();
          continue;
        }
        expect(call, `${row.phone} is done, and was not dialled`).toBeDefined();
        const told = outcomeOf[call!.status] ?? call!.status;
        const known = blurred[service]?.[told] ?? told;
        expect(`${row.phone} ${row.outcome} ${row.attempts} ${row.call_id}`).toBe(
          `${row.phone} ${known} 1 ${call!.id}`,
        );
      }
      const audit = await desk.run(['audit', '--json'], env);
      expect(audit.code, audit.stdout + audit.stderr).toBe(0);
    },
  );
});
