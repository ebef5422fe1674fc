import type { FastifyReply } from 'fastify';
import { withHistory } from '../../control/policies/phone.ts';
import { policyTag, setPolicy } from '../../control/policies/set.ts';
import { policyAnswer, type ShownPolicy, showPolicy } from '../../control/policies/show.ts';
import { policyTestAnswer, policyTestInput, testPolicy } from '../../control/policies/test.ts';
import { policyInput } from '../../rules/policy/policy.ts';
import { type Route, route } from '../route.ts';

/** The contact rules of every campaign and single call. */
function tell(reply: FastifyReply, policy: ShownPolicy): ShownPolicy {
  reply.header('etag', `"${policyTag(policy.version)}"`);
  return policy;
}

export const policyRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/policy',
    id: 'getPolicy',
    tag: 'policy',
    role: 'read',
    summary: 'The contact rules in force; all null when there never were any.',
    answers: { 200: policyAnswer },
    handle: async ({ reply }, { app }) => tell(reply, await showPolicy(app.ledger)),
  }),
  route({
    method: 'PUT',
    path: '/api/policy',
    id: 'setPolicy',
    tag: 'policy',
    role: 'admin',
    summary: 'Puts contact rules in force, in every process, from the next call on.',
    more: '`{}` and null switch all rules off. While the rules in force come from a file, the answer is 409.',
    ifMatch: true,
    body: policyInput.nullable(),
    bodyOptional: true,
    answers: { 200: policyAnswer },
    errors: ['policy-invalid', 'policy-in-file', 'version-changed'],
    example: { body: { hours: ['us-telemarketing'], caps: [{ calls: 3, per: '24h' }], gap: '4h' } },
    handle: async ({ body, request, reply }, { app }) =>
      tell(reply, await setPolicy(app.ledger, body, request.headers['if-match'])),
  }),
  route({
    method: 'POST',
    path: '/api/policy/test',
    id: 'testPolicy',
    tag: 'policy',
    role: 'read_people',
    summary: 'Whether a phone may be called at a time, with the calls that it had.',
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
