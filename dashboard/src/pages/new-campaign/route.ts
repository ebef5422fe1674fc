import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';
import { isStep, type Step } from './step-names.ts';

/** The address of the path to a new campaign; each step has its own, so that Back and reload stay in place. */
export const newCampaignRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/campaigns/new',
  validateSearch: (search: Record<string, unknown>): { step?: Step } =>
    isStep(search.step) ? { step: search.step } : {},
  component: lazyRouteComponent(() => import('./page.tsx'), 'NewCampaignPage'),
});
