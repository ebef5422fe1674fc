import { type Description, describe } from './describe/describe.ts';
import type { Route } from './route.ts';
import { alertRoutes } from './routes/alerts.ts';
import { budgetRoutes } from './routes/budgets.ts';
import { bulkRoutes } from './routes/bulk.ts';
import { callRoutes } from './routes/calls.ts';
import { campaignActRoutes } from './routes/campaign-acts.ts';
import { campaignRoutes } from './routes/campaigns.ts';
import { descriptionRoutes } from './routes/description.ts';
import { eraseRoutes } from './routes/erase.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { hookRoutes } from './routes/hooks.ts';
import { importRoutes } from './routes/imports.ts';
import { jobRoutes } from './routes/jobs.ts';
import { keyRoutes } from './routes/keys.ts';
import { ledgerRoutes } from './routes/ledger.ts';
import { meRoutes } from './routes/me.ts';
import { metricRoutes } from './routes/metrics.ts';
import { policyRoutes } from './routes/policy.ts';
import { recipientRoutes } from './routes/recipients.ts';
import { serviceRoutes } from './routes/services.ts';
import { settingRoutes } from './routes/settings.ts';
import { suppressionRoutes } from './routes/suppressions.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { unknownRoutes } from './routes/unknowns.ts';
import { viewRoutes } from './routes/views.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** Every route of the API: the server serves these, and the description describes them. */
export const routes: readonly Route[] = [
  ...callRoutes,
  ...hookRoutes,
  ...campaignRoutes,
  ...campaignActRoutes,
  ...recipientRoutes,
  ...viewRoutes,
  ...eraseRoutes,
  ...unknownRoutes,
  ...importRoutes,
  ...bulkRoutes,
  ...serviceRoutes,
  ...keyRoutes,
  ...jobRoutes,
  ...suppressionRoutes,
  ...tokenRoutes,
  ...meRoutes,
  ...policyRoutes,
  ...eventRoutes,
  ...alertRoutes,
  ...budgetRoutes,
  ...webhookRoutes,
  ...ledgerRoutes,
  ...settingRoutes,
  ...healthRoutes,
  ...metricRoutes,
  ...descriptionRoutes(() => describe(routes)),
];

export function description(): Description {
  const steps = describe(routes);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
