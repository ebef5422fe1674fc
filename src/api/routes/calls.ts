import { CarillonError } from '../../base/errors.ts';
import { cancelCall, canceledCall, refreshCall } from '../../control/calls/acts.ts';
import { courseAnswer, showAttemptCourse } from '../../control/calls/course.ts';
import { createCall } from '../../control/calls/create.ts';
import { hintCall, hintInput, isHookSecret } from '../../control/calls/hint.ts';
import {
  firstAnswer,
  firstQuery,
  judgeCall,
  judgeInput,
  judgementShape,
  listFirst,
} from '../../control/calls/judge.ts';
import { listLive, liveAnswer, liveQuery } from '../../control/calls/live.ts';
import { callInput } from '../../control/calls/read.ts';
import { openRecording } from '../../control/calls/recording.ts';
import { callChange, changeCall, fetchedCall } from '../../control/calls/service-record.ts';
import { callAnswer, callWithHistory, showCall } from '../../control/calls/show.ts';
import { findPeople, findQuery } from '../../control/people/find.ts';
import { foundAnswer, searchPeople, searchQuery } from '../../control/people/search.ts';
import { noContent, ofService, type Route, raw, routesOf, tellOnce } from '../route.ts';

/** Calls: found over all campaigns; single calls created once, looked up, and changed at the service. */
const atService = ['call-unknown', 'campaign-elsewhere', 'attempt-state'] as const;

const calls = routesOf('calls');
const campaigns = routesOf('campaigns');

