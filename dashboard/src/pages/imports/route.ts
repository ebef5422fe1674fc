import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';

/** The address of one import. */
export const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/imports/$id',
  component: lazyRouteComponent(() => import('./page.tsx'), 'ImportPage'),
});
