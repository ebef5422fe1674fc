import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';

/** The address of the contact rules. */
export const policyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/policy',
  component: lazyRouteComponent(() => import('./page.tsx'), 'PolicyPage'),
});
