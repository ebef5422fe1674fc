import { type Description, describe } from './describe.ts';
import type { Route } from './route.ts';
import { alertRoutes } from './routes/alerts.ts';
import { descriptionRoutes } from './routes/description.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { importRoutes } from './routes/imports.ts';
import { keyRoutes } from './routes/keys.ts';
import { suppressionRoutes } from './routes/suppressions.ts';
import { tokenRoutes } from './routes/tokens.ts';

/** Every route of the API: the server serves these, and they are described. */
export const routes: readonly Route[] = [
  ...importRoutes,
  ...keyRoutes,
  ...suppressionRoutes,
  ...tokenRoutes,
  ...eventRoutes,
  ...alertRoutes,
  ...healthRoutes,
  ...descriptionRoutes(() => description()),
];

export function description(): Description {
  return describe(routes);
}
