import { z } from 'zod';
import { CarillonError } from '../../base/errors.ts';
import { campaignAttemptShape, showCampaignAttempt } from '../../export/attempt.ts';
import { recordShape, showRecord } from '../../export/record-fields.ts';
import type { AttemptCourse, CourseDelivery, CourseMove, WholeCourse } from '../../ledger/calls/calls.ts';
import type { ToldExchange } from '../../ledger/exchanges/exchanges.ts';
import { callerText } from '../../rules/order.ts';
import type { ServiceAccess } from '../service/access.ts';
import { judgementShape, showJudgement } from './judge.ts';
import { type CallDeps, findCall } from './show.ts';

/** The course of one attempt: what happened to it from its plan to its end, each step with its time and reason. */
const steps = [
  'waited',
  'planned',
  'token',
  'sent',
  'parked',
  'unknown',
  'resolved',
  'answered',
  'hang-up',
  'polls',
  'callback',
  'end',
  'webhook',
] as const;

const courseStep = z
  .object({
    step: z.enum(steps),
    at: z.date().nullable().describe('Null for the polls of a call that has not ended.'),
    reason: z.string().nullable(),
  })
  .meta({ id: 'CourseStep' });
export type CourseStep = z.output<typeof courseStep>;

export const courseAnswer = campaignAttemptShape
  .extend({
    requests: z.int(),
    polls: z.int(),
    next_poll_at: z.date().nullable(),
    record: recordShape,
    judgement: judgementShape.nullable().describe('How someone who listened judged it.'),
    course: z.array(courseStep),
    exchanges: z
      .array(
        z.object({
          at: z.date(),
          operation: z.string(),
          method: z.string(),
          url: z.string(),
          body: z.string().nullable(),
          status: z.int().nullable().describe('Null when no answer was read.'),
          answer: z.string().nullable(),
          why: z.string().nullable().describe('Why the answer is missing or cut off.'),
          ms: z.number(),
          curl: z.string().describe('The request as a command; the key stands in `$VOICE_API_KEY`.'),
        }),
      )
      .describe('The requests to the service and what came back, without the key; kept for a week.'),
  })
  .meta({ id: 'AttemptCourse' });
export type ShownCourse = z.output<typeof courseAnswer>;

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type CourseDeps = Pick<ServiceAccess, 'ledger' | 'auth' | 'baseUrl'>;

export async function showAttemptCourse(deps: CourseDeps, id: string): Promise<ShownCourse> {
  const { ledger } = deps;
  const found = guid.test(id) ? await ledger.calls.course(id) : null;
  if (!found) {
    throw new CarillonError('attempt-unknown', `The attempt ${id} was not found`, {
      remedy: 'Give the id of an attempt, as `carillon find` and GET /api/calls show it.',
    });
  }
  const { line } = found;
  const [exchanges, judged] = await Promise.all([ledger.exchanges.of(id), ledger.judgements.of(id)]);
  return {
    ...showCampaignAttempt(line, line.campaign),
    requests: line.requests,
    polls: line.polls,
    next_poll_at: line.nextPollAt,
    record: showRecord(line),
    judgement: judged && showJudgement(judged),
    course: courseOf(found),
    exchanges: exchanges.map(({ at, told }) => ({ at, ...told, curl: curlOf(deps, told) })),
  };
}

/** The key is sent only to the service's own address. */
function curlOf(
  { auth, baseUrl }: CourseDeps,
  { method, url, body }: Pick<ToldExchange, 'method' | 'url' | 'body'>,
): string {
  const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;
  const isOwn =
    [url, baseUrl].every((each) => URL.canParse(each)) && new URL(url).origin === new URL(baseUrl).origin;
  return [
    `curl -X ${method} ${quoted(url)}`,
    ...(isOwn ? [`-H "${auth.header}: ${auth.value.replaceAll('{key}', '$VOICE_API_KEY')}"`] : []),
    ...(body === null ? [] : [`-H 'content-type: application/json' -d ${quoted(body)}`]),
  ].join(' ');
}

