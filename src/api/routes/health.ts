import type { FastifyInstance } from 'fastify';
import type { App } from '../../app.ts';
import { withDeadline } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import { queueUnreachable } from '../../engine/engine.ts';
import { problemOf, sendProblem } from '../problem.ts';

/** For a supervisor: whether the process is alive, and whether what it depends on answers. */
const patienceMs = 3_000;

export function addHealth(server: FastifyInstance, app: App): void {
  const config = { open: true, linkable: true };
  server.get('/healthz', { config, exposeHeadRoute: true }, async () => ({ status: 'ok' }));

  server.get('/readyz', { config, exposeHeadRoute: true }, async (request, reply) => {
    const [ledger, queue] = await Promise.all([answers(app.ledger.ping()), answers(app.engine.ping())]);
    const ages = app.rounds.ages();
    const loops = Object.fromEntries(
      ages.map(({ name, ageMs, stuck }) => [name, { age_ms: Math.round(ageMs), stuck }]),
    );
    const clock = { ahead_ms: Math.round(app.fitness.aheadMs()) };
    const unfit = app.fitness.trouble();
    if (ledger && queue && !unfit && !ages.some((age) => age.stuck)) {
      return { status: 'ready', ledger: 'ok', queue: 'ok', clock, loops };
    }
    const error = !ledger
      ? new CarillonError('ledger-unreachable')
      : !queue
        ? queueUnreachable(app.engine.kind)
        : (unfit ?? new CarillonError('loop-stuck'));
    return sendProblem(reply, { ...problemOf(error, request.id), clock, loops });
  });
}

function answers(ping: Promise<void>): Promise<boolean> {
  const answer = ping.then(
    () => true,
    () => false,
  );
  return withDeadline(answer, patienceMs, () => false);
}
