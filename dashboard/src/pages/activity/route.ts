import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { textsOf } from '../../api/search.ts';
import { rootRoute } from '../../root.tsx';

/** The address of the activity, with its filters. */
const names = ['who', 'verb', 'subject', 'campaign', 'since', 'until'] as const;

export const activityRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/activity',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, names),
  component: lazyRouteComponent(() => import('./page.tsx'), 'ActivityPage'),
});
