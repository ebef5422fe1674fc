import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { axe, browserPath, fits, goTo, openPage } from './support.ts';

/** The answers to the question at the foot of a panel that something lies over. */
function coveredAnswers(page: Page): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('#foot button')]
    .filter((button) => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    })
    .map((button) => button.textContent)`);
}

/** Listen back: the first people's calls are heard and judged by one key each, then the campaign continues. */
describe.skipIf(!browserPath)('listen back, in a browser (skipped without Chromium)', () => {
  const site = openPage({ simulator: { speed: 600, shares: { answered: 1 }, seed: 3 } });
  type Judged = { fine: number; wrong: number; opt_out: number; left: number };
  const judged = async (): Promise<Judged> =>
    (await site.api.ask('GET', '/api/campaigns/pilot/first')).json.judged;

  beforeAll(async () => {
    const { api } = site;
    const recipients = Array.from({ length: 9 }, (_, n) => ({
      phone: `+1415555050${n}`,
      name: `Person ${n}`,
    }));
    const body = { name: 'pilot', agent: 'a', first: 4, recipients, start: true };
    await api.ask('POST', '/api/campaigns', { body });
    api.work();
    await site.until('/api/campaigns/pilot', ({ state }) => state === 'paused');
  });

  it('plays a call in step with what was said, from the overview on', async () => {
    const page = await site.visit('/');
    await page.getByText('pilot waits until you have heard its first calls.').waitFor();
    const needs = page.getByRole('region', { name: 'Needs you' });
    await needs.getByText(/^since /).waitFor();
    await needs.getByRole('link', { name: 'Listen back' }).click();
    await page.getByText('0 of 4 judged').waitFor();
    const talk = page.getByRole('list', { name: 'Transcript' });
    await talk.getByText('Agent', { exact: true }).first().waitFor();
    // It is read once, also where one presses again before it is there.
    const held: (() => Promise<void>)[] = [];
    await page.route('**/recording', (route) => void held.push(() => route.continue()));
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await expect.poll(() => held.length).toBe(1);
    // A time of the transcript is a place in the recording, and its line is the one that is heard.
    const third = talk.getByRole('listitem').nth(2);
    await third.getByRole('button').click();
    await held[0]!();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    expect(held).toHaveLength(1);
    await page.locator('li[aria-current="true"]').waitFor();
    expect(await axe(page)).toEqual([]);
    // Space presses what has the focus, and plays or pauses where nothing has.
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  });

  it('stands before newer campaigns, as it waits for a person, and its calls are found by what was said', async () => {
    await site.ask('POST', '/api/campaigns', { name: 'newer', agent: 'agent_a' });
    const page = await site.visit('/campaigns');
    await page.getByRole('row', { name: /newer/ }).waitFor();
    expect(await page.getByRole('row').nth(1).innerText()).toContain('pilot');
    await goTo(page, '/listen');
    const box = page.getByRole('searchbox', { name: 'Words that were said' });
    await box.fill('virtual ASSISTANT');
    await box.press('Enter');
    await page.locator('mark').first().waitFor();
    await box.fill('nobody says this');
    await box.press('Enter');
    await page.getByText('In none of these calls').waitFor();
    await page.getByRole('button', { name: 'Latest answered' }).click();
    await page.getByText('Answered calls, the latest first.').waitFor();
    await page.getByRole('button', { name: 'pilot' }).click();
    await page.getByText('0 of 4 judged').waitFor();
  });

  it('judges by one key, and nothing is kept that was undone', async () => {
    const page = await site.visit('/listen', { holdsUndo: true });
    await page.getByText('call 1 of 4').waitFor();
    await page.getByText('4 done, 5 not called').waitFor();
    await page.getByText('resume for the 5 who wait').waitFor();
    await page.getByRole('button', { name: 'Resume anyway' }).waitFor();
    await page.getByRole('button', { name: 'Cancel the campaign' }).waitFor();
    await page.getByRole('button', { name: 'The next call' }).click();
    await page.getByText('call 2 of 4').waitFor();
    await page.getByRole('button', { name: 'The call before' }).click();
    await page.getByText('call 1 of 4').waitFor();
    await page.keyboard.press('f');
    await page.getByText('call 2 of 4').waitFor();
    await page.keyboard.press('z');
    await page.getByText('0 of 4 judged').waitFor();
    await page.keyboard.press('w');
    await page.getByLabel('Why it is wrong').fill('spoke too fast');
    await page.keyboard.press('Enter');
    await page.getByText('call 3 of 4').waitFor();
    await page.keyboard.press('o');
    await page.getByText('call 4 of 4').waitFor();
    // The next judgement sends the one before: only the last one can be undone.
    await until(judged, ({ wrong }) => wrong === 1);
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(1);
    await page.keyboard.press('n');
    await page.getByText('call 1 of 4').waitFor();
    await page.keyboard.press('f');
    await page.getByText('call 4 of 4').waitFor();
    await page.evaluate('sendNow()');
    await until(judged, ({ left }) => left === 1);
    expect(await judged()).toEqual({ fine: 1, wrong: 1, opt_out: 1, left: 1 });
    await page.keyboard.press('f');
    await page.getByText('All 4 are judged.', { exact: false }).waitFor();
    // What can be undone is told beside the answers: a finger that answers the next call hits no other button.
    for (const [width, height] of [
      [1440, 620],
      [1100, 800],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      expect([width, await coveredAnswers(page)]).toEqual([width, []]);
    }
    await page.evaluate('sendNow()');
    await until(judged, ({ left }) => left === 0);
  });

  it('continues with everyone else, and is empty then', async () => {
    const page = await site.visit('/listen?campaign=pilot', { width: 390, theme: 'dark' });
    await page.getByText('4 of 4 judged').waitFor();
    // The question stands there before anything is tapped.
    await page.getByText('Is this call as it should be?').waitFor();
    expect(await fits(page)).toBe(true);
    await page.getByRole('row', { name: /Person 0/ }).click();
    await page.getByRole('heading', { name: 'Person 0' }).waitFor();
    expect(await fits(page)).toBe(true);
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume for' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Resume/ })
      .click();
    await site.until('/api/campaigns/pilot', ({ state }) => state === 'done');
    await goTo(page, '/listen');
    // At any time the latest answered calls of any campaign stand there, and are judged alike.
    await page.getByText('call 1 of 9').waitFor();
    await page.getByRole('table', { name: 'The latest answered calls' }).waitFor();
    const of = page.getByLabel('Campaign');
    await of.selectOption('newer');
    await page.getByText('newer has no answered call yet.').waitFor();
    await of.selectOption('pilot');
    await page.getByText('call 1 of 9').waitFor();
    await page.getByRole('button', { name: /^Fine/ }).click();
    await page.getByText(/^Person \d: fine\./).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  // Last: its calls are answered too.
  it('a budget is asked for in the order, and told with what is spent and why people wait', async () => {
    const { api } = site;
    const recipients = Array.from({ length: 40 }, (_, n) => ({
      phone: `+1415556${String(n).padStart(4, '0')}`,
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