/** The named attempt, or the latest attempt of the named person or call. */
export async function showTrace(deps: CallDeps & CourseDeps, ref: string): Promise<ShownCourse> {
  if (guid.test(ref)) {
    const found = await deps.ledger.calls.course(ref);
    if (found) return showAttemptCourse(deps, ref);
  }
  const found = await findCall(deps, ref);
  const id = found?.call.attempt ?? null;
  if (id === null) throw new CarillonError('call-unknown', `The call ${ref} is not known`);
  return showAttemptCourse(deps, id);
}

/**
 * Sorted by time, then by step. The end is always our last step: the steps of one transaction are too close in time to
 * sort. The webhooks that are told of it follow.
 */
export function courseOf({ line, moves, deliveries }: WholeCourse): CourseStep[] {
  const all = [...ownSteps(line), ...moves.flatMap(moveSteps)];
  const timeOf = ({ step, at }: CourseStep) => (step === 'end' ? null : at)?.getTime() ?? Number.MAX_VALUE;
  all.sort((a, b) => timeOf(a) - timeOf(b) || steps.indexOf(a.step) - steps.indexOf(b.step));
  const own = all.map((each, i) =>
    each.step === 'token' ? { ...each, reason: tellToken(each, all[i - 1]) } : each,
  );
  return [...own, ...deliveries.map(deliveryStep)];
}

/** How long it waited for its turn and the token. */
function tellToken({ at, reason }: CourseStep, before: CourseStep | undefined): string {
  const ms = at && before?.at ? at.getTime() - before.at.getTime() : 0;
  return `waited ${(ms / 1_000).toFixed(1)} s for ${reason ?? 'the key'}`;
}

function ownSteps(line: AttemptCourse): CourseStep[] {
  const { plannedAt, dialedAt, placedAt, overAt, callId } = line;
  const from = callerText(line.caller);
  const made: (CourseStep | null)[] = [
    { step: 'planned', at: plannedAt, reason: whyPlanned(line) },
    dialedAt && { step: 'token', at: dialedAt, reason: `the key ${line.key}` },
    dialedAt && {
      step: 'sent',
      at: dialedAt,
      reason: `a call${line.agent ? ` by ${line.agent}` : ''}${from ? ` from ${from}` : ''}`,
    },
    placedAt && { step: 'answered', at: placedAt, reason: `the call ${callId}` },
    placedAt && line.polls + Number(!overAt) > 0
      ? { step: 'polls', at: overAt, reason: tellPolls(line) }
      : null,
    overAt && { step: 'end', at: overAt, reason: tellEnd(line) },
  ];
  return made.filter((each) => each !== null);
}

/** Why it waited before it was planned, as far as the attempt before it shows. */
function whyPlanned({ number, lastAt, lastOutcome, lastReason, lastState }: AttemptCourse): string | null {
  if (lastAt === null) return number > 1 ? `attempt ${number}` : null;
  return `attempt ${number}, after ${lastOutcome ?? lastReason ?? lastState} at ${lastAt.toISOString()}`;
}

function tellPolls({ polls, status, nextPollAt }: AttemptCourse): string {
  const next = nextPollAt ? `, the next at ${nextPollAt.toISOString()}` : '';
  const times = polls === 0 ? 'not yet' : polls === 1 ? 'once' : `${polls} times`;
  return `${times}${status ? `, the last answer ${status}` : ''}${next}`;
}

function tellEnd({ state, outcome, error }: AttemptCourse): string {
  return outcome ?? (error ? `${state}: ${error}` : state);
}

/** A move back says why. The opening before it took a token; the move's reason says whether its request left. */
function moveSteps({ at, kind, detail }: CourseMove): CourseStep[] {
  if (kind === 'dialing') return [{ step: 'token', at, reason: null }];
  if (kind === 'waited') return [{ step: 'waited', at, reason: tellWait(detail) }];
  const step = steps.find((each) => each === kind);
  return step ? [{ step, at, reason: detail }] : [];
}

/** Why a plan was taken back before it was dialled. */
function tellWait(why: string | null): string | null {
  return why === 'held' ? 'a contact rule held it' : why;
}

function deliveryStep({ at, type, url, status, ms, error, ...delivery }: CourseDelivery): CourseStep {
  const came = delivery.delivered ? `${status} after ${ms} ms` : (error ?? `${status ?? 'no answer'}`);
  const again = delivery.try > 1 ? `, try ${delivery.try}` : '';
  return { step: 'webhook', at, reason: `${type} to ${new URL(url).host}: ${came}${again}` };
}
