import { beforeAll, describe, expect, it } from 'vitest';
import { pageAddresses } from '../../src/api/page/addresses.ts';
import { until } from '../support/until.ts';
import { axe, browserPath, fits, openPage } from './support.ts';

/** Every page with something on it: read by all in both themes, and never wider than a phone. */
const phone = '+14155550701';

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
    ['/live', /No call now|talking/],
    ['/listen', 'No call waits to be heard'],
    ['/campaigns', 'spring'],
    [`/campaigns/${ids.campaign}`, 'Calls compared by'],
    ['/campaigns/new', 'Choose a file, or drop it here'],
    ['/people', 'the last call first'],
    [`/people?phone=${encodeURIComponent(phone)}`, 'Ann'],
    [`/people/${phone}`, 'Every campaign'],
    ['/unknown', 'Every call is accounted for.'],
    ['/keys', 'main'],
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

  it.each([390, 1024, 1280, 1440])(
    'shows the act of a campaign whole in a list %d px wide',
    async (width) => {
      const page = await site.visit('/campaigns', { width });
      const act = (await page.getByRole('button', { name: 'Start draft' }).boundingBox())!;
      const list = (await page.getByRole('table', { name: 'Campaigns' }).locator('..').boundingBox())!;
      expect(act.x).toBeGreaterThanOrEqual(list.x);
      expect(act.x + act.width).toBeLessThanOrEqual(list.x + list.width);
    },
  );

  it('reads well in the light and in the dark, and fits each window', async () => {
    const page = await site.visit('/');
    const found: [string, string, unknown][] = [];
    for (const [path, sign] of pages()) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(site.api.url + path);
      await page.getByRole('main').getByText(sign).filter({ visible: true }).first().waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const each of await axe(page)) found.push([path, colorScheme, each]);
      }
      for (const width of [1024, 820, 390]) {
        await page.setViewportSize({ width, height: 844 });
        if (!(await fits(page))) found.push([path, `${width} px`, 'is wider than the window']);
      }
    }
    expect(found).toEqual([]);
  });

  it('is one of these', () => {
    const shown = new Set(pages().map(([path]) => path.split(/[/?]/)[1]));
    expect(pageAddresses.filter((part) => !shown.has(part))).toEqual([]);
  });
});
