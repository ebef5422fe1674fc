import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { createSharedAnswers } from '../../src/api/register.ts';

let now = 0;
const asks = (url: string, role: string, cacheControl?: string) =>
  ({ method: 'GET', url, actor: { role }, headers: { 'cache-control': cacheControl } }) as FastifyRequest;

it('serves one answer to all who take one of that age, each role its own, and a new one to anyone else', async () => {
  const share = createSharedAnswers({ monotonic: () => now });
  let made = 0;
  const make = async () => ++made;
  const many = await Promise.all(
    Array.from({ length: 20 }, () => share(asks('/api/keys', 'read', 'max-age=1'), make)),
  );
  expect(new Set(many)).toEqual(new Set([1]));
  expect(await share(asks('/api/keys', 'admin', 'max-age=1'), make)).toBe(2);
  expect(await share(asks('/api/keys?limit=1', 'read', 'max-age=1'), make)).toBe(3);
  expect(await share(asks('/api/keys', 'read'), make)).toBe(4);
  expect(await share(asks('/api/keys', 'read', 'no-cache'), make)).toBe(5);
  now += 1_001;
  expect(await share(asks('/api/keys', 'read', 'max-age=1'), make)).toBe(6);
});

it('does not serve a failure again', async () => {
  const share = createSharedAnswers({ monotonic: () => now });
  const asked = asks('/api/keys', 'read', 'max-age=1');
  const fail = () => share(asked, () => Promise.reject(new Error('the ledger is away')));
  await expect(Promise.all([fail(), fail()])).rejects.toThrow('the ledger is away');
  expect(await share(asked, async () => 'there again')).toBe('there again');
});
