import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';
import type { LiveSearch } from './search.ts';

/** The address of the calls in progress. */
export const liveRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/live',
  validateSearch: ({ campaign, key, phase }: Record<string, unknown>): LiveSearch => ({
    ...(typeof campaign === 'string' && campaign ? { campaign } : {}),
    ...(typeof key === 'string' && key ? { key } : {}),
    ...(phase === 'ringing' || phase === 'talking' ? { phase } : {}),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'LivePage'),
});
