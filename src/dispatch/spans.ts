import {
  areSpansMade,
  noSpan,
  type OpenSpan,
  plannedAtOf,
  spanApart,
  spanOf,
  within,
} from '../base/spans.ts';
import type { Lane } from '../lane/lane.ts';
import type { Attempt, Planned } from '../ledger/attempts/attempts.ts';
import type { Station, Step } from '../queues/job.ts';

/** What the stations tell OpenTelemetry of an attempt, and under which names. */
type Known = Pick<Attempt, 'id' | 'number' | 'campaignId' | 'earlier' | 'traceparent'>;

/** A job's turn; what it reads and writes may wait `patienceMs` for that of other jobs. */
export type JobTurn = Readonly<{ span: OpenSpan; patienceMs: number }>;
export const soon: JobTurn = { span: noSpan, patienceMs: 0 };

const names: Record<Station, string> = { dial: 'dial attempt', track: 'poll call' };

/** A job of one of the two queues, from its start to the step in which it ends. */
export function asJob(
  station: Station,
  { name: key }: Pick<Lane, 'name'>,
  id: string,
  work: (span: OpenSpan) => Promise<Step>,
): Promise<Step> {
  const facts = {
    'carillon.attempt.id': id,
    'carillon.key': key,
    'messaging.system': 'bullmq',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': station,
    'messaging.message.id': id,
  };
  return within(spanOf(id, names[station], { kind: 'consumer', facts }), async (span) => {
    const step = await work(span);
    span.tell({
      'carillon.step': step.kind,
      'carillon.step.why': step.kind === 'drop' ? step.why : undefined,
    });
    return step;
  });
}

/** The planner claimed them, and each has its job. */
export function tellPlanned(planned: readonly Planned[], { name: key }: Pick<Lane, 'name'>): void {
  if (!areSpansMade()) return;
  for (const { id, campaignId } of planned) {
    const facts = {
      'carillon.attempt.id': id,
      'carillon.campaign.id': campaignId,
      'carillon.key': key,
      'messaging.system': 'bullmq',
      'messaging.operation.name': 'add',
      'messaging.operation.type': 'send',
      'messaging.destination.name': 'dial',
      'messaging.message.id': id,
    };
    spanOf(id, 'plan attempt', { kind: 'producer', facts, since: plannedAtOf(id) }).end();
  }
}

/** Adds what the ledger knows of an attempt, and links what it comes from: the attempt before it, and its order. */
export function tellAttempt(span: OpenSpan, { number, campaignId, earlier, traceparent }: Known): void {
  span.tell({ 'carillon.campaign.id': campaignId, 'carillon.attempt.number': number });
  const before = earlier.at(-1)?.id;
  if (before) span.linkAttempt(before);
  if (traceparent) span.linkCaller(traceparent);
}

/**
 * The attempt is over: the span of which all others are parts. A key is named if it was dialled; `error` is the kind of
 * error, if it ends as one.
 */
export function endAttempt(attempt: Known, key: string | null, outcome: string, error?: string): void {
  if (!areSpansMade()) return;
  const span = beginAttempt(attempt.id, outcome, error);
  span.tell({ 'carillon.key': key ?? undefined });
  tellAttempt(span, attempt);
  span.end();
}

/** The reconciler found attempts in doubt, and knows only their ids. */
export function endInDoubt(ids: readonly string[], why: string): void {
  for (const id of ids) beginAttempt(id, 'unknown', why).end();
}

function beginAttempt(id: string, outcome: string, error: string | undefined): OpenSpan {
  const facts = { 'carillon.attempt.id': id, 'carillon.outcome': outcome };
  const span = spanOf(id, 'attempt', { facts, since: plannedAtOf(id) });
  if (error !== undefined) span.fail(error);
  return span;
}

/** Work on an attempt after its end, or that never ends one: it has a trace of its own, with a link. */
export function afterAttempt<T>(id: string, name: string, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  return within(spanApart(name, { facts: { 'carillon.attempt.id': id }, attempts: [id] }), work);
}
