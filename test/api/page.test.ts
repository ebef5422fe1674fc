import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, launchBrowser } from '../../bench/support/browser.ts';
import { openApi, type TestApi } from './support.ts';

/** The queues' board in a real browser, under the policy that they are served with. */
describe.skipIf(!browserPath)('in a browser (skipped without Chromium)', () => {
  let browser: Browser;
  let page: Page;
  let complaints: string[] = [];
  const apis: TestApi[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    await page?.context().close();
    for (const api of apis.splice(0)) await api.close();
    complaints = [];
  });
  afterAll(() => browser?.close());

  async function visit(options: Parameters<typeof openApi>[0], path: string): Promise<TestApi> {
    const api = await openApi(options);
    apis.push(api);
    page = await (await browser.newContext()).newPage();
    // Ends a wait that hangs; how soon a page is drawn does not matter here.
    page.setDefaultTimeout(120_000);
    page.on('console', (message) => {
      if (message.type() === 'error' || /Content Security Policy/.test(message.text()))
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(api.url) && !request.url().startsWith('data:'))
        complaints.push(`asked ${request.url()}`);
    });
    await page.goto(api.url + path);
    return api;
  }

  it('the queues ask for their own login when there is none', async () => {
    const api = await visit({ token: 'the-token' }, '/queues');
    expect(page.url()).toBe(`${api.url}/login`);
    await page.getByLabel('API token').fill('the-token');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.waitForURL(/\/queues/);
    await page.getByText('main.').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('the queues show their jobs, load nothing from elsewhere, and obey their policy', async () => {
    // Not the page itself: a checkout may still be building it.
    const api = await visit({}, '/queues');
    const desk = api.stations.lanes()[0]!;
    await api.stations.queues.add(desk.bucket, 'dial', ['00000000-0000-4000-8000-000000000001']);
    await page.goto(`${api.url}/queues/queue/${desk.bucket}.dial?status=waiting`);
    await page.getByText('00000000-0000-4000-8000-000000000001').first().waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the board', () => {
  it('changes nothing: its queues are read-only', async () => {
    const api = await openApi();
    try {
      const desk = api.stations.lanes()[0]!;
      const id = '00000000-0000-4000-8000-000000000002';
      await api.stations.queues.addLater(desk.bucket, 'dial', id, 3_600_000);
      const { json } = await api.ask('GET', '/queues/api/queues');
      expect(json.queues.map((queue: { name: string }) => queue.name)).toEqual([
        `${desk.bucket}.dial`,
        `${desk.bucket}.track`,
      ]);
      expect(json.queues.every((queue: { readOnlyMode: boolean }) => queue.readOnlyMode)).toBe(true);
      const base = `/queues/api/queues/${desk.bucket}.dial`;
      const job = `${base}/${id}`;
      const changes = [
        `${job}/promote`,
        `${job}/retry/failed`,
        `${job}/clean`,
        `${base}/pause`,
        `${base}/obliterate`,
      ];
      for (const path of [...changes, `${base}/add`, '/queues/api/queues/pause']) {
        for (const method of ['PUT', 'POST', 'PATCH']) {
          expect([403, 404, 405]).toContain((await api.ask(method, path, { body: {} })).status);
        }
      }
      expect((await api.ask('PUT', '/queues/api/queues/pause', { body: {} })).status).toBe(403);
      const queue = api.stations.queues.queue(desk.bucket, 'dial');
      expect(await queue.getJobCounts('delayed', 'waiting')).toEqual({ delayed: 1, waiting: 0 });
      expect(await queue.isPaused()).toBe(false);
    } finally {
      await api.close();
    }
  });
});
