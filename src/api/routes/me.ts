import { meAnswer, showMe } from '../../control/tokens/manage.ts';
import { type Route, routesOf } from '../route.ts';

const { get } = routesOf('tokens');

/** Who sent the request. */
export const meRoutes: Route[] = [
  get('/api/me', 'getMe', {
    role: 'read',
    summary: 'Tells who asks: the token’s name and its role.',
    answers: { 200: meAnswer },
    handle: async ({ request }) => showMe(request.actor!, request.isLogin),
  }),
];
