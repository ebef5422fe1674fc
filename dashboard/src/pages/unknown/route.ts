import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';

/** The address of the unknown calls: of one campaign or of all, with the one that is shown. */
export type UnknownSearch = { campaign?: string; attempt?: string };

const named = (name: 'campaign' | 'attempt', value: unknown): UnknownSearch =>
  typeof value === 'string' && value !== '' ? { [name]: value } : {};

export const unknownRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/unknown',
  validateSearch: ({ campaign, attempt }: Record<string, unknown>): UnknownSearch => ({
    ...named('campaign', typeof campaign === 'number' ? String(campaign) : campaign),
    ...named('attempt', attempt),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'UnknownPage'),
});
