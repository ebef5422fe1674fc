import {
  keepView,
  listViews,
  removeView,
  shownView,
  viewInput,
  viewsAnswer,
  viewsQuery,
} from '../../control/people/views.ts';
import { type Route, routesOf } from '../route.ts';

const { get, put, remove } = routesOf('recipients');

/** Views: named filters of people, shared by everyone. */
export const viewRoutes: Route[] = [
  get('/api/views', 'listViews', {
    role: 'read_people',
    summary: 'Lists the views: filters of people with a name, for every campaign.',
    query: viewsQuery,
    answers: { 200: viewsAnswer },
    handle: ({ query }, { app }) => listViews(app.ledger, query),
  }),
  put('/api/views/{name}', 'keepView', {
    role: 'operate',
    summary: 'Saves a view; saving the same name again replaces its filter.',
    params: { name: 'Its name.' },
    body: viewInput,
    answers: { 200: shownView },
    example: { body: { filter: { state: 'done', outcome: 'no-answer,busy' } } },
    handle: ({ params, body }, { app }) => keepView(app.ledger, params.name, body),
  }),
  remove('/api/views/{name}', 'removeView', {
    role: 'operate',
    summary: 'Removes a view.',
    params: { name: 'Its name.' },
    answers: { 200: shownView },
    errors: ['view-unknown'],
    handle: ({ params }, { app }) => removeView(app.ledger, params.name),
  }),
];
