import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApi, type TestApi } from './support.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi({ token: 'a-token-of-16-chars' });
});
afterAll(() => api?.close());

it('the page to try the API comes from this server, without inline code and without a token', async () => {
  const page = await api.ask('GET', '/api/docs');
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(page.text).not.toMatch(/<script>|<style|https?:\/\/| style=| on\w+=/);
  const files = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((each) => each[1]!);
  expect(files).toContain('/api/openapi.json');
  const described = await api.ask('GET', '/api/openapi.json');
  const tag = described.headers.get('etag')!;
  expect(described.headers.get('content-encoding')).toBe('gzip');
  const known = await api.ask('GET', '/api/openapi.json', { headers: { 'if-none-match': tag } });
  expect([known.status, known.text]).toEqual([304, '']);
  const plain = await api.ask('GET', '/api/openapi.json', { headers: { 'accept-encoding': 'identity' } });
  expect([plain.headers.get('content-encoding'), plain.text === described.text]).toEqual([null, true]);
  expect(described.json.openapi).toMatch(/^3\.1/);
  expect(described.json.paths['/api/calls'].post.operationId).toBe('createCall');
  for (const file of files) expect([file, (await api.ask('GET', file)).status]).toEqual([file, 200]);
});
