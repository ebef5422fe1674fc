import { describe, expect, it } from 'vitest';
import { axe, browserPath, openPage } from './support.ts';

/** What calls may cost, on the page: asked for in the form, and told where a campaign stands. */
describe.skipIf(!browserPath)('a budget, in a browser (skipped without Chromium)', () => {
  const site = openPage({ simulator: { speed: 600, shares: { answered: 1 } } });

  it('is asked for in the order, and told with what is spent and why people wait', async () => {
    const { api } = site;
    const recipients = Array.from({ length: 40 }, (_, n) => ({
      phone: `+1415555${String(n).padStart(4, '0')}`,
    }));
    const body = { name: 'frugal', agent: 'a', recipients, max_cost: 1, start: true };
    const { json } = await api.ask('POST', '/api/campaigns', { body });
    api.work();
    const page = await site.visit(`/campaigns/${json.id}`);
    const meter = page.locator('[role=meter][aria-valuetext$="spent; the next call would pass it"]');
    await meter.waitFor();
    await page.getByText('for the budget').waitFor();
    expect(await meter.getAttribute('aria-valuetext')).toMatch(
      /^[\d.]+ of 1\.00 spent; the next call would pass it$/,
    );
    expect(Number(await meter.getAttribute('aria-valuenow'))).toBeLessThanOrEqual(1.5);
    expect(await axe(page)).toEqual([]);
    const order = await site.visit(`/campaigns/${json.id}?tab=order`);
    await order.getByText(/may cost 1\.00 at most/).waitFor();
  });
});
