import { tmpdir } from 'node:os';
import type { Locator } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { createWatch } from '../../src/background/alerts.ts';
import { until } from '../support/until.ts';
import { axe, browserPath, fits, goTo, openPage } from './support.ts';

/** Keys and unknown calls in a browser: what is wrong, why, and what settles it. */
describe.skipIf(!browserPath)('keys and unknown calls, in a browser (skipped without Chromium)', () => {
  const site = openPage({ simulator: { faults: [{ kind: 'html', phone: '8', when: 'after' }] } });
  afterEach(() => {
    site.api.simulator.control({ faults: [{ kind: 'html', phone: '8', when: 'after' }] });
  });

  /** Calls whose creates get answers that nobody can read. */
  async function lose(name: string, phones: string[]): Promise<string[]> {
    const { api } = site;
    const recipients = phones.map((phone) => ({ phone, name: 'Ann' }));
    // A few losses close a key; here they are meant.
    const calm = setInterval(() => void api.app.ledger.lanes.well(api.stations.lanes()[0]!.id), 50);
    await api.ask('POST', '/api/campaigns', { body: { name, agent: 'a', recipients, start: true } });
    const items = await until(
      async () => (await api.ask('GET', `/api/unknown?campaign=${name}`)).json.items,
      (found) => found.length === phones.length,
    );
    clearInterval(calm);
    await api.app.ledger.lanes.well(api.stations.lanes()[0]!.id);
    return items.map(({ attempt }: { attempt: string }) => attempt);
  }

  /** The dialling was long ago: the requests can no longer be on their way. */
  async function age(): Promise<void> {
    await site.api.sql(`update carillon.attempts set expires_at = now() - interval '1 hour'`);
  }

  it('teaches what unknown means where nothing is', async () => {
    const page = await site.visit('/unknown', { width: 390, theme: 'dark' });
    await page.getByText('Every call is accounted for.').waitFor();
    expect(await fits(page)).toBe(true);
    expect(await axe(page)).toEqual([]);
  });

  it('shows an unknown call by keys, with what was sent and what the service says, and settles it', async () => {
    const { api } = site;
    api.work();
    await lose('spring', ['+14155550118', '+14155550128', '+14155550138']);
    await age();
    const page = await site.visit('/unknown', { holdsUndo: true });
    await page.getByRole('cell', { name: /\+14155550138/ }).waitFor();
    await page.keyboard.press('j');
    const panel = page.getByRole('region', { name: 'The attempt' });
    await panel.getByText(/the service answered 502/).waitFor();
    // The question comes first, and below it what is known.
    await panel.getByText('Was Ann called?').waitFor();
    await panel.getByRole('heading', { name: 'What was sent' }).waitFor();
    await panel.getByText('The request is too old to arrive now').waitFor();
    const steps = panel.getByRole('list', { name: 'What was asked, and found' }).getByRole('listitem');
    await expect.poll(() => steps.filter({ hasNot: page.locator('time') }).count()).toBe(0);
    await panel.getByText('Look for a call to +1 415 555 01', { exact: false }).waitFor();
    await panel.getByLabel('The id of a call at the service').fill('call-of-nobody');
    await panel.getByRole('button', { name: 'Ask the service' }).click();
    await panel.getByText('The service does not know the call call-of-nobody.').waitFor();
    expect(await axe(page)).toEqual([]);

    // The answer that can call someone asks once more.
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The person waits again').waitFor();
    await dialog.getByRole('button', { name: 'Keep as it is' }).click();
    await page.getByLabel('Select this row').first().check();
    await page.getByRole('button', { name: 'Settle 1 selected' }).click();
    await page.getByRole('menuitem', { name: 'Settle unknown: was called' }).click();
    await dialog.getByLabel('Reason').fill('the person said so');
    await dialog.getByRole('button', { name: 'Settle 1 person' }).click();
    await dialog.getByText('Done: 1 person is settled.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('2 people may have been called.').first().waitFor();

    // One key settles the one that is open, and another takes it back while nothing has left.
    await page.keyboard.press('c');
    const told = page.getByText(/is settled as called.*It is sent in \d s/);
    await told.waitFor();
    await page.getByText('1 person may have been called.').first().waitFor();
    // What tells it covers no answer about the next one.
    for (const width of [1_440, 1_024, 390]) {
      await page.setViewportSize({ width, height: 860 });
      await page.getByText(/^1 of 1$/).waitFor({ state: width < 1_280 ? 'visible' : 'hidden' });
      const boxOf = async (of: Locator) => (await of.boundingBox())!;
      const toast = await boxOf(page.getByRole('status').filter({ has: told }));
      for (const answer of ['Yes, the call was made', 'No, nobody was called']) {
        const box = await boxOf(panel.getByRole('button', { name: answer }));
        const isBeside = toast.x + toast.width <= box.x || toast.x >= box.x + box.width;
        expect(isBeside || toast.y + toast.height <= box.y || toast.y >= box.y + box.height).toBe(true);
      }
    }
    await page.setViewportSize({ width: 1_440, height: 860 });
    await page
      .getByRole('row', { name: /\+1415555/ })
      .nth(1)
      .waitFor({ state: 'detached' });
    await page.keyboard.press('z');
    await page
      .getByRole('row', { name: /\+1415555/ })
      .nth(1)
      .waitFor();
    expect((await api.ask('GET', '/api/unknown?campaign=spring')).json.items).toHaveLength(2);
  });

  it('settles all of a campaign at once, and names how many', async () => {
    const { api } = site;
    api.simulator.control({ faults: [] });
    const page = await site.visit('/unknown?campaign=spring', { width: 390 });
    await page.getByText('Was Ann called?').waitFor();
    await page.getByRole('button', { name: 'Settle all 2 of spring' }).click();
    await page.getByRole('menuitem', { name: 'Settle unknown: was not called' }).click();
    const dialog = page.getByRole('dialog');
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Settle 2 people' }).click();
    await dialog.getByText('Done: 2 people are settled.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Every call of spring is accounted for.').waitFor();
    // They are called again before the faults come back.
    await site.until(
      '/api/campaigns/spring',
      ({ balance: { done, unknown, calling } }) => done === 3 && unknown === 0 && calling === 0,
    );
  });

  it('is settled from the overview and from the person’s own page, with the keyboard only', async () => {
    const { api } = site;
    api.simulator.control({ faults: [{ kind: 'html', phone: '8', when: 'after' }] });
    await lose('by keys', ['+14155550148']);
    await age();
    const page = await site.visit('/', { theme: 'dark', holdsUndo: true });
    await page.getByText('1 call may have been placed.').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.getByRole('cell', { name: /\+14155550148/ }).waitFor();
    await page.keyboard.press('j');
    const panel = page.getByRole('region', { name: 'The attempt' });
    await panel.getByText('Was Ann called?').waitFor();
    await goTo(page, '/people/+14155550148');
    await page.getByRole('link', { name: 'Settle it' }).click();
    await panel.getByText('Was Ann called?').waitFor();
    await page.keyboard.press('c');
    await page.evaluate('sendNow()');
    await page.getByText('Settled: the person is done.').waitFor();
    await site.until(
      '/api/campaigns/by%20keys',
      ({ balance: { done, unknown } }) => done === 1 && unknown === 0,
    );
  });

  it('says of a call that was placed that only its end is missing', async () => {
    const { api } = site;
    const [first] = await lose('placed', ['+14155550168']);
    const placed = `update carillon.attempts set call_id = 'call-1', placed_at = now(), reason = 'stale' where id = $1`;
    await api.sql(placed, [first]);
    // The page may ask for it once more when it was settled elsewhere.
    const page = await site.visit('/', { expect: /409/ });
    await page.getByText('1 call was placed, and nobody told its end.').waitFor();
    const row = page.getByRole('article', { name: 'placed' });
    await row.getByRole('link', { name: 'Settle 1 call' }).click();
    await page.getByRole('cell', { name: /\+14155550168/ }).click();
    await page.getByText('The call was placed, and the service never reported its end.').waitFor();
    await api.ask('POST', `/api/unknown/${first}/resolve`, { body: { as: 'called' } });
    await page
      .getByText('The call was placed, and the service never reported its end.')
      .waitFor({ state: 'detached' });
  });

  it('shows a key without credit and why, and opens it again', async () => {
    const { api } = site;
    api.simulator.control({ faults: [], credits: 0 });
    const recipients = [{ phone: '+14155550211' }, { phone: '+14155550212' }];
    await api.ask('POST', '/api/campaigns', { body: { name: 'broke', agent: 'a', recipients, start: true } });
    const page = await site.visit('/keys/main', { theme: 'dark' });
    await page
      .getByRole('main')
      .getByText(/^no credit since /)
      .waitFor();
    await page.getByText(/people are parked|person is parked/).waitFor();
    await page.getByRole('button', { name: 'As a table' }).first().waitFor();
    expect(await axe(page)).toEqual([]);
    // Only once the click has asked: a key whose service has credit again opens by itself, and takes the button with it.
    await page.route('**/resume', (route) => {
      api.simulator.control({ credits: 100 });
      return route.continue();
    });
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText(/main creates calls again/).waitFor();
    await page
      .getByRole('main')
      .getByText(/^no credit since /)
      .waitFor({ state: 'detached' });
  });

  it('shows a key that the service does not accept, what to do, and its limit over time', async () => {
    const { api } = site;
    api.simulator.control({ revokeKeys: [0] });
    const recipients = [{ phone: '+14155550221' }];
    await api.ask('POST', '/api/campaigns', {
      body: { name: 'denied', agent: 'a', recipients, start: true },
    });
    const page = await site.visit('/keys', { width: 390, expect: /502/ });
    // The list of its numbers says why it cannot be read too.
    await page
      .getByRole('table', { name: 'Keys' })
      .getByText(/^not accepted since /)
      .waitFor();
    await page.getByText(/^Act\. No key can call: the service does not accept the key main/).waitFor();
    await page.getByText('Correct it in VOICE_API_KEYS or at the service').waitFor();
    expect(await page.getByText(/opens again/).count()).toBe(0);
    // Its alert leads to it.
    await createWatch({
      ...api.app,
      endings: async () => [],
      home: tmpdir(),
      machine: 'one',
      process: 'one:1',
    })();
    const overview = await site.visit('/', { expect: /502/ });
    await overview.getByRole('link', { name: 'Open the key' }).click();
    await overview
      .getByRole('main')
      .getByText(/^not accepted since /)
      .waitFor();
    await overview.close();
    const activity = await site.visit('/activity');
    await activity.getByText(/^Carillon closed a key that the service does not accept: main/).waitFor();
    await activity.close();
    expect(await fits(page)).toBe(true);
    expect(await axe(page)).toEqual([]);
    // The page says so already: the answer is awaited, as the key is accepted again next.
    const answer = page.waitForResponse('**/resume');
    await page.getByRole('button', { name: 'Try now' }).click();
    expect((await answer).status()).toBe(502);
    api.simulator.control({ restoreKeys: [0] });
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText(/main creates calls again/).waitFor();
    const happened = page.getByRole('region', { name: 'What happened' });
    await happened.getByText(/closed a key that the service does not accept/).waitFor();
    // Its hour, and how much of it was refused, stand in its row.
    const keys = page.getByRole('table', { name: 'Keys' });
    await page.setViewportSize({ width: 1440, height: 900 });
    await keys.getByRole('row', { name: /main.*\d+ refusals?/ }).waitFor();
    await page.setViewportSize({ width: 390, height: 900 });
    await keys.getByRole('link', { name: 'main' }).click();
    const table = page.getByRole('button', { name: 'As a table' });
    await table.first().click();
    await page.getByRole('columnheader', { name: 'taken' }).waitFor();
    await page.getByRole('button', { name: 'Check the key' }).click();
    await page.getByText('The service accepts main.').waitFor();
    await page.getByText('No limit of the service was met yet.').waitFor();
    expect(await fits(page)).toBe(true);
    await page.getByRole('link', { name: 'Its numbers' }).click();
    await page.getByRole('table', { name: 'Caller numbers' }).waitFor();
    expect(await fits(page)).toBe(true);
  });
});
