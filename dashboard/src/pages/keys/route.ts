import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';
import { readKeySearch } from './spans.ts';

/** The addresses of keys: all of them, and one. */
export const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./page.tsx'), 'KeysPage'),
});

export const keyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys/$name',
  validateSearch: readKeySearch,
  component: lazyRouteComponent(() => import('./key.tsx'), 'KeyPage'),
});
