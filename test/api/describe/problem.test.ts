import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { createErrorHandler } from '../../../src/api/describe/problem.ts';
import { CarillonError } from '../../../src/base/errors.ts';
import { createLog } from '../../../src/base/log.ts';

it('a failure that passes says when to come again', async () => {
  const server = Fastify();
  server.setErrorHandler(createErrorHandler(createLog('silent')));
  for (const code of ['ledger-unreachable', 'queue-unreachable', 'campaign-unknown'] as const) {
    server.get(`/${code}`, () => {
      throw new CarillonError(code);
    });
  }
  try {
    const away = await server.inject('/ledger-unreachable');
    expect([away.statusCode, away.headers['retry-after']]).toEqual([503, '5']);
    expect((await server.inject('/queue-unreachable')).headers['retry-after']).toBe('5');
    expect((await server.inject('/campaign-unknown')).headers['retry-after']).toBeUndefined();
  } finally {
    await server.close();
  }
});
