import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { textRow, workbook } from '../intake/workbooks.ts';
import { axe, browserPath, fits, goTo, openPage, tabTo } from './support.ts';

/** The path to a new campaign, in a browser: from a messy file to results, over a reload, and by the keyboard only. */
const phone = (nth: number) => `+1415555${String(nth).padStart(4, '0')}`;

/** As a spreadsheet in Western Europe saves it. */
const messy = [
  'Nom;Ligne appelée;state;montant',
  `Zoé;${phone(0)};CA;10`,
  `Léa;${phone(1)};TX;20`,
  `Ian;${phone(2)};CA;30`,
  `Léa again;${phone(1)};TX;20`,
  'Bad;12;TX;40',
  'National;(415) 555-0009;CA;50',
];
const file = (name: string, lines: readonly string[]) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1'),
});
const choose = (page: Page, name: string, lines: readonly string[]) =>
  page.getByLabel('File with the people').setInputFiles(file(name, lines));
/** The bytes of each list that is looked at or stored. */
function hearLists() {
  const heard: number[] = [];
  const hear = (message: unknown) => {
    const { method, url, headers } = (message as { request: IncomingMessage }).request;
    if (method === 'POST' && /\/(?:preview|recipients)\?/.test(url ?? ''))
      heard.push(Number(headers['content-length']));
  };
  subscribe('http.server.request.start', hear);
  return {
    end() {
      unsubscribe('http.server.request.start', hear);
      return heard;
    },
  };
}
const take = (page: Page, what: string) => page.getByRole('link', { name: `Take ${what}` }).click();

