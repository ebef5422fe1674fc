import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';

/** The address of Listen back: the campaign, the call that is open, and the words that are searched for. */
export type ListenSearch = { campaign?: string; call?: string; said?: string };

const named = (name: keyof ListenSearch, value: unknown): ListenSearch =>
  value !== undefined && value !== '' ? { [name]: String(value) } : {};

export const listenRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/listen',
  validateSearch: ({ campaign, call, said }: Record<string, unknown>): ListenSearch => ({
    ...named('campaign', campaign),
    ...named('call', call),
    ...named('said', said),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'ListenPage'),
});
