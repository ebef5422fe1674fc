import type { FastifyInstance } from 'fastify';
import { withHistory } from '../../control/policies/phone.ts';
import { setPolicy } from '../../control/policies/set.ts';
import { showPolicy } from '../../control/policies/show.ts';
import { testPolicy } from '../../control/policies/test.ts';
import type { ApiParts } from '../parts.ts';

/** The contact rules of every campaign and single call. */
export function addPolicy(server: FastifyInstance, { app }: ApiParts): void {
  server.get('/api/policy', () => showPolicy(app.ledger));
  server.put('/api/policy', (request) => setPolicy(app.ledger, request.body));
  server.post('/api/policy/test', async (request) => {
    await app.ledger.policies.refresh();
    const policy = app.ledger.policyInForce();
    const { answer } = await withHistory(app.ledger, policy, testPolicy(policy, request.body));
    return answer;
  });
}
