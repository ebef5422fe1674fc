import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';
import { readCampaignSearch } from './search.ts';

/** One campaign's address. */
export const campaignRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/campaigns/$id',
  validateSearch: readCampaignSearch,
  component: lazyRouteComponent(() => import('./page.tsx'), 'CampaignPage'),
});
