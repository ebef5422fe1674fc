import { createRootRoute, lazyRouteComponent } from '@tanstack/react-router';
import { PageFailed } from './shell/failed.tsx';
import { Shell } from './shell/shell.tsx';

export const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: lazyRouteComponent(() => import('./shell/not-found.tsx'), 'NotFound'),
  errorComponent: PageFailed,
});
