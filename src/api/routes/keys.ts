import type { FastifyInstance } from 'fastify';
import { readParam } from '../../control/input.ts';
import { type KeysDeps, listKeys, resumeKey } from '../../control/keys.ts';
import { listNumbers } from '../../control/numbers.ts';
import type { ApiParts } from '../parts.ts';

/** The keys and how they stand, by name only; and the numbers that the service knows them by. */
const patienceMs = 10_000;

export function addKeys(server: FastifyInstance, { app, stations }: ApiParts): void {
  const deps: KeysDeps = {
    ledger: app.ledger,
    tokens: app.engine.bucket,
    lanes: stations.lanes(),
    clock: app.clock,
    dial: (lane, attempts) => stations.queues.add(lane.bucket, 'dial', attempts).catch(() => undefined),
    note: (line) => app.log.debug(line),
    patienceMs,
  };

  server.get('/api/keys', () => listKeys(deps));
  server.post('/api/keys/:name/resume', (request) => resumeKey(readParam(request.params, 'name'), deps));
  server.get('/api/numbers', () => listNumbers(deps.lanes, deps));
}
