import { setImmediate } from 'node:timers/promises';
import type { Description } from '../describe/describe.ts';
import { type FixedAnswer, fix, sendFixed } from '../etag-gzip.ts';
import { type Route, raw, routesOf } from '../route.ts';

const { get } = routesOf('operations');

/** The description of the API, at its own address. Anyone who reaches the port may read it: it holds no data. */
export function descriptionRoutes(describe: () => Generator<void, Description>): Route[] {
  let made: Promise<FixedAnswer> | undefined;
  return [
    get('/api/openapi.json', 'getDescription', {
      role: null,
      linkable: true,
      summary: 'This description, as OpenAPI 3.1.',
      answers: { 200: raw('application/json', '{"openapi": "3.1.1"}') },
      handle: async ({ reply }) => {
        made ??= textOf(describe()).then(fix);
        return sendFixed(reply.header('content-type', 'application/json; charset=utf-8'), await made);
      },
    }),
  ];
}

/** Made in steps: a hundred schemas at once would block every other request for half a second. */
async function textOf(steps: Generator<void, Description>): Promise<string> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return JSON.stringify(value);
    await setImmediate();
  }
}
