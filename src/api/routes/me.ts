import { meAnswer, showMe } from '../../control/tokens/manage.ts';
import { type Route, route } from '../route.ts';

/** Who sent the request. */
export const meRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/api/me',
    id: 'getMe',
    tag: 'tokens',
    role: 'read',
    summary: 'Tells who asks: the token’s name and its role.',
    answers: { 200: meAnswer },
    handle: async ({ request }) => showMe(request.actor!, request.isLogin),
  }),
];
