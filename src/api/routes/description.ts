import type { Description } from '../describe.ts';
import { type Route, raw, route } from '../route.ts';

/** The description of the API, at its own address. Anyone who reaches the port may read it: it holds no data. */
export function descriptionRoutes(describe: () => Description): Route[] {
  let text: string | undefined;
  return [
    route({
      method: 'GET',
      path: '/api/openapi.json',
      id: 'getDescription',
      tag: 'operations',
      role: null,
      linkable: true,
      summary: 'This description, as OpenAPI 3.1.',
      answers: { 200: raw('application/json', '{"openapi": "3.1.1"}') },
      handle: ({ reply }) => {
        text ??= JSON.stringify(describe());
        return reply.header('content-type', 'application/json; charset=utf-8').send(text);
      },
    }),
  ];
}
