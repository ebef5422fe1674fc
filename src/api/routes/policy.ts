import type { FastifyReply } from 'fastify';
import { listPacks, packsAnswer } from '../../control/policies/packs.ts';
import {
  checkedPolicy,
  checkPolicyBody,
  policyAnswer,
  policyTag,
  type ShownPolicy,
  setPolicy,
  showPolicy,
} from '../../control/policies/set.ts';
import {
  callingHoursAnswer,
  callingHoursInput,
  policyTestAnswer,
  policyTestInput,
  showCallingHours,
  testPolicy,
  withHistory,
} from '../../control/policies/test.ts';
import { policyInput } from '../../rules/policy/policy.ts';
import { type Route, routesOf } from '../route.ts';

/** The contact rules of every campaign and single call. */
function tell(reply: FastifyReply, policy: ShownPolicy): ShownPolicy {
  reply.header('etag', `"${policyTag(policy.version)}"`);
  return policy;
}

const { get, post, put } = routesOf('policy');

export const policyRoutes: Route[] = [
  get('/api/policy', 'getPolicy', {
    role: 'read',
    summary: 'The contact rules in force; all null when there never were any.',
    answers: { 200: policyAnswer },
    handle: async ({ reply }, { app }) => tell(reply, await showPolicy(app.ledger)),
  }),
  put('/api/policy', 'setPolicy', {
    role: 'admin',
    summary: 'Puts contact rules in force, in every process, from the next call on.',
    more: '`{}` and null switch all rules off. After the answer, no call begins that was judged by the former rules. While the rules in force come from a file, the answer is 409.',
    ifMatch: true,
    body: policyInput.nullable(),
    bodyOptional: true,
    answers: { 200: policyAnswer },
    errors: ['policy-invalid', 'policy-in-file', 'version-changed'],
    example: { body: { hours: ['us-telemarketing'], caps: [{ calls: 3, per: '24h' }], gap: '4h' } },
    handle: async ({ body, request, reply }, { app }) =>
      tell(reply, await setPolicy(app, body, request.headers['if-match'])),
  }),
  get('/api/policy/packs', 'listPacks', {
    role: 'read',
    summary: 'Lists the packs of hours that ship, each row with its source and the date when it was read.',
    more: 'A pack holds only while the rules in force name it.',
    answers: { 200: packsAnswer },
    handle: (_asked, { app }) => listPacks(app.clock.now()),
  }),
  post('/api/policy/check', 'checkPolicy', {
    role: 'read',
    summary: 'Checks that contact rules can be read and do not contradict each other. Nothing is changed.',
    body: policyInput,
    answers: { 200: checkedPolicy },
    errors: ['policy-invalid'],
    example: { body: { hours: ['us-telemarketing'], caps: [{ calls: 3, per: '24h' }], gap: '4h' } },
    handle: ({ body }) => checkPolicyBody(body),
  }),
  post('/api/week', 'showWeek', {
    role: 'read',
    summary: 'When a person may be called in the next days, by an order and the contact rules.',
    more: 'Spans of time, open or closed, each closed one with its rule. Nothing is changed. The person’s place comes from `timezone`, `state` or `phone`, else from the order’s time zone. `policy` tries other rules than those in force; null tries none. Caps, gaps and pauses are left out, because they depend on calls that are not made yet.',
    body: callingHoursInput,
    answers: { 200: callingHoursAnswer },
    errors: ['campaign-unknown', 'policy-invalid'],
    example: { body: { order: { window: 'mon-fri=09:00-20:00' }, timezone: 'America/New_York', days: 7 } },
    handle: ({ body }, { service }) => showCallingHours(service, body),
  }),
  post('/api/policy/test', 'testPolicy', {
    role: 'read_people',
    summary: 'Whether a phone may be called at a time, given its earlier calls.',
    body: policyTestInput,
    answers: { 200: policyTestAnswer },
    example: { body: { phone: '+14155550123', at: '2026-12-01T09:00:00Z', state: 'TX' } },
    handle: async ({ body }, { app: { ledger } }) => {
      await ledger.policies.refresh();
      const policy = ledger.policyInForce();
      const { answer } = await withHistory(ledger, policy, testPolicy(policy, body));
      return answer;
    },
  }),
];
