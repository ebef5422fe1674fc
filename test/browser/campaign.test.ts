import { describe, expect, it } from 'vitest';
import { createReporter } from '../../src/background/process-report.ts';
import { workerReport } from '../ledger/support.ts';
import { axe, axeInBoth, browserPath, fits, goTo, openPage } from './support.ts';

/** The campaigns and one of them, in a browser: watched, paused, changed, and its people tried again. */
const people = (many: number, from: number) =>
  Array.from({ length: many }, (_, nth) => ({
    phone: `+1415555${String(from + nth).padStart(4, '0')}`,
    name: `Person ${nth + 1}`,
    variables: { city: nth % 2 === 0 ? 'Boston' : 'Chicago' },
  }));

describe.skipIf(!browserPath)('a campaign, in a browser (skipped without Chromium)', () => {
  const site = openPage({ simulator: { speed: 600 } });
  const make = async (body: object): Promise<string> => {
    const { json } = await site.api.ask('POST', '/api/campaigns', { body: { agent: 'a', ...body } });
    return json.id;
  };
  const campaignOf = async (id: string) => (await site.api.ask('GET', `/api/campaigns/${id}`)).json;

  it('teaches where there is none, and lists those that there are by state, name and key', async () => {
    const page = await site.visit('/campaigns', { expect: /404/ });
    await page.getByText('No campaign yet').waitFor();
    expect(await axe(page)).toEqual([]);
    await make({ name: 'spring', recipients: people(2, 0) });
    await make({ name: 'autumn', recipients: people(1, 10), start: true });
    // The row says why the campaign stands still between its name and its state.
    const autumn = page.getByRole('row', { name: /autumn.* stands still/ });
    // Each bar says what its colours are, with how many.
    await autumn.getByRole('listitem').getByText('waiting').waitFor();
    // To pause it would settle nothing.
    await autumn.getByRole('link', { name: 'Open Health' }).waitFor();
    await page.getByRole('button', { name: 'Start spring' }).waitFor();
    await page.getByRole('row', { name: /spring draft not started yet 0%/ }).waitFor();
    // One of whom all were rejected is not done.
    const rejected = await make({ name: 'rejected', recipients: people(1, 90) });
    const headers = { 'content-type': 'text/csv' };
    await site.api.ask('POST', `/api/campaigns/${rejected}/recipients`, {
      headers,
      body: 'phone\n12\n13\n14\n',
    });
    await page.getByRole('row', { name: /rejected 3 rejected draft not started yet 0%/ }).waitFor();
    await page.getByRole('button', { name: /^draft/ }).click();
    await page.getByRole('row', { name: /autumn/ }).waitFor({ state: 'detached' });
    await page.waitForURL('**/campaigns?state=draft');
    await page.getByRole('searchbox').fill('SPR');
    await page.getByRole('row', { name: /rejected/ }).waitFor({ state: 'detached' });
    await page.getByRole('searchbox').blur();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'spring', level: 1 }).waitFor();
    await page.getByText('This is a draft: nobody is called until it is started.').waitFor();
    await goTo(page, `/campaigns/${rejected}`);
    await page.getByText('of 1 person is done, 3 rows rejected').waitFor();
    // From one that is not there, to those that are.
    await goTo(page, '/campaigns/nowhere');
    await page.getByText('The campaign nowhere was not found').waitFor();
    await page.getByRole('link', { name: 'Open campaigns' }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });

  it('pauses and resumes, and names the people before', async () => {
    const id = await make({ name: 'to pause', recipients: people(12, 20), start: true });
    const page = await site.visit(`/campaigns/${id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('12 people wait until it is resumed.').waitFor();
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('A person paused it.').waitFor();
    expect(await campaignOf(id)).toMatchObject({ state: 'paused' });
    await page.getByRole('button', { name: 'Resume' }).click();
    await dialog.getByRole('button', { name: 'Resume: call 12 people' }).click();
    await page.getByText('A person paused it.').waitFor({ state: 'detached' });
    expect(await campaignOf(id)).toMatchObject({ state: 'running' });
  });

  it('pauses from its line of the overview, and stands beside another one', async () => {
    // While a worker lives, one that waits for its time stands still for nothing else.
    await site.api.app.ledger.processes.report(workerReport('floor-2:4711'));
    const start_at = '2099-06-01T09:00:00Z';
    const id = await make({ name: 'in a line', recipients: people(4, 60), start: true, start_at });
    const page = await site.visit('/');
    await page.getByRole('button', { name: 'Pause in a line' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume in a line' }).waitFor();
    expect(await campaignOf(id)).toMatchObject({ state: 'paused' });
    await goTo(page, '/campaigns');
    for (const name of ['in a line', 'to pause'])
      await page
        .getByRole('row', { name: new RegExp(name) })
        .getByRole('checkbox')
        .check();
    await page.getByRole('button', { name: 'Compare 2 campaigns' }).click();
    await dialog.getByRole('columnheader', { name: 'in a line' }).waitFor();
    await dialog.getByRole('columnheader', { name: 'to pause' }).waitFor();
    expect(
      await dialog
        .getByRole('row', { name: /^People/ })
        .first()
        .getByRole('cell')
        .allInnerTexts(),
    ).toEqual(['People', '4', '12']);
    expect(await axe(page)).toEqual([]);
  });

  it('changes the order, shows a fault at its field, and does not overwrite what someone else changed', async () => {
    const id = await make({ name: 'to change', recipients: people(3, 40) });
    const page = await site.visit(`/campaigns/${id}?tab=order`, { expect: /4(?:12|22)/ });
    const save = page.getByRole('button', { name: 'Change the settings for 3 people' });
    const pace = page.getByRole('region', { name: 'Pace' });
    await pace.getByText('As many calls at once as the service takes.').waitFor();
    await page.getByText('It calls everyone from the start').waitFor();
    // A risky choice stands first, with the act that ends it, which is sent with the others.
    const risks = page.getByRole('list', { name: 'Risks' });
    await risks.getByRole('button', { name: 'Pause when calls fail' }).click();
    const stop = page.getByRole('combobox', { name: 'Pause when calls fail' });
    await expect.poll(() => stop.inputValue()).toBe('50%/2m');
    await page.getByRole('button', { name: 'Change Pace' }).click();
    await page.getByRole('textbox', { name: 'Calls at once' }).fill('many');
    await save.click();
    await page.getByRole('textbox', { name: 'Calls at once' }).and(page.locator('[aria-invalid]')).waitFor();
    await page.getByRole('textbox', { name: 'Calls at once' }).fill('7');
    await site.api.ask('PATCH', `/api/campaigns/${id}`, { body: { window: '10:00-18:00' } });
    await save.click({ force: true });
    await page.getByText('The settings were changed since you opened them.').waitFor();
    await page.getByText('Calling window: default → 10:00-18:00').waitFor();
    await page.getByRole('button', { name: 'Take these, and keep what I typed' }).click();
    await save.click();
    await page.getByText('The settings of to change are changed.').waitFor();
    await pace.getByText('At most 7 calls at once.').waitFor();
    await page.getByText('every day 10:00 AM to 6:00 PM').waitFor();
    await page.getByText('It pauses when 50% of the calls of the last 2 min fail.').waitFor();
    expect(await campaignOf(id)).toMatchObject({ max_calls: 7, window: '10:00-18:00', stop_at: '50%/2m' });
  });

  it('finds people by a filter, changes one, and sorts them by their last call', async () => {
    const { api } = site;
    const id = await make({ name: 'to retry', recipients: people(40, 100), start: true });
    api.work();
    const page = await site.visit(`/campaigns/${id}`);
    await page.getByText('done', { exact: true }).first().waitFor();
    await page.getByRole('img', { name: '40 done' }).waitFor();
    // A person who was never reached does not look like a success: how the call ended is the state.
    await page.getByRole('link', { name: 'People', exact: true }).last().click();
    await page
      .getByRole('row', { name: /voicemail/ })
      .first()
      .waitFor();
    const dialog = page.getByRole('dialog');
    await page.getByRole('row', { name: /Person 1 / }).waitFor();
    const search = page.getByRole('searchbox', { name: 'Name or phone' });
    await search.fill('Person 37');
    // One person has that name, the other has the number in the phone.
    const found = page.getByRole('row', { name: /Person \d/ });
    await expect.poll(() => found.count()).toBe(2);
    await page.getByRole('row', { name: /Person 37 / }).waitFor();
    await page.waitForURL((url) => url.searchParams.get('name') === 'Person 37');
    await search.fill('');
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /Person 1 / }).waitFor();
    await page.keyboard.press('f');
    await page.getByLabel('Variable').fill('city:Chicago');
    await page.keyboard.press('Enter');
    await page.getByText('20 people found').waitFor();
    await page.waitForURL((url) => url.searchParams.get('variable') === 'city:Chicago');
    await page.getByRole('row', { name: /Person 2 / }).click();
    await page.getByRole('heading', { name: 'Person 2', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Change name or data' }).click();
    await dialog.getByLabel('Time zone').fill('America/Denver');
    await dialog.getByRole('button', { name: 'Change 1 person' }).click();
    await page.getByText('Changed: it holds for their next call.').waitFor();
    await page.goBack();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Latest call first');
    await page.waitForURL((url) => url.searchParams.get('order') === 'moved');
    const { json } = await api.ask(
      'GET',
      `/api/campaigns/${id}/recipients?variable=city:Chicago&order=moved&limit=1`,
    );
    await page.getByRole('row').nth(1).getByText(json.items[0].name, { exact: true }).waitFor();
    // Of their clock, the title names the zone.
    await page
      .getByTitle(/ in America\/Los_Angeles/)
      .first()
      .waitFor();
    await page.reload();
    await page.getByText('20 people found').waitFor();
    expect(await page.getByRole('combobox', { name: 'Sort by' }).inputValue()).toBe('moved');
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('As in the list');
    await page.getByRole('row').nth(1).getByText('Person 2', { exact: true }).waitFor();
  });

  it('shows how its calls ended, who answered last, and how many rows the download has', async () => {
    const id = (await campaignsNamed('to retry'))[0]!;
    const page = await site.visit(`/campaigns/${id}?tab=results`);
    await page.getByText(/^40 of 40 people are done; \d+ people answered\.$/).waitFor();
    await page.getByText('Download 40 results').waitFor();
    // By the keyboard alone: to the results of a campaign, and its file, without a walk over the page.
    await goTo(page, `/campaigns/${id}`);
    await page.getByRole('button', { name: 'More' }).waitFor();
    await page.keyboard.press('s');
    await page.getByText('Download 40 results').waitFor();
    const file = page.waitForEvent('download');
    await page.keyboard.press('d');
    expect((await file).suggestedFilename()).toBe('to_retry.results.csv');
    const table = page.getByRole('table', { name: 'Newest results' });
    const { outcomes } = (await campaignOf(id)).balance;
    // The table leads on to everyone of whom it shows the latest.
    const answered = outcomes.answered ?? 0;
    const all = page.getByRole('link', { name: 'See everyone whose last call was answered' });
    if (answered > 12)
      expect(await all.getAttribute('href')).toMatch(/tab=people&state=done&outcome=answered$/);
    // A bar of the outcomes is a filter of the table and of the file; a second press takes it back.
    await page.getByRole('link', { name: /^voicemail/ }).click();
    await page.getByRole('heading', { name: 'Latest voicemail' }).waitFor();
    await expect.poll(() => table.getByRole('row').count()).toBe(Math.min(12, outcomes.voicemail ?? 0) + 1);
    await page.getByText(/^ended /).waitFor();
    const href = await page.getByRole('link', { name: /^Download voicemail/ }).getAttribute('href');
    expect(href).toContain('outcome=voicemail');
    // A row opens the person, as one of the people of all campaigns does.
    await table.getByRole('row').nth(1).click();
    await page.getByText('Every campaign').waitFor();
    await goTo(page, '/people');
    await page.getByText(/people( shown)?, the last call first/).waitFor();
    // A menu asks for what the column shows.
    await page.getByLabel('State, or how the last call ended').selectOption('answered');
    await page.waitForURL('**/people?state=answered');
    const found = page.getByRole('table').getByRole('row', { name: /^Person/ });
    await found.filter({ hasNotText: 'answered' }).first().waitFor({ state: 'detached' });
    await found.first().waitFor();
    // A state narrows what is searched for too.
    await page.getByRole('searchbox').fill('Person');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('table', { name: 'People who were found' }).waitFor();
    expect(await found.filter({ hasNotText: 'answered' }).count()).toBe(0);
    // The part that was searched for is marked.
    expect(await found.first().locator('mark').first().innerText()).toBe('Person');
    await page.getByLabel('State, or how the last call ended').selectOption('parked');
    await page.getByText('Nobody who is parked has Person').waitFor();
  });

  it('goes back to the page, its filter and the place where one was, also after a reload', async () => {
    const id = (await campaignsNamed('to retry'))[0]!;
    const page = await site.visit(`/campaigns/${id}?tab=people&variable=city:Chicago`, { height: 400 });
    await page.getByText('20 people found').waitFor();
    const y = () => page.evaluate<number>('scrollY');
    const scrollTo = async (to: number) => {
      await page.evaluate(`scrollTo(0, ${to})`);
      await page.getByRole('link', { name: 'Health' }).click();
      await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
      await expect.poll(y).toBe(0);
    };
    await scrollTo(300);
    await page.goBack();
    await page.getByText('20 people found').waitFor();
    await expect.poll(y).toBe(300);
    await page.reload();
    await expect.poll(y).toBe(300);
    await scrollTo(200);
    await page.reload();
    await page.goBack();
    await page.getByText('20 people found').waitFor();
    await page.goForward();
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    // One that is opened beside leaves this page as it is.
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Activity', exact: true }).click({ modifiers: ['Control'] }),
    ]);
    await other.waitForURL('**/activity');
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  });

  it('every part of it below its overview can be read by all, in both themes, and on a phone', async () => {
    const id = (await campaignsNamed('to retry'))[0]!;
    const page = await site.visit(`/campaigns/${id}`);
    const signs: Record<string, string> = {
      people: 'Person 1',
      settings: 'In each person’s own time',
      results: 'Download 40 results',
      activity: 'made and started',
    };
    for (const [tab, sign] of Object.entries(signs)) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name: tab }).click();
      await page.getByText(sign).first().waitFor();
      expect([tab, await axeInBoth(page)]).toEqual([tab, []]);
      await page.setViewportSize({ width: 390, height: 800 });
      expect([tab, await fits(page)]).toEqual([tab, true]);
    }
  });

  it('outside its hours waits, and tells its first call here and there before and after it is started', async () => {
    // It opens in 7 to 8 hours, on each clock of the country.
    const opens = new Date(Date.now() + 7 * 3_600_000);
    const hour = new Intl.DateTimeFormat('en', {
      hour: 'numeric',
      hourCycle: 'h23',
      timeZone: 'Asia/Kolkata',
    }).format(opens);
    const window = `${hour}-${(Number(hour) + 2) % 24}`;
    const order = { timezone: 'Asia/Kolkata', window, recipients: people(3, 80) };
    const id = await make({ name: 'in the morning', ...order });
    const worker = createReporter(site.api.app, ['planner', 'dialer', 'tracker']);
    await worker.report();
    const page = await site.visit(`/campaigns/${id}`);
    const first = /irst call .* here, .* in Kolkata/;
    await page.getByRole('region', { name: 'Forecast' }).getByText(first).waitFor();
    await page.getByRole('button', { name: 'Start' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(first).waitFor();
    await dialog.getByRole('button', { name: 'Start: call 3 people' }).click();
    await page.getByText(/in the morning waits: first call .* here, .* in Kolkata/).waitFor();
    await worker.report();
    await page.getByRole('banner').getByText('waits', { exact: true }).waitFor();
    await page.getByRole('banner').getByText(first).waitFor();
    await goTo(page, '/campaigns');
    const row = page.getByRole('row', { name: /in the morning.* waits .* 0%/ });
    await row.getByText(first).waitFor();
  });

  it('asks what becomes of people who are on the list already, and tells who is new, known and changed', async () => {
    const id = await make({
      name: 'sent again',
      recipients: [{ phone: '+14155550101', name: 'Ann', city: 'Oslo' }],
    });
    const page = await site.visit(`/campaigns/${id}?tab=people`);
    await page.getByRole('button', { name: 'Add people' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Or its lines').fill('phone,name\n+14155550101,Anna\n+14155550102,Bo\n');
    await dialog.getByRole('button', { name: 'Check the list' }).click();
    await dialog.getByText('1 row is on the list already (0 would change)').waitFor();
    await dialog.getByLabel('People who are on the list already').selectOption('merge');
    await dialog.getByRole('button', { name: 'Check the list' }).click();
    await dialog
      .getByText('1 person would be added, 1 row is on the list already (1 would change)')
      .waitFor();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add 1 person, change 1' }).click();
    await page
      .getByText('1 person was added to sent again; 1 person was known, 1 of them changed.')
      .waitFor();
    const { items } = (await site.api.ask('GET', `/api/campaigns/${id}/recipients`)).json;
    expect(items).toMatchObject([{ name: 'Anna', input: { city: 'Oslo' } }, { name: 'Bo' }]);
  });

  async function campaignsNamed(wanted: string): Promise<string[]> {
    const { json } = await site.api.ask('GET', '/api/campaigns');
    return json.items
      .filter(({ name }: { name: string }) => name === wanted)
      .map(({ id }: { id: string }) => id);
  }
});
