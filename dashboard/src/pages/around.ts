import { activityRoute } from './activity/route.ts';
import { alertsRoute } from './alerts/route.ts';
import { healthRoute } from './health/route.ts';
import { importRoute } from './imports/route.ts';
import { jobsRoute } from './jobs/route.ts';
import { policyRoute } from './policy/route.ts';
import { settingsRoute } from './settings/route.ts';
import { suppressionsRoute } from './suppressions/route.ts';
import { tokensRoute } from './tokens/route.ts';
import { webhookRoute, webhooksRoute } from './webhooks/route.ts';

/** The pages around the calls: whom not to call and when, who is told, who may ask, what runs. */
export const aroundRoutes = [
  suppressionsRoute,
  policyRoute,
  webhooksRoute,
  webhookRoute,
  alertsRoute,
  tokensRoute,
  activityRoute,
  jobsRoute,
  importRoute,
  settingsRoute,
  healthRoute,
] as const;
