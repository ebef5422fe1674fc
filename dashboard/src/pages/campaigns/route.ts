import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';
import { readCampaignsSearch } from './search.ts';

/** The address of the list of campaigns. */
export const campaignsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/campaigns',
  validateSearch: readCampaignsSearch,
  component: lazyRouteComponent(() => import('./page.tsx'), 'CampaignsPage'),
});
