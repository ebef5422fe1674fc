import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { textsOf } from '../../api/search.ts';
import { rootRoute } from '../../root.tsx';

/** The address of the queues, with its filters. The queue board has /queues. */
export const jobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['q', 'key', 'kind', 'state']),
  component: lazyRouteComponent(() => import('./page.tsx'), 'JobsPage'),
});
