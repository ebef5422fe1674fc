import {
  keepView,
  listViews,
  removeView,
  shownView,
  viewInput,
  viewsAnswer,
  viewsQuery,
} from '../../control/people/views.ts';
import { type Route, route } from '../route.ts';

/** Views: named filters of people, shared by everyone. */
export const viewRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/views',
    id: 'listViews',
    tag: 'recipients',
    role: 'read_people',
    summary: 'Lists the views: filters of people with a name, for every campaign.',
    query: viewsQuery,
    answers: { 200: viewsAnswer },
    handle: ({ query }, { app }) => listViews(app.ledger, query),
  }),
  route({
    method: 'PUT',
    path: '/api/views/{name}',
    id: 'keepView',
    tag: 'recipients',
    role: 'operate',
    summary: 'Saves a view; saving the same name again replaces its filter.',
    params: { name: 'Its name.' },
    body: viewInput,
    answers: { 200: shownView },
    example: { body: { filter: { state: 'done', outcome: 'no-answer,busy' } } },
    handle: ({ params, body }, { app }) => keepView(app.ledger, params.name, body),
  }),
  route({
    method: 'DELETE',
    path: '/api/views/{name}',
    id: 'removeView',
    tag: 'recipients',
    role: 'operate',
    summary: 'Removes a view.',
    params: { name: 'Its name.' },
    answers: { 200: shownView },
    errors: ['view-unknown'],
    handle: ({ params }, { app }) => removeView(app.ledger, params.name),
  }),
];
