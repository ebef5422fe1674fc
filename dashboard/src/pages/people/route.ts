import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../root.tsx';
import { type PeopleSearch, peopleStates } from './search.ts';

/** The addresses of people: what a search found, and one person. */
export type PersonSearch = { row?: string; attempt?: string };

const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

export const peopleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/people',
  // A phone, but also all else that the search understands.
  validateSearch: ({ phone, state }: Record<string, unknown>): PeopleSearch => {
    const known = peopleStates.find((each) => each === state);
    return { ...(text(phone) === '' ? {} : { phone: text(phone) }), ...(known ? { state: known } : {}) };
  },
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
