import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../base/clock.ts';
import { rateOf } from '../../base/config.ts';
import { CarillonError, type ErrorCode } from '../../base/errors.ts';
import type { Stations } from '../../dispatch/stations.ts';
import { showView } from '../../lane/governor.ts';
import type { Lane } from '../../lane/lane.ts';
import type { Fault } from '../../voice/faults.ts';
import type { PhoneNumber } from '../../voice/wire.ts';
import { readParam } from '../input.ts';
import type { ApiParts } from '../parts.ts';

/** The keys and how they fare, by name alone; and the numbers that the service knows them by. */
const refreshMs = 1_000;

export function addKeys(server: FastifyInstance, { app, stations }: ApiParts): void {
  const { ledger, config, clock } = app;

  server.get('/api/keys', async () => {
    const lanes = await ledger.lanes.list();
    await refreshDesks(stations, clock);
    const items = lanes.map((lane) => {
      const desk = stations.lanes().find((each) => each.id === lane.id);
      return {
        name: lane.name,
        // A key that VOICE_API_KEYS no longer has: its calls cannot be followed.
        present: desk !== undefined,
        state: lane.state,
        reason: lane.reason,
        since: lane.since,
        // When a key that creates no more is asked next.
        probe_at: lane.probeAt,
        losses: lane.losses,
        rate: desk ? Math.round(desk.governor.limit().rate * 1_000) / 1_000 : null,
        learned: rateOf(config, lane.name) === 'auto',
        // What is believed of the service's own limits, how surely, and since when.
        belief: desk ? showView(desk.governor.view()) : null,
        planned: lane.planned,
        parked: lane.parked,
        calling: lane.calling,
      };
    });
    return { items };
  });

  server.post('/api/keys/:name/resume', async (request) => {
    const name = readParam(request.params, 'name');
    const desk = stations.lanes().find((each) => each.name === name);
    if (!desk) throw new CarillonError('key-unknown', `There is no key named ${name} in VOICE_API_KEYS`);
    const planned = await ledger.lanes.open(desk.id);
    desk.state = 'open';
    // Without a queue at hand the reconciler makes the jobs.
    await stations.queues.add(desk.bucket, 'dial', planned).catch(() => undefined);
    return { name, state: desk.state, resumed: planned.length };
  });

  server.get('/api/numbers', async () => {
    const answers = await Promise.all(
      stations.lanes().map(async (desk) => ({ desk, ...(await listAll(desk)) })),
    );
    const faults = answers.flatMap(({ desk, fault }) => (fault ? [{ key: desk.name, fault }] : []));
    const first = faults[0];
    if (first && faults.length === answers.length) {
      throw new CarillonError(codeOf(first.fault), `The key ${first.key}: ${first.fault.message}`);
    }
    return {
      items: answers.flatMap(({ desk, numbers }) => numbers.map((number) => ({ key: desk.name, ...number }))),
      failed: faults.map(({ key, fault }) => ({ key, code: codeOf(fault), detail: fault.message })),
    };
  });
}

/** Reads what other processes have learned; a queue that is away must not keep the answer. */
export async function refreshDesks(stations: Stations, clock: Clock): Promise<void> {
  const refreshed = stations.lanes().map((desk) => desk.governor.refresh().catch(() => undefined));
  await Promise.race([Promise.all(refreshed), clock.sleep(refreshMs)]);
}

type Failure = Pick<Fault, 'kind' | 'message'>;

/** Each page is a request of the key like any other, and takes a token. */
async function listAll(desk: Lane): Promise<{ numbers: PhoneNumber[]; fault: Failure | null }> {
  const numbers: PhoneNumber[] = [];
  const pages = desk.client.allNumbers();
  for (;;) {
    const passage = await desk.departure.enter('poll');
    if (!passage.ok) {
      const seconds = Math.ceil(passage.restMs / 1_000);
      return { numbers, fault: { kind: 'busy', message: `the key rests for ${seconds} s` } };
    }
    const page = await pages.next();
    if (page.done) return { numbers, fault: null };
    if (!page.value.ok) return { numbers, fault: page.value.fault };
    numbers.push(...page.value.value);
  }
}

function codeOf(fault: Failure): ErrorCode {
  if (fault.kind === 'denied') return 'key-denied';
  return fault.kind === 'unreachable' ? 'service-unreachable' : 'service-answer';
}
