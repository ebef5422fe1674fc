import { createRouter } from '@tanstack/react-router';
import { aroundRoutes } from './pages/around.ts';
import { campaignRoute } from './pages/campaign/route.ts';
import { campaignsRoute } from './pages/campaigns/route.ts';
import { keyRoute, keysRoute } from './pages/keys/route.ts';
import { listenRoute } from './pages/listen/route.ts';
import { liveRoute } from './pages/live/route.ts';
import { newCampaignRoute } from './pages/new-campaign/route.ts';
import { overviewRoute } from './pages/overview/route.ts';
import { peopleRoute, personRoute } from './pages/people/route.ts';
import { unknownRoute } from './pages/unknown/route.ts';
import { rootRoute } from './root.tsx';
import { PageFailed } from './shell/failed.tsx';

/** Every page: a line here, and one in shell/navigation.ts. Each is loaded when it is first opened. */
const routeTree = rootRoute.addChildren([
  campaignRoute,
  campaignsRoute,
  newCampaignRoute,
  keyRoute,
  keysRoute,
  listenRoute,
  liveRoute,
  overviewRoute,
  peopleRoute,
  personRoute,
  unknownRoute,
  ...aroundRoutes,
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageFailed,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
