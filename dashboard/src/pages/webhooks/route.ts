import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { textsOf } from '../../api/search.ts';
import { rootRoute } from '../../root.tsx';

/** The addresses of the webhooks: all of them, and one with its deliveries. */
export const webhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./page.tsx'), 'WebhooksPage'),
});

export const webhookRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks/$id',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['delivered']),
  component: lazyRouteComponent(() => import('./one.tsx'), 'WebhookPage'),
});
