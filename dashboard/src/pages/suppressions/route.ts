import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { textsOf } from '../../api/search.ts';
import { rootRoute } from '../../root.tsx';

/** The suppressions' address, with its filters. */
export const suppressionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/suppressions',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['phone', 'source', 'campaign']),
  component: lazyRouteComponent(() => import('./page.tsx'), 'SuppressionsPage'),
});
