import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, launchBrowser } from '../../bench/support/browser.ts';
import { startApi } from '../../src/api/server.ts';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

/** A reader like the page: it keeps the data and the id of each event. */
const listen = `new Promise((resolve) => {
  globalThis.seen = [];
  const source = new EventSource('/api/events?types=alert.raised');
  source.addEventListener('open', resolve);
  source.addEventListener('alert.raised', ({ data, lastEventId }) => {
    seen.push(JSON.parse(data).data.n + ' ' + lastEventId);
  });
})`;

/** A browser's own EventSource, which connects again by itself. */
describe.skipIf(!browserPath)('an EventSource in a browser (skipped without Chromium)', () => {
  let browser: Browser;
  let api: TestApi;
  beforeAll(async () => {
    [browser, api] = await Promise.all([launchBrowser(), openApi()]);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  it('follows the events, and misses none when the server is started again', async () => {
    const { app, stations } = api;
    const tell = (n: number) =>
      app.ledger.events.emit({ type: 'alert.raised', subject: String(n), data: { n } });
    const first = await startApi(app, { host: '127.0.0.1', port: 0, stations });
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    // Not the page itself: a checkout may still be building it, and loads it again when it is there.
    await page.goto(`${first.url}/api/docs`);
    await page.evaluate(listen);
    const seen = (many: number): Promise<string[]> =>
      until(
        () => page.evaluate('seen') as Promise<string[]>,
        (all) => all.length >= many,
      );
    await tell(1);
    const [one] = await seen(1);
    expect(one).toMatch(/^1 evt_[0-9a-f]{24}$/);
    await first.close();
    await tell(2);
    await tell(3);
    const second = await startApi(app, {
      host: '127.0.0.1',
      port: Number(new URL(first.url).port),
      stations,
    });
    await seen(3);
    await tell(4);
    const all = await seen(4);
    expect(all.map((each) => Number.parseInt(each, 10))).toEqual([1, 2, 3, 4]);
    expect(all[0]).toBe(one);
    await page.close();
    await second.close();
  });
});
