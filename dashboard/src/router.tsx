import type { ComponentType } from 'react';
import { readTexts } from './api/search.ts';
import { createRouter, Guard } from './kit/router.tsx';
import { readCampaignSearch } from './pages/campaign/search.ts';
import { readCampaignsSearch } from './pages/campaigns/search.ts';
import { readStep } from './pages/new-campaign/step-names.ts';
import { OverviewPage } from './pages/overview/page.tsx';
import { PageFailed, part } from './shell/part.tsx';
import { Shell } from './shell/shell.tsx';
import { allPages } from './shell/sidebar.tsx';

/** A page at its address. `read` takes the filters from the address. */
function page<const Path extends string, Module, Search extends object = Record<never, never>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module,
  read = (_: Record<string, unknown>): Search => ({}) as Search,
) {
  const title = allPages.find(({ to }) => to === `/${path.split('/')[1]}`)?.label ?? 'Carillon';
  const Shown = part(load as () => Promise<Record<keyof Module, ComponentType>>, name, title);
  return { path, Shown, read };
}

/** Every page: a line here, and one in shell/sidebar.tsx. */
const pages = [
  // The first screen comes with the frame: one file is smaller than several.
  { path: '/', Shown: OverviewPage, read: () => ({}) },
  page('/live', () => import('./pages/live/page.tsx'), 'LivePage', readTexts('campaign', 'key', 'phase')),
  page('/campaigns', () => import('./pages/campaigns/page.tsx'), 'CampaignsPage', readCampaignsSearch),
  page('/campaigns/new', () => import('./pages/new-campaign/page.tsx'), 'NewCampaignPage', readStep),
  page('/campaigns/$id', () => import('./pages/campaign/page.tsx'), 'CampaignPage', readCampaignSearch),
  page('/people', () => import('./pages/people/page.tsx'), 'PeoplePage', readTexts('phone', 'state')),
  page(
    '/people/$person',
    () => import('./pages/people/person.tsx'),
    'PersonPage',
    readTexts('row', 'attempt', 'act'),
  ),
  page(
    '/listen',
    () => import('./pages/listen/page.tsx'),
    'ListenPage',
    readTexts('campaign', 'latest', 'call', 'said'),
  ),
  page('/unknown', () => import('./pages/unknown/page.tsx'), 'UnknownPage', readTexts('campaign', 'attempt')),
  page('/keys', () => import('./pages/keys/page.tsx'), 'KeysPage'),
  page('/numbers', () => import('./pages/numbers/page.tsx'), 'NumbersPage'),
  page('/keys/$name', () => import('./pages/keys/page.tsx'), 'KeyPage', readTexts('span')),
  page(
    '/suppressions',
    () => import('./pages/suppressions/page.tsx'),
    'SuppressionsPage',
    readTexts('phone', 'source', 'campaign'),
  ),
  page('/policy', () => import('./pages/policy/page.tsx'), 'PolicyPage'),
  page(
    '/activity',
    () => import('./pages/activity/page.tsx'),
    'ActivityPage',
    readTexts('who', 'verb', 'subject', 'campaign', 'since', 'until'),
  ),
  page('/webhooks', () => import('./pages/webhooks/page.tsx'), 'WebhooksPage'),
  page('/webhooks/$id', () => import('./pages/webhooks/page.tsx'), 'WebhooksPage'),
  page('/alerts', () => import('./pages/alerts/page.tsx'), 'AlertsPage'),
  page('/tokens', () => import('./pages/tokens/page.tsx'), 'TokensPage'),
  // The queue board has /queues.
  page('/jobs', () => import('./pages/jobs/page.tsx'), 'JobsPage', readTexts('q')),
  page('/imports/$id', () => import('./pages/imports/page.tsx'), 'ImportPage'),
  page('/settings', () => import('./pages/settings/page.tsx'), 'SettingsPage'),
  page('/health', () => import('./pages/health/page.tsx'), 'HealthPage'),
] as const;

createRouter({
  pages,
  NotFound: part(() => import('./shell/not-found.tsx'), 'NotFound', 'No such page'),
  Failed: PageFailed,
});

declare module './kit/router.tsx' {
  interface Register {
    pages: typeof pages;
  }
}

export const App = () => (
  <Guard failed={(error) => <PageFailed error={error} />}>
    <Shell />
  </Guard>
);