describe.skipIf(!browserPath)('the path to a new campaign (skipped without Chromium)', () => {
  const site = openPage({ simulator: { speed: 600 } });
  beforeAll(() => site.api.work());

  it('reads a workbook, from the sheet that is chosen', async () => {
    const page = await site.visit('/campaigns/new', { expect: /400|422/ });
    // One who must not be called is left out beside the lines that cannot be read.
    await site.api.ask('POST', '/api/suppressions', { body: { phones: [phone(901)] } });
    await choose(page, 'two.csv', ['phone', phone(901), phone(902), '12']);
    const left = page.getByRole('region', { name: 'Left out' }).getByRole('listitem');
    await left.filter({ hasText: /^1 person\s*must not be called/ }).waitFor();
    await left.filter({ hasText: /^line 4\s*"12" is too short/ }).waitFor();
    // A wrong cell is mended where it stands: the row is checked again, and no list is sent.
    const sent = hearLists();
    const cell = page.getByRole('textbox', { name: 'phone on line 4' });
    expect(await cell.inputValue()).toBe('12');
    await cell.fill('123');
    await cell.press('Enter');
    await left.filter({ hasText: /^line 4\s*"123" is too short/ }).waitFor();
    await cell.fill(phone(903));
    await cell.press('Enter');
    await page.getByText('2 people can be called, of 3 rows').waitFor();
    await page.getByRole('button', { name: '1 row is mended here' }).waitFor();
    expect(sent.end().filter((bytes) => bytes > 0)).toEqual([]);
    // Every number has its country code.
    expect(await page.getByLabel('Country of national numbers').count()).toBe(0);
    const sheets = { Notes: textRow(1, 'words'), Leads: textRow(1, 'phone') + textRow(2, phone(900)) };
    await page.getByLabel('File with the people').setInputFiles({
      name: 'leads.xlsx',
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      buffer: workbook({ sheets }),
    });
    await page.getByRole('alert').getByText('Choose the column with the phones').waitFor();
    await page.getByLabel('Sheet').selectOption('Leads');
    await page.getByText('1 person can be called.').waitFor();
    // What is wrong with a broken file is said in one line.
    await choose(page, 'broken.csv', ['phone,name', `${phone(1)},"never closed`]);
    await page.getByText(/quote that opens on line 2 and is never closed$/).waitFor();
    await page.getByText('Fix the line named in the message').waitFor();
  });

  it('takes pasted numbers, and the people of an earlier campaign', async () => {
    const { api } = site;
    const recipients = [{ phone: phone(910) }, { phone: phone(911) }];
    await api.ask('POST', '/api/campaigns', { body: { name: 'earlier', agent: 'a', recipients } });
    const page = await site.visit('/campaigns/new');
    const copied = page.getByLabel('Or call the people of an earlier campaign again');
    await copied.selectOption('earlier: 2 people');
    const dialog = page.getByRole('dialog', { name: 'Clone earlier' });
    await dialog.getByRole('checkbox', { name: 'With its list: 2 rows', checked: true }).waitFor();
    await dialog.getByRole('button', { name: 'Make the draft' }).click();
    await page.getByRole('heading', { name: 'earlier 2' }).waitFor();
    expect((await api.ask('GET', '/api/campaigns/earlier%202')).json.balance).toMatchObject({ rows: 2 });

    await goTo(page, '/campaigns/new');
    expect(await page.getByRole('link', { name: 'Download a sample' }).getAttribute('href')).toMatch(
      /^data:text\/csv,phone/,
    );
    await page.getByText('Choose a file, or paste numbers.').waitFor();
    const pasted = Array.from({ length: 21 }, (_, nth) => `${phone(912 + nth)}, Ann ${nth}`);
    await page.getByLabel('Or paste numbers, one person a line').fill(pasted.join('\n'));
    await page.getByRole('button', { name: 'Use these numbers' }).click();
    await page.getByText('21 people can be called.').waitFor();
    await take(page, 'these people');
    await page.getByRole('textbox', { name: 'Name of the campaign' }).fill('heard first');
    await page.getByLabel('Agent', { exact: true }).fill('agent_1');
    await page.getByRole('link', { name: /^3 Hours/ }).click();
    await page.getByRole('button', { name: 'Any hour' }).click();

    // One who calls many is led to hear the first calls before all others are made.
    await page.getByRole('link', { name: /^5 Check and start/ }).click();
    // What the main act leads to stands beside it; the risk of law is said first.
    await page.getByText(/hen it pauses until you have listened\.$/).waitFor();
    await page.getByRole('heading', { name: 'Forecast for 21 people' }).waitFor();
    await page
      .getByRole('complementary', { name: 'What will happen' })
      .getByText(/^All calls take about \d+/)
      .waitFor();
    const risks = page.getByRole('list', { name: 'Risks' }).getByRole('listitem');
    await expect
      .poll(() => risks.allInnerTexts())
      .toEqual([
        // Opt-outs are read, and it pauses when calls fail, until somebody chooses otherwise.
        expect.stringContaining('people are called at night too.'),
      ]);
    await page.getByRole('button', { name: 'Call all 21' }).waitFor();
    await page.getByRole('button', { name: 'Call the first 20' }).click();
    const start = page.getByRole('dialog', { name: 'Call the first 20 of 21 people?' });
    await start.getByRole('button', { name: 'Call the first 20' }).click();
    await page.getByText('heard first calls its first 20 people, then pauses.').waitFor();
    await site.until(
      '/api/campaigns/heard%20first',
      ({ state, balance }) => state === 'paused' && balance.done === 20,
    );
  });

  it('leads from a messy file to results, and a reload in the middle loses nothing', async () => {
    const page = await site.visit('/', { expect: /422/ });
    const sent = hearLists();
    await page.getByRole('link', { name: 'New campaign' }).click();
    await page.getByRole('button', { name: 'Choose a file, or drop it here' }).waitFor();
    await choose(page, 'spring.csv', messy);
    await page.getByRole('alert').getByText('Choose the column with the phones').waitFor();
    await page.getByRole('link', { name: '5 Check and start' }).click();
    await page.getByRole('link', { name: 'Choose the column with the phones.' }).click();
    await page.getByRole('button', { name: 'Use Ligne appelée' }).click();
    expect(await page.getByLabel('Ligne appelée is taken as').inputValue()).toBe('phone');
    await page
      .getByRole('listitem')
      .filter({ hasText: /^line 5\s*.*duplicate of line 3/ })
      .waitFor();
    await page.getByText('3 people can be called, of 6 rows').waitFor();
    expect(await page.getByLabel('state is taken as').inputValue()).toBe('state');
    await page.getByLabel('Country of national numbers').selectOption('US');
    await page.getByText('are read as those of United States.').waitFor();
    await page.getByText('4 people can be called, of 6 rows').waitFor();
    expect(await axe(page)).toEqual([]);

    await take(page, 'these people');
    await page.getByLabel('Agent', { exact: true }).fill('agent_1');
    await page.getByRole('checkbox', { name: /^\+1/ }).first().check();
    await page.getByText('More: turns and limits').click();
    await page.getByLabel('Override').fill('{"language": ');
    await page.getByText('This is not JSON').waitFor();
    await page.getByLabel('Override').fill('{"language": "en"}');
    expect(await axe(page)).toEqual([]);

    await page.reload();
    expect(await page.getByLabel('Override').inputValue()).toBe('{"language": "en"}');
    await page.goBack();
    await page.getByText('4 people can be called, of 6 rows').waitFor();

    // Hours of the day are proposed; to call at any hour is a choice, and is said to be one.
    await page.getByRole('link', { name: '3 Hours' }).click();
    await page.getByRole('group', { name: /^every day 9.00 AM to 8.00 PM$/ }).waitFor();
    // "Now" is on the clocks of the people, those of most first.
    await page.getByText(/^now,\s*.* in Los Angeles, .* in Chicago/).waitFor();
    await page.getByText('Time zone and dates: the zone of each number, from the start').waitFor();
    await page.getByRole('button', { name: 'Any hour' }).click();
    await page.getByText('No contact rules are in force: people are called at night too.').waitFor();

    await page.getByRole('link', { name: '4 Retries and limits' }).click();
    for (const step of ['1 People done 4 to call, 2 left out', '2 Calls', '3 Hours done'])
      await page.getByRole('link', { name: step }).waitFor();
    const fields = page.locator('main ol').locator('input, select, textarea');
    expect(await fields.filter({ visible: true }).count()).toBe(6);
    await page.getByLabel('Attempts per person').fill('2');
    await page.getByText('More: a pause').click();
    await page.getByLabel('Result delay', { exact: true }).selectOption('Something else');
    await page.getByLabel('Result delay, typed').fill('0.1s');
    // Several attempts have a wait from the first, which is picked or typed; what was meant is one press away.
    const wait = page.getByLabel('Next attempt, after no answer or busy', { exact: true });
    expect(await wait.inputValue()).toBe('2h');
    await wait.selectOption('Something else');
    await page.getByLabel('Next attempt, after no answer or busy, typed').fill('30 minutes');
    await page.getByRole('button', { name: 'Write 30m' }).first().click();
    await expect.poll(() => wait.inputValue()).toBe('other');
    await page.getByText('no answer again in 30 min').waitFor();
    await wait.selectOption('Not again');
    await page.getByLabel('Canceled', { exact: true }).selectOption('Something else');
    const canceled = page.getByLabel('Canceled, typed');
    await canceled.fill('often');
    await canceled.press('Enter');
    await page.getByRole('link', { name: 'Change what was refused under Retries and limits.' }).click();
    await canceled.and(page.locator('[aria-invalid]')).waitFor();
    await page.getByText('"often"').waitFor();
    await canceled.fill('1s');
    await canceled.press('Enter');
    await page.getByText('No sooner, as').waitFor();
    await page.getByText('Up to 2 calls each').waitFor();
    await page.getByText('again in 1 s').waitFor();

    await page.getByLabel('Call yourself first').fill(phone(99));
    await page.getByRole('button', { name: 'Call this phone' }).click();
    await page.getByText(/^The call is over/).waitFor();

    await page.getByRole('button', { name: 'Call everyone' }).click();
    const dialog = page.getByRole('dialog', { name: 'Call 4 people?' });
    await dialog.getByText(/^It begins now: people are called every day at any hour/).waitFor();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Call 4 people' }).click();
    await page.getByText('spring is started.').waitFor();
    const campaign = await site.until('/api/campaigns/spring', ({ state }) => state === 'done');
    expect(campaign).toMatchObject({ agent: 'agent_1', max_attempts: 2, override: { language: 'en' } });
    // Once more after the reload; all others named what the server has.
    const lists = sent.end();
    expect([lists.filter((bytes) => bytes > 0).length, lists.length > 5]).toEqual([2, true]);
    expect(campaign.balance).toMatchObject({ rows: 6, done: 4, rejected: 2 });
    expect(campaign.from).toHaveLength(1);
    await goTo(page, '/campaigns/new');
    await page.getByRole('button', { name: 'Choose a file, or drop it here' }).waitFor();
  });

  it('is walked with the keyboard only, and leads back to the field that was refused', async () => {
    const { api } = site;
    await api.ask('POST', '/api/campaigns', { body: { name: 'autumn', agent: 'a' } });
    const page = await site.visit('/campaigns/new', { theme: 'dark', expect: /409/ });
    const to = (name: string | RegExp, role: 'link' | 'button' | 'textbox' | 'combobox') =>
      tabTo(page, page.getByRole(role, { name, exact: true }).first());
    const chooser = page.waitForEvent('filechooser');
    await to('Choose a file, or drop it here', 'button');
    await page.keyboard.press('Enter');
    await (await chooser).setFiles(file('autumn.csv', ['phone', phone(10), phone(11)]));
    await page.getByText('2 people can be called.').waitFor();
    await to(/^Take these people/, 'link');
    await page.keyboard.press('Enter');
    // Enter leads to what the step lacks, then to the next step, from every field.
    await to('Name of the campaign', 'textbox');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.getAttribute("list")')).toBe('agents');
    await page.keyboard.type('agent_1');
    await page.keyboard.press('Enter');

    await to('Sun', 'button');
    await page.keyboard.press('Space');
    await page.getByRole('group', { name: /^Mon to Sat 9.00 AM to 8.00 PM$/ }).waitFor();
    await to('Other hours on other days', 'button');
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: /^Sun 10.00 AM to 4.00 PM$/ }).waitFor();
    await page
      .getByRole('complementary', { name: 'What will happen' })
      .getByText(/Mon to Sat 9.00 AM to 8.00 PM; Sun 10.00 AM/)
      .waitFor();
    expect(await axe(page)).toEqual([]);

    // Enter takes a step where nothing else would take the key.
    await page.getByRole('heading', { name: /^3/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Attempts per person').waitFor();
    expect(await axe(page)).toEqual([]);
    await to('Pause when calls fail', 'combobox');
    await page.keyboard.press('Enter');
    await to('Keep as a draft', 'button');
    await page.keyboard.press('Enter');
    await page.getByText('A campaign named autumn already exists').waitFor();
    await to('Name of the campaign', 'textbox');
    await page.keyboard.press('End');
    await page.keyboard.type(' two');
    await to(/^5 Check and start/, 'link');
    await page.keyboard.press('Enter');
    await to('Keep as a draft', 'button');
    await page.keyboard.press('Enter');
    await page.getByText('autumn two is kept as a draft').waitFor();
    const { json } = await api.ask('GET', '/api/campaigns/autumn%20two');
    expect(json).toMatchObject({ state: 'draft', balance: { rows: 2 } });
  });

  it('shows hours as lines against the legal ones, hours that no line holds as text, and fits a phone', async () => {
    const page = await site.visit('/campaigns/new?step=hours');
    const next = page.getByRole('link', { name: /^(?:Take|Skip)/ });
    const law = page.getByRole('button', { name: 'Put those of the US in force' });
    await law.waitFor();
    const box = await next.boundingBox();
    expect(box!.y + box!.height).toBeLessThanOrEqual(page.viewportSize()!.height);
    await law.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put them in force' }).click();
    await page.getByText('Your hours are within the rules for people in the US.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('22:30');
    await page
      .getByText(/^The rules cut them to every day 9.00 AM to 9.00 PM for people in the US\.$/)
      .waitFor();
    await site.api.ask('PUT', '/api/policy', { body: {} });
    // Of a draft that another version kept, it takes what it can use.
    const own = { window: 'mon=09:00-12:00+14:00-16:00', name: 'kept', weight: '3' };
    const kept = JSON.stringify({ ...own, retry_first: true, agents: [{ id: 'a' }] });
    await page.evaluate(`localStorage.setItem('carillon.new-campaign', ${JSON.stringify(kept)})`);
    await page.reload();
    expect(await page.getByLabel('Hours, as text').inputValue()).toBe('mon=09:00-12:00+14:00-16:00');
    await page.getByRole('link', { name: '4 Retries and limits' }).click();
    expect(await page.getByLabel('Weight').inputValue()).toBe('3');
    await page.getByRole('link', { name: '5 Check and start' }).click();
    await page.getByRole('link', { name: 'Say which agent speaks.' }).waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    for (const step of ['people', 'calls', 'hours', 'limits', 'check']) {
      await goTo(page, `/campaigns/new?step=${step}`);
      await page.getByRole('list', { name: 'Steps' }).waitFor();
      expect(await fits(page)).toBe(true);
      // What will happen is one line above the step, and opens.
      const foretold = page.getByRole('complementary', { name: 'What will happen' });
      if (step === 'people') await foretold.getByText('What will happen').click();
      await foretold.getByText('Mon 9:00 AM to 12:00 PM', { exact: false }).waitFor();
    }
  });
});
