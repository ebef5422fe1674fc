import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Ground, incidents, openGround } from '../sunday/incidents.ts';
import { axe, browserPath, goTo, openPage } from './support.ts';

/** What goes wrong on a Sunday: the first screen names it, why, and the one act, which ends it. */
describe.skipIf(!browserPath)('the first screen, in a browser (skipped without Chromium)', () => {
  const site = openPage();
  let ground: Ground;
  const read = new Set<'button' | 'link'>();
  beforeAll(async () => {
    ground = await openGround();
  });
  afterEach(() => ground.calm());
  afterAll(() => ground?.close());

  const visit = (path = '/') => site.visit(path, { origin: ground.api.url, expect: /50[03]|Failed to load/ });
  const first = (page: Page) => page.getByRole('region', { name: 'Needs you' }).getByRole('listitem').first();

  it.each(incidents.map((each) => [each.what, each] as const))('%s', async (_, incident) => {
    const { happen, tells, why, act, there, repair } = incident;
    const page = await visit();
    await page.getByText('up to date', { exact: true }).waitFor();
    await happen(ground);
    await ground.beat().catch(() => undefined);
    const told = act ? first(page) : page.getByRole('main').or(page.getByRole('alert').first());
    const line = page.getByText(tells).first();
    await line.waitFor();
    if (act) {
      await told.getByText(tells).waitFor();
      await told.getByText(why).waitFor();
      // The lines are alike, but for what their act is.
      const kind = /^Resume/.test(act) ? 'button' : 'link';
      if (!read.has(kind)) expect(await axe(page)).toEqual([]);
      read.add(kind);
      // Its key does it.
      await told.getByRole(kind, { name: act }).waitFor();
      await page.keyboard.press('1');
    } else await page.getByText(why).first().waitFor();
    for (const step of there) {
      if (Array.isArray(step)) await page.getByLabel(step[0], { exact: true }).fill(step[1]);
      else {
        const button = page.getByRole('button', { name: step, disabled: false });
        const text = page.getByText(step).first();
        await button.or(text).first().waitFor();
        if (!repair) await button.last().click();
      }
    }
    await repair?.(ground);
    if (act) await goTo(page, '/');
    await expect
      .poll(async () => {
        await ground.beat().catch(() => undefined);
        return page.getByText(tells).count();
      })
      .toBe(0);
  });

  const everywhere = incidents.filter(({ what }) => /^The service fails|^The agent|^Three calls/.test(what));
  it.each(everywhere.map((each) => [each.what, each] as const))(
    '%s Every page says so in the same words, and no page names an end or a second cause',
    async (_, { happen, tells }) => {
      await happen(ground);
      await ground.beat();
      const page = await visit('/campaigns/March reminders');
      await page.getByText(/^It goes on when|^No call is to come/).waitFor();
      for (const path of ['/campaigns/March reminders', '/live', '/health', '/alerts']) {
        await goTo(page, path);
        await page.getByText(tells).waitFor();
        expect(await page.getByText(/resumed now|Why \d+ pe|Carillon works/).count()).toBe(0);
      }
    },
  );

  it('A list whose rows were all rejected leaves nobody to call, and the pages say so', async () => {
    await incidents.find(({ what }) => /another country/.test(what))!.happen(ground);
    const page = await visit('/campaigns');
    const row = page.getByRole('row', {
      name: /Lisbon survey.* all its 40 rows were rejected.* nobody to call/,
    });
    await row.getByRole('link', { name: 'See the rows' }).waitFor();
    await row.click();
    await page.getByText('Nobody to call', { exact: true }).waitFor();
    await page.getByText('nobody to call', { exact: true }).waitFor();
  });
});
