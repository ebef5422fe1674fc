import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/checkout.ts';
import { serveApi } from './support.ts';

/** The docs for readers that are programs, without a token. */
const api = serveApi({ token: 'a-token-of-16-chars' });

const folder = join(root, 'docs');
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.md'),
);

describe('the docs that the server has', () => {
  it('are every page, as it is written, as Markdown', async () => {
    expect(pages.length).toBeGreaterThan(60);
    for (const name of pages) {
      const { status, headers, text } = await api.ask('GET', `/docs/${name}`);
      expect([name, status, headers.get('content-type')]).toEqual([
        name,
        200,
        'text/markdown; charset=utf-8',
      ]);
      expect(text).toBe(readFileSync(join(folder, name), 'utf8'));
    }
    const head = await api.ask('HEAD', '/docs/tutorial.md');
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', expect.any(String)]);
    const again = await api.ask('GET', '/docs/tutorial.md', {
      headers: { 'if-none-match': head.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
    const start = await api.ask('GET', '/docs');
    expect([start.status, start.headers.get('location')]).toEqual([302, '/docs/README.md']);
  });

  it('are listed in llms.txt, each once, by links that the server answers', async () => {
    const { status, headers, text } = await api.ask('GET', '/llms.txt');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toMatch(/^# Carillon\n\n> .+\n/);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link]) => link!);
    const listed = ['docs/reference/openapi.json', ...pages.map((name) => `docs/${name}`)];
    expect(links.sort()).toEqual(listed.filter((path) => path !== 'docs/README.md').sort());
    for (const link of links) expect([link, (await api.ask('GET', `/${link}`)).status]).toEqual([link, 200]);
  });

  it.each([
    '/docs/..%2fpackage.json',
    '/docs/..%2f.env.example',
    '/docs/%2e%2e/package.json',
    '/docs/guides/..%2f..%2fREADME.md',
    '/docs//etc/passwd',
    '/docs/..%5cpackage.json',
    '/docs/guides',
    '/docs/pictures/overview.png',
    '/docs/__proto__',
  ])('are nothing else: %s', async (path) => {
    expect((await api.raw('GET', path, {})).status).toBe(404);
  });
});

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
