import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createBulkDoer } from '../../src/control/bulk/do.ts';
import { until } from '../support/until.ts';
import { axe, browserPath, fits, goTo, openPage } from './support.ts';

/** The acts of an operator on a campaign, on one person and on many, each act through to its effect. */
const people = (many: number, from: number) =>
  Array.from({ length: many }, (_, nth) => ({
    phone: `+1415555${String(from + nth).padStart(4, '0')}`,
    name: `Person ${nth + 1}`,
  }));

describe.skipIf(!browserPath)('the acts of an operator, in a browser (skipped without Chromium)', () => {
  // A call lasts until somebody hangs up.
  const site = openPage({ simulator: { speed: 0.01, endings: { '5': 'answered', '6': 'answered' } } });
  const make = async (body: object): Promise<string> => {
    const { json } = await site.api.ask('POST', '/api/campaigns', { body: { agent: 'a', ...body } });
    return json.id;
  };
  const campaignOf = async (id: string) => (await site.api.ask('GET', `/api/campaigns/${id}`)).json;
  const more = async (page: Page, act: string) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: act }).click();
  };

  it('renames a campaign, clones it with its list, and deletes the copy with the number of rows', async () => {
    const id = await make({ name: 'spring', recipients: people(7, 0) });
    const page = await site.visit(`/campaigns/${id}`, { expect: /409|404/ });
    await make({ name: 'taken' });
    await more(page, 'Rename');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('taken');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByText(/campaign named taken already exists/i).waitFor();
    await dialog.getByLabel('Name').fill('may');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'may', level: 1 }).waitFor();

    await more(page, 'Clone');
    await dialog.getByLabel('With its list: 7 rows, as never called').check();
    await dialog.getByRole('button', { name: 'Make the draft' }).click();
    await page.getByRole('heading', { name: 'may 2', level: 1 }).waitFor();
    const copy = (await site.api.ask('GET', '/api/campaigns/may%202')).json;
    expect(copy).toMatchObject({ state: 'draft', balance: { rows: 7, waiting: 7 } });

    await more(page, 'Delete');
    await dialog.getByText('7 rows with every attempt').waitFor();
    await dialog.getByRole('button', { name: 'Delete 7 rows' }).click();
    await page.getByText('may 2 is deleted with 7 rows.').waitFor();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'may', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'may 2' }).count()).toBe(0);
    expect((await site.api.ask('GET', `/api/campaigns/${copy.id}`)).status).toBe(404);
  });

  it('walks a menu with the keyboard, which gives the focus back, also where the browser cannot place it', async () => {
    const id = await make({ name: 'walked', recipients: people(1, 900) });
    for (const anchors of [true, false]) {
      const context = await site.newContext();
      if (!anchors) await context.addInitScript('CSS.supports = () => false');
      const page = await site.visit(`/campaigns/${id}`, { context });
      const [button, menu] = [page.getByRole('button', { name: 'More' }), page.getByRole('menu')];
      const focused = () => page.evaluate('document.activeElement.textContent');
      const press = async (...keys: string[]) => {
        for (const key of keys) await page.keyboard.press(key);
      };
      await button.focus();
      await press('ArrowDown');
      expect(await focused()).toBe(await menu.getByRole('menuitem').first().textContent());
      expect(await button.getAttribute('aria-expanded')).toBe('true');
      const [shown, opener] = [(await menu.boundingBox())!, (await button.boundingBox())!];
      expect(shown.x + shown.width).toBeCloseTo(opener.x + opener.width, 0);
      expect(shown.y).toBeCloseTo(opener.y + opener.height + 4, 0);
      if (anchors) expect(await axe(page)).toEqual([]);
      // The letters are those of its acts, and not the page's: c would begin a new campaign.
      await press('End', 'ArrowDown', 'ArrowUp', 'c');
      expect(await focused()).toMatch(/^C/);
      await press('Escape');
      expect([await menu.count(), await focused()]).toEqual([0, 'More']);
      await press('Enter');
      await menu.getByRole('menuitem', { name: 'Rename' }).press('Enter');
      await page.getByRole('dialog').getByLabel('Name').waitFor();
      await press('Escape');
      await until(focused, (text) => text === 'More');
      await button.click();
      await menu.waitFor();
      await button.click();
      await menu.waitFor({ state: 'hidden' });
      await page.setViewportSize({ width: 390, height: 800 });
      await button.click();
      const { x, width } = (await menu.boundingBox())!;
      expect(x >= 0 && x + width <= 390).toBe(true);
      await page.mouse.click(5, 400);
      await menu.waitFor({ state: 'hidden' });
    }
  });

  it('takes a caller number out of use and returns it, and a campaign calls from all numbers', async () => {
    const page = await site.visit('/numbers');
    const [{ phone_number: number }] = (await site.api.ask('GET', '/api/numbers')).json.items;
    const row = page.getByRole('row', { name: number });
    const shown = number.replace(/^(\+1)(...)(...)/, '$1 $2 $3 ');
    await row.getByRole('button', { name: `Rest ${shown}` }).click();
    await row.getByText('taken out of use').waitFor();
    expect((await site.api.ask('GET', '/api/numbers')).json.items[0]).toMatchObject({ rest: 'hand' });
    expect(await fits(page)).toBe(true);
    await row.getByRole('button', { name: `Use again ${shown}` }).click();
    await row.getByRole('button', { name: `Rest ${shown}` }).waitFor();
    expect((await site.api.ask('GET', '/api/numbers')).json.items[0]).toMatchObject({ rest: null });

    // What a campaign says of a number is said here too.
    const start_at = '2099-06-01T09:00:00Z';
    const verdict = await make({ name: 'verdict', recipients: people(1, 990), start: true, start_at });
    const called = { outcomes: {}, cost: 0, cost_per_connect: null, mean_duration: null };
    await page.route('**/report?by=caller', async (route) => {
      const response = await route.fetch();
      const items = [
        { ...called, value: number, calls: 200, connect_rate: 0.05 },
        { ...called, value: '+19995550000', calls: 200, connect_rate: 0.5 },
      ];
      await route.fulfill({ response, json: { ...(await response.json()), campaign: 'verdict', items } });
    });
    await page.reload();
    await row.getByText('answered far less: 5.0% in verdict, the others 50.0%').first().waitFor();
    await site.api.ask('POST', `/api/campaigns/${verdict}/cancel`);

    await goTo(page, '/campaigns/new?step=calls');
    await page.getByLabel('All numbers of the account').check();
    await page.getByText('More: turns and limits').click();
    await page.getByLabel('Calls at once per number').fill('2');
    await page.getByLabel('Which number calls').selectOption('local');
  });

  it('stops an act on many midway: the finished part stays, the others are as they were', async () => {
    const { app, stations } = site.api;
    const many = 900;
    const id = await make({ name: 'to skip', recipients: people(many, 1_000) });
    const context = await site.newContext();
    // As in a busy tab: what came into sight is told late, with all that came before it.
    await context.addInitScript(`IntersectionObserver = class extends IntersectionObserver {
      constructor(tell, options) {
        const moments = [];
        super((seen) => {
          if (moments.length === 0) setTimeout(() => tell(moments.splice(0)), 200);
          moments.push(...seen);
        }, options);
      }
    }`);
    const page = await site.visit(`/campaigns/${id}?tab=people`, { context });
    await page.getByRole('row', { name: /Person 1 / }).waitFor();
    // The next page comes as one nears the end, and the table draws those in sight.
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 50_000);
        return page.getByRole('row', { name: /Person 900 / }).count();
      })
      .toBe(1);
    await page.getByRole('button', { name: `Act on all ${many}` }).click();
    await page.getByRole('menuitem', { name: 'Skip' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: `Skip ${many} people` }).click();
    await dialog.getByText(`Working: ${many} are left.`).waitFor();
    // One piece, as a worker does it that is then busy with calls.
    const doer = createBulkDoer(app.service({ note: () => undefined, patienceMs: 10_000, stations }), app);
    const [bulk] = await app.ledger.bulk.running();
    await doer.step(bulk!);
    const { skipped } = (await campaignOf(id)).balance;
    expect(skipped).toBeGreaterThan(0);
    await dialog.getByText(`Skipped: ${skipped} of ${many} people`).waitFor();
    await dialog.getByRole('button', { name: 'Stop here' }).click();
    await dialog.getByText(`Stopped: ${skipped} people are skipped, and this stays so.`).waitFor();
    await doer.step(bulk!);
    expect((await campaignOf(id)).balance).toMatchObject({ skipped, waiting: many - skipped });
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  it('withdraws one who stands in the queue, on the person’s page', async () => {
    const { api } = site;
    api.work();
    api.simulator.control({ credits: 0 });
    await make({ name: 'parked', recipients: [{ phone: '+14155558001', name: 'Ann' }], start: true });
    await site.until('/api/campaigns/parked', ({ balance }) => balance.parked === 1);
    const page = await site.visit('/people/+14155558001');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Withdraw' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 person stands in the queue').waitFor();
    await dialog.getByRole('button', { name: 'Withdraw 1 call' }).click();
    await page.getByText('The call is withdrawn: nobody was called.').waitFor();
    await page.getByText('skipped', { exact: true }).first().waitFor();
    expect((await campaignOf('parked')).balance).toMatchObject({ skipped: 1, parked: 0 });
    api.simulator.control({ credits: null });
    await api.ask('POST', '/api/keys/main/resume');
  });

  it('asks the service about a person’s call, and hangs it up', async () => {
    await make({ name: 'talking', recipients: [{ phone: '+14155558005', name: 'Bea' }], start: true });
    const page = await site.visit('/people/+14155558005');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Ask the service about this call' }).click();
    await page.getByText(/The service was asked: .*New fields are stored\./).waitFor();
    await page.getByRole('button', { name: 'Hang up' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 person is in this call and is cut off').waitFor();
    await dialog.getByRole('button', { name: 'Hang up 1 call' }).click();
    await page.getByText('The call is hung up.').waitFor();
    await page.getByRole('button', { name: 'Hang up' }).waitFor({ state: 'detached' });
    const { balance } = await site.until('/api/campaigns/talking', ({ balance: now }) => now.done === 1);
    expect(balance.outcomes).toEqual({ canceled: 1 });
  });

  it('closes a question about a call or a campaign that is over, and says so by name', async () => {
    const { api } = site;
    const ana = { phone: '+14155558085', name: 'Ana' };
    // The third waits: were the second call the last one, its end would end the paused campaign.
    const id = await make({
      name: 'short',
      recipients: [ana, { phone: '+14155558086' }, { phone: '+14155558087' }],
      max_calls: 1,
      start: true,
    });
    const page = await site.visit('/live', { expect: /409/ });
    await page.getByRole('button', { name: 'Hang up Ana' }).click();
    const dialog = page.getByRole('dialog', { name: 'Hang up Ana?' });
    await dialog.waitFor();
    const person = await site.visit(`/people/${ana.phone}`);
    await person.getByRole('button', { name: 'Hang up' }).click();
    await person.getByRole('dialog', { name: 'Hang up Ana?' }).waitFor();
    // That of the test before may still be in the list.
    const { items } = (await api.ask('GET', '/api/live')).json;
    const { attempt } = items.find(({ phone }: { phone: string }) => phone === ana.phone);
    await api.ask('POST', `/api/calls/${attempt}/cancel`);
    for (const each of [page, person]) {
      await each.getByText('The call with Ana has ended.').waitFor();
      await each.getByRole('dialog').waitFor({ state: 'detached' });
    }
    await goTo(person, `/campaigns/${id}`);
    await person.getByRole('button', { name: 'Pause' }).click();
    await person.getByRole('dialog', { name: 'Pause short?' }).waitFor();
    // To hang up takes its time, and the words go by themselves.
    await Promise.all([
      person.getByText('short is paused already.').waitFor(),
      api.ask('POST', `/api/campaigns/${id}/pause?hang_up=1`),
    ]);
    await person.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('cancels for good and hangs up, and tells how many were skipped and cut off', async () => {
    const calls = [{ phone: '+14155558015' }, { phone: '+14155558025' }, { phone: '+14155558035' }];
    const id = await make({ name: 'to cancel', recipients: calls, max_calls: 2, start: true });
    const page = await site.visit(`/campaigns/${id}`);
    await page
      .getByRole('img', { name: /2 calling/ })
      .first()
      .waitFor();
    await more(page, 'Cancel for good');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Hang up the 2 calls in progress too').check();
    await dialog.getByRole('button', { name: 'Cancel: skip 1 person' }).click();
    await page.getByText('to cancel is canceled. 2 of 2 calls were hung up.').waitFor();
    const { balance } = await site.until(
      `/api/campaigns/${id}`,
      ({ balance: now }) => now.calling === 0 && now.skipped === 1,
    );
    expect(balance).toMatchObject({ done: 2, skipped: 1, outcomes: { canceled: 2 } });
    // What became of the calls stands where one watches them.
    await page.getByRole('link', { name: 'Live calls' }).first().click();
    await page.getByText('No call now').waitFor();
    const ended = page.getByRole('region', { name: 'Just ended' });
    await ended.getByText('canceled').nth(1).waitFor();
  });

  it('is watched on a phone, and stopped there with one confirmation', async () => {
    // One waits: with its last call the campaign would be done, and no longer paused.
    const recipients = ['45', '55', '65'].map((end) => ({ phone: `+141555580${end}` }));
    const id = await make({ name: 'on the way', recipients, max_calls: 2, start: true });
    const page = await site.visit('/', { width: 390, height: 844 });
    await page
      .getByRole('article', { name: 'on the way' })
      .getByRole('img', { name: /2 calling/ })
      .waitFor();
    const live = await site.visit('/live');
    await live.getByRole('button', { name: 'All 2' }).waitFor();
    await live.getByRole('columnheader', { name: 'Key', exact: true }).waitFor();
    // The columns keep their places, whatever the calls have in common; so does the height of a bar.
    for (const name of ['Campaign', 'Attempt', 'From'])
      await live.getByRole('columnheader', { name, exact: true }).waitFor();
    await live.getByText(/a bar is full at 5 minutes/).waitFor();
    // Those of a key are one press from its page.
    await goTo(live, '/keys/main');
    await live.getByRole('link', { name: 'Its calls' }).click();
    await live
      .getByRole('table', { name: 'Calls in progress' })
      .getByRole('link', { name: 'on the way' })
      .first()
      .waitFor();
    await live.close();
    await page.getByRole('link', { name: 'on the way' }).click();
    await page.getByRole('heading', { name: 'on the way', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Stop everything' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 campaign will be paused').waitFor();
    await dialog.getByText(/Without it, they are followed to their end/).waitFor();
    await dialog.getByLabel('Hang up 2 calls too').check();
    expect(await fits(page)).toBe(true);
    await dialog.getByRole('button', { name: /^Stop everything and hang up 2 calls/ }).waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByText(/2 calls were in progress: 2 hung up/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText(/^Everything is stopped since .* This machine stopped 1 campaign/).waitFor();
    expect(await campaignOf(id)).toMatchObject({ state: 'paused' });
  });

  it('finds a call in a queue by its phone and its key, and checks everything as the doctor does', async () => {
    const { api } = site;
    const id = await make({
      name: 'in a queue',
      recipients: [{ phone: '+14155558066', name: 'Cid' }],
      start: true,
    });
    await site.until(`/api/campaigns/${id}`, ({ balance }) => balance.calling === 1);
    const recipients = [{ phone: '+14155558067', name: 'Dora' }];
    const later = await make({ name: 'later', recipients, start: true, start_at: '2099-06-01T09:00:00Z' });
    const page = await site.visit('/jobs');
    const table = page.getByRole('table', { name: 'Calls in the queues' });
    // Without a search, those who come next, below the words of what they wait for.
    await table.getByRole('row', { name: /the campaign has not begun/ }).waitFor();
    await table.getByRole('row', { name: /Dora.*from 1 Jun 2099|Dora.*from Jun 1, 2099/ }).waitFor();
    // The bar's legend names each part.
    await page
      .getByRole('listitem')
      .filter({ hasText: /1 waiting for their time/ })
      .waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /1\s*the campaign has not begun/ })
      .waitFor();
    await api.ask('POST', `/api/campaigns/${later}/cancel`);
    await page.getByLabel('Search').fill('+14155558066');
    await table.getByText('Cid').waitFor();
    // How far it is, and the whole, in words.
    await table.getByText(/about to be dialled|being dialled|on the line/).waitFor();
    await page.getByText(/^Fine\. \d+ calls? (?:is|are) on the line/).waitFor();
    await page.getByRole('listitem').filter({ hasText: '1 on the line' }).waitFor();
    await page.getByLabel('Search').fill('+14155550000');
    await page.getByText('No call fits the search').waitFor();

    await goTo(page, '/health');
    // One verdict, never fine while a part of it is ill, not for a moment either; and when it was found.
    await page.getByText(/^Watch\. Carillon works; look at contact rules.* and alerts\.$/).waitFor();
    await page.getByText('Database', { exact: true }).waitFor();
    await page.getByText(/^checked \d/).waitFor();
    await page.getByRole('link', { name: 'Alerts: nobody is told' }).waitFor();
    // In the navigation too, on every page.
    await page.getByRole('link', { name: /^Alerts do not arrive/ }).waitFor();
    // What settles it stands on the overview.
    expect(await page.getByRole('link', { name: 'Choose the rules' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Run checks' }).click();
    const found = page.getByRole('region', { name: 'Keys, settings and webhooks' });
    await found
      .getByText('VOICE_BASE_URL')
      .or(found.getByText(/key main/i))
      .first()
      .waitFor();

    // Where no rule is in force nothing was judged, and no check says that it was.
    // People of a country without rules here: their campaign can have hours, and the phone is asked for as theirs.
    const british = { items: [{ phone: '+442079460000' }], next: null };
    await page.route('**/api/calls?state=waiting*', (route) => route.fulfill({ json: british }));
    await goTo(page, '/policy');
    await page.getByText('Carillon has no rules for numbers with +44.').waitFor();
    await page.getByPlaceholder('+44 …').waitFor();
    const hours = page.getByRole('link', { name: /^Set the hours of / });
    expect(await hours.getAttribute('href')).toContain('?tab=order');
    await page.getByLabel('Phone', { exact: true }).fill('+14155558067');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('Watch. No rule forbids a call to +1 415 555 8067').waitFor();

    await goTo(page, '/settings');
    const kept = page.getByRole('listitem').filter({ hasText: /What people said is kept\s*for ever/ });
    await kept.getByRole('button', { name: 'Choose how long' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nothing that is stored is older').waitFor();
    await dialog.getByLabel('Kept').selectOption('180');
    await dialog.getByRole('button', { name: 'Keep it so' }).click();
    await page.getByText('What people said is kept for 180 days.').waitFor();
    const row = page.getByRole('listitem').filter({ hasText: /What people said is kept\s*for 180 days/ });
    await row.getByRole('button', { name: 'Change' }).waitFor();
    expect(await kept.count()).toBe(0);
    // A monitor is added here, and who is told of nothing is a risk no more.
    await page.getByRole('button', { name: 'Add a monitor' }).click();
    await dialog.getByLabel('Address').fill('https://monitor.example/ping/secret');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page
      .getByRole('listitem')
      .filter({ hasText: /Told when Carillon itself stops\s*1 monitor/ })
      .waitFor();
    // What is set at the start says how it is changed.
    await page.getByRole('button', { name: 'How to change: Requests a second' }).click();
    await dialog.getByText(/^VOICE_RATE=/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    // All others are found by their words or their names.
    await page.getByText(/^All \d+ settings/).click();
    await page.getByRole('button', { name: 'VOICE_API_KEYS', exact: true }).waitFor();
    await page.getByLabel('Find a setting').fill('max_cost');
    const only = page.getByRole('region', { name: 'Limits and money' }).getByRole('listitem');
    await expect.poll(() => only.allInnerTexts()).toEqual([expect.stringContaining('no limit')]);
    await page.getByLabel('Find a setting').fill('');
    // It follows no numbers, and says all the same that Carillon is there.
    await page.getByText('up to date', { exact: true }).waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('secret-of-main');
    await page.getByRole('link', { name: /^Health of .* process/ }).waitFor();
  });

  // Last, as its call goes on.
  it('calls one phone that stands on no list, found by nothing but its digits', async () => {
    const page = await site.visit('/', { expect: /422|404/ });
    // Nothing hears keys before it is drawn.
    await page.getByRole('button', { name: 'Stop everything' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('+1 415 555 7075');
    await page.getByText('Call +14155557075 now').click();
    const dialog = page.getByRole('dialog', { name: 'Call a phone now' });
    const call = dialog.getByRole('button', { name: 'Call', exact: true });
    await call.click();
    await dialog.getByText(/agent/i).last().waitFor();
    await dialog.getByLabel('Agent').fill('a');
    await dialog.getByLabel('Name').fill('Ada Nowhere');
    expect(await axe(page)).toEqual([]);
    await call.click();
    await page.getByRole('heading', { name: 'Ada Nowhere', level: 1 }).waitFor();
    const { json } = await site.api.ask('GET', '/api/calls?phone=%2B14155557075');
    expect(json.items).toMatchObject([{ phone: '+14155557075', name: 'Ada Nowhere', campaign: 'calls-a' }]);
  });
});