export const callRoutes: Route[] = [
  calls.post('/api/calls', 'createCall', {
    role: 'operate',
    summary: 'Calls one person once, as soon as the key’s budget allows.',
    more: 'With an `Idempotency-Key`, the same order always returns the same call, with 200; keys of calls do not expire. Without one, each request makes a new call. A suppressed phone is refused with 409 `phone-suppressed`, and a call that the contact rules can never allow with 409 `policy-holds`; a call that waits says so in `reason` and `until`. With `ignore_policy` the contact rules do not hold it back; a suppression and another call to the phone still do. Calls with the same agent and caller number belong to one campaign: while it is paused, new ones are refused. A `traceparent` header names the span that the attempt’s own are linked to. The account’s numbers are asked for once in ten minutes; while the service does not answer, they are not checked.',
    idempotent: true,
    body: callInput,
    answers: { 202: callAnswer, 200: callAnswer },
    errors: [
      'caller-unknown',
      'phone-suppressed',
      'phone-erased',
      'policy-holds',
      'campaign-state',
      'campaign-elsewhere',
    ],
    example: {
      body: { agent: 'agent_123', phone: '+14155550123', name: 'Ann', variables: { order: 1017 } },
    },
    handle: async ({ body, request, reply }, { service }) => {
      const { traceparent, 'idempotency-key': key } = request.headers;
      const made = await createCall(service, body, key, traceparent);
      reply.header('location', made.answer.links.self);
      return tellOnce(reply, made, 202);
    },
  }),
  calls.get('/api/calls', 'findCalls', {
    role: 'read',
    shared: true,
    summary: 'Finds people over all campaigns, each with every attempt.',
    more: 'A page may have fewer people than its limit, even none, while `next` says that there may be more. Every filter that is given must match. The people of one campaign come in input order; those of several come latest change first. A search by `phone`, `call_id`, `attempt` or `recipient` answers the newest rows, in milliseconds. Other searches look at a limited number of rows for a page, for two seconds at most. A changed variable is found by its present value. The role `read` may not search by phone or variable.',
    query: searchQuery,
    answers: { 200: foundAnswer },
    errors: ['campaign-unknown', 'parts-unsearchable'],
    handle: ({ query }, { service }) => searchPeople(service, query),
  }),
  calls.get('/api/find', 'findPerson', {
    role: 'read_people',
    summary:
      'Finds people in every campaign by whatever is known: a phone, a part of it or of a name, a call, an attempt, or a recipient’s id.',
    more: 'It answers people who match as a whole. Only if there are none, it answers those who match in part: by three letters or digits at least, whatever the case and the accents.',
    query: findQuery,
    answers: { 200: foundAnswer },
    errors: ['parts-unsearchable'],
    handle: ({ query }, { service }) => findPeople(service, query),
  }),
  calls.get('/api/live', 'listLive', {
    role: 'read',
    summary: 'The calls in progress now, the longest first.',
    more: 'A call is listed from its create until its end is reported. Hang one up with `POST /api/calls/{id}/cancel`, by its attempt.',
    query: liveQuery,
    answers: { 200: liveAnswer },
    errors: ['campaign-unknown'],
    shared: true,
    handle: ({ query }, { service }) => listLive(service, query),
  }),
  calls.get('/api/calls/{id}', 'getCall', {
    role: 'read',
    summary: 'A call, with the latest 500 events of its history.',
    more: '`refresh`, `cancel` and PATCH go to the call of the latest attempt, whichever id is given. `record` is what the service last reported, with up to 32 KB of fields that the interface does not name; null until the call has ended, and after an erasure.',
    answers: { 200: callWithHistory },
    errors: ['call-unknown'],
    handle: ({ params }, { service }) => showCall(service, params.id),
  }),
  calls.get('/api/attempts/{id}', 'getAttempt', {
    role: 'read',
    summary: 'The whole course of one attempt.',
    more: 'Steps are `planned`, `waited` (a plan that was taken back before it was dialled), `token`, `sent`, `answered`, `polls`, `parked`, `unknown`, `resolved`, `hang-up` and `end`, then `webhook` for each delivery that is still kept. During a call, `polls` has no time, and its reason tells when the next is due. `exchanges` are the requests to the service and what it answered, for those who may see people; null for others.',
    params: { id: 'The attempt’s id.' },
    answers: { 200: courseAnswer },
    errors: ['attempt-unknown'],
    handle: ({ params }, { service }) => showAttemptCourse(service, params.id),
  }),
  calls.get('/api/attempts/{id}/recording', 'getRecording', {
    role: 'read_people',
    summary: 'The sound of a call, as the service kept it.',
    more: 'The sound is read from the address in the record: with the key if the address is the service’s own, without it elsewhere, and never from a private network. A process reads eight at a time.',
    params: { id: 'The attempt’s id.' },
    asks: true,
    answers: { 200: raw('audio/mpeg', '(sound)') },
    errors: ['attempt-unknown', 'recording-missing', 'too-many-readers', ...ofService],
    handle: async ({ params, reply }, { service }) => {
      const { type, length, body } = await openRecording(service, params.id);
      reply.header('content-type', type).header('cache-control', 'private, no-store');
      if (length !== null) reply.header('content-length', length);
      return reply.send(body);
    },
  }),
  calls.put('/api/attempts/{id}/judgement', 'judgeCall', {
    role: 'operate',
    summary: 'Records a listener’s judgement of a call that has ended.',
    more: 'The latest judgement counts. `opt-out` suppresses the phone for every campaign at once, and `recipient.opted_out` is sent. The suppression stays until it is lifted, even if the call is judged otherwise later.',
    params: { id: 'The attempt’s id.' },
    body: judgeInput,
    answers: { 200: judgementShape },
    errors: ['attempt-unknown', 'attempt-state'],
    example: { body: { as: 'wrong', note: 'it named another clinic' } },
    handle: ({ params, body }, { service }) => judgeCall(service, params.id, body),
  }),
  campaigns.get('/api/campaigns/{id}/first', 'listFirstCalls', {
    role: 'read_people',
    summary:
      'Lists the calls to the first people, after which the campaign paused, with the judgement of each.',
    more: 'It answers each person’s first ended call in which somebody spoke (`answered`, `voicemail` or `dropped`), in input order.',
    query: firstQuery,
    answers: { 200: firstAnswer },
    errors: ['campaign-unknown'],
    handle: ({ params, query }, { app }) => listFirst(app, params.id, query),
  }),
  calls.patch('/api/calls/{id}', 'changeCall', {
    role: 'operate',
    summary: 'Changes the call of the latest attempt at the service.',
    more: '`{"status": "canceled"}` sends what the profile gives for canceling a call; `metadata` is sent as it is. It counts against the key’s budget.',
    body: callChange,
    answers: { 200: fetchedCall },
    errors: [...atService, ...ofService],
    example: { body: { metadata: { order: '1017' } } },
    handle: ({ params, body }, { service }) => changeCall(service, params.id, body),
  }),
  calls.post('/api/calls/{id}/refresh', 'refreshCall', {
    role: 'operate',
    summary: 'Fetches the call’s record from the service now, and stores what is new.',
    more: 'Cost, transcript, recording and structured data may come after a call has ended. A call that has ended since is settled; an outcome that was settled does not change. It counts against the key’s budget.',
    answers: { 200: callWithHistory },
    errors: [...atService, ...ofService],
    handle: ({ params }, { service }) => refreshCall(service, params.id),
  }),
  calls.post('/api/calls/{id}/cancel', 'cancelCall', {
    role: 'operate',
    summary: 'Hangs up a call in progress, or withdraws one that is not yet dialled.',
    more: 'It can be repeated; a call that has ended is 409. A call that is not in the ledger is canceled at the service. If the service refuses or cannot be reached, the answer is 502; if it cannot be reached, the workers try again.',
    answers: { 200: canceledCall },
    errors: [...atService, ...ofService],
    handle: ({ params }, { service }) => cancelCall(service, params.id),
  }),
  // The only input that needs no token. The secret is in the address.
  calls.post('/api/hooks/call/{secret}', 'hintCall', {
    role: null,
    summary: 'Hints that a call may have ended: its next poll comes at once.',
    more: 'Without `CARILLON_HOOK_SECRET` the address does not exist. The answer is the same for every id, known or not. The body is what the service sends; in the standard interface the id is at `call.id`, `call_id` or `id`, the first that is there. Where the service signs its webhooks and CARILLON_HOOK_KEY (or, as the description says, the API key) is set, a hint whose signature is not valid is refused. Hints make at most one poll in five seconds for a call. If there is a proxy, keep this address out of its log.',
    params: { secret: 'CARILLON_HOOK_SECRET; it takes the place of a token.' },
    body: hintInput,
    signed: true,
    answers: { 204: noContent },
    errors: ['route-unknown'],
    example: { body: { call_id: 'call_81f2' } },
    // Checked before the body: a wrong secret must only learn that nothing is here.
    before: ({ params }, { app }) => {
      if (!isHookSecret(params.secret, app.config.hookSecret)) throw new CarillonError('route-unknown');
    },
    handle: async ({ body, request }, { service }) => {
      await hintCall(service, { body, bytes: request.bytes ?? Buffer.of(), headers: request.headers });
      return undefined;
    },
  }),
];
