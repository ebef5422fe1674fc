import { z } from 'zod';
import type { App } from '../../app.ts';
import { withDeadline } from '../../base/deadline.ts';
import { CarillonError } from '../../base/errors.ts';
import { queueUnreachable } from '../../engine/engine.ts';
import { clockShape, loopsShape, problemOf, sendProblem } from '../describe/problem.ts';
import { type Route, routesOf } from '../route.ts';

/** Tells a supervisor whether the process is alive, and whether its dependencies answer. */
const patienceMs = 3_000;

const readyAnswer = z.object({
  status: z.literal('ready'),
  ledger: z.literal('ok'),
  queue: z.literal('ok'),
  clock: clockShape,
  loops: loopsShape,
});

const { get } = routesOf('operations');

export const healthRoutes: Route[] = [
  get('/healthz', 'getHealth', {
    role: null,
    linkable: true,
    summary: 'Answers while the process lives.',
    answers: { 200: z.object({ status: z.literal('ok') }) },
    handle: () => ({ status: 'ok' as const }),
  }),
  get('/readyz', 'getReadiness', {
    role: null,
    linkable: true,
    summary: 'Whether ledger and queue answer, and no loop of the process is stuck.',
    more: 'It is 503 also while the process must not dial: `policy-differs`, `keys-differ` or `clock-off`.',
    answers: { 200: readyAnswer },
    errors: [
      'queue-unreachable',
      'loop-stuck',
      'policy-differs',
      'keys-differ',
      'erasures-differ',
      'clock-off',
      'ledger-layout',
      'ledger-unconfirmed',
    ],
    handle: async ({ request, reply }, { app }) => {
      const told = await readinessOf(app);
      if (told.error === null) return { status: 'ready', ledger: 'ok', queue: 'ok', ...told.facts } as const;
      return sendProblem(reply, { ...problemOf(told.error, request.id), ...told.facts }) as never;
    },
  }),
];

type Facts = Pick<z.output<typeof readyAnswer>, 'clock' | 'loops'>;

async function readinessOf(app: App): Promise<{ error: CarillonError | null; facts: Facts }> {
  const [ledger, queue] = await Promise.all([answers(app.ledger.ping()), answers(app.engine.ping())]);
  const ages = app.rounds.ages();
  const loops = Object.fromEntries(
    ages.map(({ name, ageMs, stuck }) => [name, { age_ms: Math.round(ageMs), stuck }]),
  );
  const facts = { clock: { ahead_ms: Math.round(app.permit.aheadMs()) }, loops };
  const unfit = app.permit.trouble();
  if (ledger && queue && !unfit && !ages.some((age) => age.stuck)) return { error: null, facts };
  const error = !ledger
    ? new CarillonError('ledger-unreachable')
    : !queue
      ? queueUnreachable(app.engine.kind)
      : (unfit ?? new CarillonError('loop-stuck'));
  return { error, facts };
}

function answers(ping: Promise<void>): Promise<boolean> {
  const answer = ping.then(
    () => true,
    () => false,
  );
  return withDeadline(answer, patienceMs, () => false);
}
