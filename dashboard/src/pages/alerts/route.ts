import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';

/** The address of the page of alerts. */
export const alertsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/alerts',
  component: lazyRouteComponent(() => import('./page.tsx'), 'AlertsPage'),
});
