import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';

/** The addresses of people: what a search found, and one person. */
export type PeopleSearch = { phone?: string };
export type PersonSearch = { row?: string; attempt?: string };

const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

export const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people',
  // A phone, but also all else that the search understands.
  validateSearch: ({ phone }: Record<string, unknown>): PeopleSearch =>
    text(phone) === '' ? {} : { phone: text(phone) },
  component: lazyRouteComponent(() => import('./page.tsx'), 'PeoplePage'),
});

export const personRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people/$person',
  validateSearch: ({ row, attempt }: Record<string, unknown>): PersonSearch => ({
    ...(text(row) === '' ? {} : { row: text(row) }),
    ...(text(attempt) === '' ? {} : { attempt: text(attempt) }),
  }),
  component: lazyRouteComponent(() => import('./person.tsx'), 'PersonPage'),
});
