import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { axe, browserPath, fits, goTo, openPage, type Visit } from './support.ts';

/** A person’s page in a browser: found from anywhere, what was done and said, and what may be done. */
const token = 'a-token-for-the-admin';
const readToken = 'a-token-that-reads-people';
const headers = { authorization: `Bearer ${token}` };
const phone = '+14155550199';

describe.skipIf(!browserPath)('a person’s page, in a browser (skipped without Chromium)', () => {
  const site = openPage({
    token,
    readToken,
    simulator: {
      phones: {
        [phone]: ['busy', 'answered'],
        '+14155550142': ['busy', 'answered'],
        '+14155550177': 'answered',
      },
    },
  });
  let plain: string;
  let row: string;

  beforeAll(async () => {
    const { api } = site;
    api.work();
    const recipients = [
      { phone, name: 'Ann Berg', timezone: 'America/New_York', variables: { plan: { tier: 'gold' } } },
    ];
    const body = { agent: 'a', recipients, start: true, max_attempts: 2, retry: 'busy=1s' };
    await site.ask('POST', '/api/campaigns', { ...body, name: 'spring' });
    await site.ask('POST', '/api/campaigns', { ...body, name: 'autumn', start: false });
    const {
      items: [spring],
    } = await site.until('/api/campaigns/spring/recipients', ({ items }) => items[0].state === 'done');
    row = spring.id;
    const made = await site.ask('POST', '/api/tokens', { name: 'watcher', role: 'read' });
    plain = made.token;
  });

  const visit = (path: string, as = token, more: Visit = {}) => site.visit(path, { token: as, ...more });

  it('is found with a slash by a national form of the phone, with every campaign, the course of an attempt and what was said', async () => {
    const page = await visit('/');
    await page.getByRole('button', { name: 'Search or act' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill('(415) 555-0199');
    await page.getByRole('option', { name: /Ann Berg.*2 campaigns/ }).click();
    await page.getByRole('heading', { name: 'Ann Berg' }).waitFor();
    const campaigns = page.getByRole('region', { name: 'Every campaign' });
    await campaigns.getByRole('link', { name: 'spring' }).waitFor();
    await campaigns.getByRole('link', { name: 'autumn' }).waitFor();
    await campaigns.getByRole('link', { name: /^Attempt 2, answered/ }).waitFor();
    // Two attempts of one moment stand side by side, with their times.
    const marks = campaigns.getByRole('link', { name: /^Attempt/ });
    await expect.poll(() => marks.getByText(/^\d+:\d\d [AP]M$/).count()).toBe(2);

    await goTo(page, `/people/${row}`);
    await campaigns.getByRole('link', { name: /^Attempt 1, busy/ }).click();
    const course = page.getByRole('list', { name: 'Step by step' });
    await course.getByText('Planned').waitFor();
    await course.getByText('a call by a').waitFor();
    await course.getByText(/the call /).waitFor();
    await course.getByText(/^(?:once|\d+ times), the last answer busy/).waitFor();
    await page
      .getByRole('region', { name: 'This call' })
      .getByText(/here, .* in New York/)
      .waitFor();
    expect(await axe(page)).toEqual([]);

    // What was said as a conversation, and the data of the list, on a phone and in the dark.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await goTo(page, `/people/${row}`);
    const talk = page.getByRole('list', { name: 'Transcript' });
    await talk.getByText('Agent', { exact: true }).first().waitFor();
    expect(await talk.getByRole('listitem').count()).toBeGreaterThan(1);
    const link = page.getByRole('link', { name: 'Download' });
    expect((await fetch(new URL((await link.getAttribute('href'))!, page.url()), { headers })).status).toBe(
      200,
    );
    await page.getByRole('region', { name: 'As it was given' }).getByText('gold').waitFor();
    expect(await fits(page)).toBe(true);
    expect(await axe(page)).toEqual([]);
  });

  it('is suppressed from the list by one key and one confirmation, and says so on the page', async () => {
    const page = await visit('/people?phone=Ann');
    await page.getByRole('row', { name: /Ann Berg/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('s');
    const dialog = page.getByRole('dialog', { name: 'Suppress this person?' });
    await dialog.getByLabel('Reason').fill('asked for no more calls');
    await dialog.getByRole('button', { name: 'Suppress 1 person' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    const held = page.getByText('Must not be called', { exact: true });
    await held.waitFor();
    await page.getByText(/asked for no more calls/).waitFor();
    await page.getByRole('button', { name: 'Allow calls' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Allow calls to 1 phone' }).click();
    await held.waitFor({ state: 'detached' });
  });

  it('stands in the list with how the last call ended, whether another follows, and no words of a machine', async () => {
    const context = await site.newContext();
    const { base_url: address } = await site.ask('GET', '/api/service');
    await context.route('**/api/calls?limit=100*', async (route) => {
      const response = await route.fetch();
      const { items } = await response.json();
      const one = {
        ...items[0],
        state: 'done',
        outcome: 'failed',
        reason: null,
        error: null,
        structured_data: null,
      };
      const people = [
        { phone: '+14155550181', outcome: 'no-answer' },
        { phone: '+14155550182', ended_reason: null, structured_data: { error: 'number_does_not_exist' } },
        { phone: '+14155550183', outcome: 'answered', structured_data: { summary: 'They hung up early.' } },
        {
          phone: '+14155550184',
          state: 'unknown',
          outcome: null,
          error: `no readable answer: ${new URL(address).host} reset the connection`,
        },
      ].map((each, id) => ({ ...one, id: `${id}`, name: null, ...each }));
      await route.fulfill({ response, json: { items: people, next: null } });
    });
    const page = await visit('/people', token, { context });
    const table = page.getByRole('table', { name: 'People, the last call first' });
    for (const words of [
      /0181 no answer no more tries/,
      /0182 failed number does not exist · no more tries/,
      /0183 answered They hung up early/,
      /0184 unknown the service reset the connection/,
    ])
      await table.getByRole('row', { name: words }).waitFor();
  });

  it('with several numbers shows which was called and which is passed over, and is suppressed on all', async () => {
    const recipients = [{ phones: ['+14155550171', 'nothing', '+14155550172'], name: 'Cora Two' }];
    const body = { name: 'several', agent: 'a', recipients, start: true };
    await site.ask('POST', '/api/campaigns', body);
    const {
      items: [done],
    } = await site.until('/api/campaigns/several/recipients', ({ items }) => items[0].state === 'done');
    const page = await visit(`/people/${done.id}`);
    const numbers = page.getByRole('list', { name: 'Numbers' }).getByRole('listitem');
    await numbers.nth(0).getByText('called last').waitFor();
    await numbers
      .nth(1)
      .getByText(/not called: "nothing"/)
      .waitFor();
    await page.getByRole('button', { name: 'Suppress' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress 1 person' }).click();
    await page.getByText('Must not be called', { exact: true }).nth(1).waitFor();
    await numbers.nth(2).getByText('not called: suppressed').waitFor();
  });

  it('is called now instead of at the time of a retry, and not once more; then again, and tells what came of it', async () => {
    const body = { name: 'later', agent: 'a', recipients: [{ phone: '+14155550142' }], max_attempts: 2 };
    const order = { ...body, retry: { busy: '1d' }, start: true };
    const made = await site.ask('POST', '/api/campaigns', order);
    const people = async () => (await site.ask('GET', `/api/campaigns/${made.id}/recipients`)).items;
    const [waiting] = await until(people, ([one]) => one.state === 'waiting' && one.reason === 'retry');
    const page = await visit(`/people/${waiting.id}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Call now' }).click();
    await page.getByRole('dialog').getByText('is made now instead of at its time').waitFor();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Call .+ now$/ })
      .click();
    await page.getByText('Done: 1 person waits for another call.').waitFor();
    await until(people, ([one]) => one.state === 'done' && one.attempts === 2);
    await page.reload();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Call again' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Call .+ again$/ })
      .click();
    await page.getByText('Done: 1 person waits for another call.').waitFor();
  });

  it('says when the person asked to be called back, and in the course of the call that they did', async () => {
    const { api } = site;
    api.simulator.control({ callbacks: { share: 1, afterMs: 7_200_000 } });
    const recipients = [{ phone: '+14155550177', name: 'Cem Oz' }];
    const order = { name: 'callbacks', agent: 'a', recipients, callback_at: 'structured_data.callback_at' };
    const made = await site.ask('POST', '/api/campaigns', { ...order, start: true });
    const people = async () => (await site.ask('GET', `/api/campaigns/${made.id}/recipients`)).items;
    const [waiting] = await until(people, ([one]) => one.state === 'waiting' && one.attempts === 1);
    api.simulator.control({ callbacks: null });
    expect(waiting).toMatchObject({ reason: 'callback', until: waiting.callback_at, outcome: 'answered' });
    const page = await visit(`/people/${waiting.id}`);
    await page.getByText(/^Asked to be called back at \S/).waitFor();
    await page.getByText('callbacks waits: asked to be called back.').waitFor();
    await page.locator('summary', { hasText: 'Step by step' }).click();
    await page
      .getByRole('list', { name: 'Step by step' })
      .getByText(/^asked to be called back at \S/)
      .waitFor();
    await goTo(page, `/campaigns/${made.id}`);
    const waits = page.getByRole('list', { name: 'Waiting people by reason' });
    await waits.getByText('asked to be called back').waitFor();
  });

  it('hides the person from a token that may not see people, and acts from one that may only read', async () => {
    const page = await visit(`/people/${row}`, plain);
    await page.getByText('This token may not see people').waitFor();
    await page.getByRole('list', { name: 'Step by step' }).waitFor();
    const text = await page.locator('main').innerText();
    expect(text).not.toMatch(/555-?0199|Ann Berg|gold|New_York.*Ann/);
    expect(await page.getByRole('list', { name: 'Transcript' }).count()).toBe(0);
    const reader = await visit(`/people/${row}`, readToken);
    await reader.getByRole('list', { name: 'Transcript' }).waitFor();
    for (const shown of [page, reader])
      expect(await shown.getByRole('button', { name: /Suppress|More|Hang up/ }).count()).toBe(0);
  });

  it('shows what was said when it comes, below it the steps that were open, and an address that is none as text', async () => {
    const rows = await site.api.sql(
      `update carillon.ended_attempts now set recording_url = null, transcript = null
       from carillon.ended_attempts before where before.id = now.id and before.recording_url is not null
       returning now.id, before.transcript`,
    );
    const page = await visit(`/people/${row}`);
    const steps = page.getByRole('list', { name: 'Step by step' });
    await steps.waitFor();
    for (const { id, transcript } of rows)
      await site.api.sql(
        `update carillon.ended_attempts set recording_url = 'https://[', transcript = $2 where id = $1`,
        [id, transcript],
      );
    await page.getByText('https://[', { exact: true }).waitFor();
    await page.getByRole('list', { name: 'Transcript' }).waitFor();
    expect(await steps.isVisible()).toBe(true);
  });

  it('is erased after a confirmation that says what is lost, and is nobody then', async () => {
    const page = await visit(`/people/${encodeURIComponent(phone)}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Erase for good' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This cannot be undone', { exact: false }).waitFor();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Erase 1 person from 2 campaigns' }).click();
    await page.getByText('This person was erased', { exact: false }).waitFor();
    // Answers that were read before are read again by and by.
    await expect.poll(() => page.locator('main').innerText()).not.toMatch(/555-?0199|Ann Berg|gold/);
  });

  it('is followed by the next one of the list or the search that one came from, by a key or a press', async () => {
    const names = ['Wilma Ahl', 'Wilma Bok', 'Wilma Cohn'];
    const recipients = names.map((name, n) => ({ phone: `+1415555018${n}`, name }));
    const body = { name: 'walked', agent: 'a', recipients };
    const made = await site.ask('POST', '/api/campaigns', body);
    const page = await visit(`/campaigns/${made.id}?tab=people&order=row`);
    const walker = page.getByRole('navigation', { name: 'People of the list' });
    const isShown = (name: string, place: string) =>
      Promise.all([
        page.getByRole('heading', { name, level: 1 }).waitFor(),
        walker.getByText(place, { exact: true }).waitFor(),
      ]);
    await page.getByRole('link', { name: 'Wilma Ahl' }).click();
    await isShown('Wilma Ahl', '1 of 3 of walked');
    await page.keyboard.press('j');
    await isShown('Wilma Bok', '2 of 3 of walked');
    await walker.getByRole('button', { name: 'The next person (J)' }).click();
    await isShown('Wilma Cohn', '3 of 3 of walked');
    expect(await walker.getByRole('button', { name: 'The next person (J)' }).isDisabled()).toBe(true);
    await page.keyboard.press('k');
    await isShown('Wilma Bok', '2 of 3 of walked');
    expect(await axe(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await fits(page)).toBe(true);
    await page.setViewportSize({ width: 1440, height: 900 });
    // Back is the list, however far one walked.
    await page.goBack();
    await page.getByRole('link', { name: 'Wilma Cohn' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('dialog').getByRole('combobox').fill('wilma');
    await page.getByRole('option', { name: /Wilma Cohn/ }).click();
    await isShown('Wilma Cohn', '1 of 3 found by “wilma”');
    // Who is opened by an address has nobody before and after.
    await page.goto(`${site.api.url}/people/+14155550180`);
    await page.getByRole('heading', { name: 'Wilma Ahl', level: 1 }).waitFor();
    expect(await walker.count()).toBe(0);
  });
});
