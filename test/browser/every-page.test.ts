import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { pageAddresses } from '../../src/api/routes/pages.ts';
import { until } from '../support/until.ts';
import { axeInBoth, browserPath, fits, goTo, openPage } from './support.ts';

/** Every page with something on it: read by all in both themes, and never wider than a phone. */
const phone = '+14155550701';
/** Tables with a column off their edge; a report has one for each figure, and scrolls. */
const cutTables = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main [data-table]')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
    .map((each) => each.querySelector('table').ariaLabel)
    .filter((label) => !/^Calls by /.test(label))`);

/** Buttons with words of their own that are lower than 40 px. */
const lowButtons = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main button.rounded-md')]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 40)
    .map((each) => each.ariaLabel ?? each.textContent)`);

type Box = { x: number; width: number };

describe.skipIf(!browserPath)('every page, in a browser (skipped without Chromium)', () => {
  const site = openPage({ env: { WEBHOOK_ALLOW_PRIVATE: '1' } });
  const ids: Record<'campaign' | 'webhook' | 'list', string> = { campaign: '', webhook: '', list: '' };

  beforeAll(async () => {
    const { api } = site;
    const ask = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      (
        await api.ask(method, path, {
          ...(body === undefined ? {} : { body }),
          ...(headers ? { headers } : {}),
        })
      ).json;
    api.work();
    const recipients = [phone, '+14155550702', '+14155550703'].map((each) => ({ phone: each, name: 'Ann' }));
    const order = { agent: 'a', recipients };
    ids.campaign = (await ask('POST', '/api/campaigns', { ...order, name: 'spring', start: true })).id;
    await ask('POST', '/api/campaigns', { ...order, name: 'draft' });
    ids.list = (
      await ask('POST', '/api/campaigns/draft/recipients', 'phone\n+14155550721\nnobody\n', {
        'content-type': 'text/csv',
        prefer: 'respond-async',
      })
    ).id;
    // Before the rules: by them nobody is called at night.
    await until(
      () => ask('GET', '/api/campaigns/spring'),
      ({ balance }) => balance.calling + balance.done > 0,
    );
    await ask('PUT', '/api/policy', { hours: ['us-telemarketing'], gap: '4h' });
    await ask('POST', '/api/suppressions', { phones: ['+14155550799'], reason: 'asked for it' });
    ids.webhook = (await ask('POST', '/api/webhooks', { url: 'http://localhost:9/hook' })).id;
    await ask('POST', '/api/alerts/addresses', { kind: 'url', address: 'http://localhost:9/alerts' });
    await ask('POST', '/api/tokens', { name: 'wall', role: 'read' });
  });

  /** The sign that each shows once it has its answers. A new page is a line here. */
  const pages = (): [path: string, sign: string | RegExp][] => [
    ['/', 'Keys'],
    ['/live', /Calls stand here|talking/],
    ['/listen', /Answered calls, the latest first|No call was answered yet/],
    ['/campaigns', 'spring'],
    [`/campaigns/${ids.campaign}`, 'Calls compared by'],
    ['/campaigns/new', 'Choose a file, or drop it here'],
    ['/people', 'the last call first'],
    [`/people?phone=${encodeURIComponent(phone)}`, 'Ann'],
    [`/people/${phone}`, 'Every campaign'],
    ['/unknown', 'Every call is accounted for.'],
    ['/keys', 'main'],
    ['/numbers', /numbers? to call from/],
    ['/keys/main', 'As a table'],
    ['/jobs', 'Next in line'],
    ['/suppressions', '+14155550799'],
    ['/policy', /4 h at least/],
    ['/webhooks', 'all events'],
    [`/webhooks/${ids.webhook}`, /events? waits?/],
    ['/alerts', 'every alert'],
    ['/tokens', 'wall'],
    ['/activity', 'changed the contact rules'],
    ['/settings', 'Told when Carillon itself stops'],
    ['/health', 'Contact rules'],
    [`/imports/${ids.list}`, '"nobody" contains letters'],
  ];

  it('shows the act of a campaign whole in a list of any width', async () => {
    const page = await site.visit('/campaigns');
    const act = page.getByRole('button', { name: 'Start draft' });
    const list = page.getByRole('table', { name: 'Campaigns' }).locator('..');
    await act.waitFor();
    const boxes = () => Promise.all([act, list].map(async (each) => (await each.boundingBox())!));
    for (const width of [390, 1024, 1280, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      // As soon as the columns have their widths.
      await expect
        .poll(boxes, { message: `${width} px` })
        .toSatisfy(([a, b]: Box[]) => a!.x >= b!.x && a!.x + a!.width <= b!.x + b!.width);
    }
  });

  it('reads well in the light and in the dark, and fits each window', async () => {
    const page = await site.visit('/');
    const found: [string, string][] = [];
    for (const [path, sign] of pages()) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await goTo(page, path);
      await page.getByRole('main').getByText(sign).filter({ visible: true }).first().waitFor();
      for (const each of await axeInBoth(page)) found.push([path, each]);
      for (const width of [1024, 820, 390]) {
        await page.setViewportSize({ width, height: 844 });
        if (!(await fits(page))) found.push([path, `is wider than ${width} px`]);
        // As soon as the rows are cards.
        await expect.poll(() => cutTables(page), { message: `${path} at ${width} px` }).toEqual([]);
      }
      // The last width is a phone's: what a finger presses is as high as it is.
      await expect.poll(() => lowButtons(page), { message: path }).toEqual([]);
    }
    expect(found).toEqual([]);
    // On a phone the pages are in a menu.
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Overview' }).waitFor();
  });

  it('is one of these', () => {
    const shown = new Set(pages().map(([path]) => path.split(/[/?]/)[1]));
    expect(pageAddresses.filter((part) => !shown.has(part))).toEqual([]);
  });
});
