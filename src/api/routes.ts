import { setImmediate } from 'node:timers/promises';
import { type Description, describe } from './describe/describe.ts';
import { type FixedAnswer, fix, sendFixed } from './etag-gzip.ts';
import { type Route, raw, routesOf } from './route.ts';
import { alertRoutes } from './routes/alerts.ts';
import { bulkRoutes } from './routes/bulk.ts';
import { callRoutes } from './routes/calls.ts';
import { campaignActRoutes } from './routes/campaign-acts.ts';
import { campaignRoutes } from './routes/campaigns.ts';
import { healthRoutes } from './routes/health.ts';
import { importRoutes } from './routes/imports.ts';
import { keyRoutes } from './routes/keys.ts';
import { metricRoutes } from './routes/metrics.ts';
import { operationRoutes } from './routes/operations.ts';
import { policyRoutes } from './routes/policy.ts';
import { recipientRoutes } from './routes/recipients.ts';
import { suppressionRoutes } from './routes/suppressions.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { unknownRoutes } from './routes/unknowns.ts';
import { webhookRoutes } from './routes/webhooks.ts';

let made: Promise<FixedAnswer> | undefined;

/** Every route of the API: the server serves these, and the description describes them. */
export const routes: readonly Route[] = [
  ...callRoutes,
  ...campaignRoutes,
  ...campaignActRoutes,
  ...recipientRoutes,
  ...unknownRoutes,
  ...importRoutes,
  ...bulkRoutes,
  ...keyRoutes,
  ...suppressionRoutes,
  ...tokenRoutes,
  ...policyRoutes,
  ...alertRoutes,
  ...webhookRoutes,
  ...operationRoutes,
  ...healthRoutes,
  ...metricRoutes,
  // Anyone who reaches the port may read it: it holds no data.
  routesOf('operations').get('/api/openapi.json', 'getDescription', {
    role: null,
    linkable: true,
    summary: 'This description, as OpenAPI 3.1.',
    answers: { 200: raw('application/json', '{"openapi": "3.1.1"}') },
    handle: async ({ reply }) => {
      made ??= textOf(describe(routes)).then((text) => fix(Buffer.from(text)));
      return sendFixed(reply.header('content-type', 'application/json; charset=utf-8'), await made);
    },
  }),
];

export function description(): Description {
  const steps = describe(routes);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Made in steps: a hundred schemas at once would block every other request for half a second. */
async function textOf(steps: Generator<void, Description>): Promise<string> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return JSON.stringify(value);
    await setImmediate();
  }
}
