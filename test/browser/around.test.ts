import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writtenPolicy } from '../../src/ledger/policies/policies.ts';
import { textRow, workbook } from '../intake/workbooks.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { axe, browserPath, goTo, openPage } from './support.ts';

/** The pages around the calls, in a browser: one act of each through to its effect. */
describe.skipIf(!browserPath)('the pages around the calls (skipped without Chromium)', () => {
  const site = openPage({ env: { WEBHOOK_ALLOW_PRIVATE: '1' } });
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver?.leave());

  it('suppresses phones that are pasted and those of a file, finds one of them and removes it', async () => {
    const page = await site.visit('/suppressions', { expect: /422/ });
    await page.getByText('Nobody is suppressed yet').waitFor();
    await page.getByRole('button', { name: 'Suppress phones' }).click();
    await page.getByLabel('Phones', { exact: true }).fill('(415) 555-0701\n+14155550702\n');
    await page.getByLabel('Reason').fill('asked for it');
    await page.getByRole('button', { name: 'Suppress 2 phones' }).click();
    // The API's own words, and nothing was changed.
    await page.getByRole('alert').getByText('Nothing was changed').waitFor();
    await page.getByLabel('Country').fill('us');
    await page.getByRole('button', { name: 'Suppress 2 phones' }).click();
    await page.getByText('2 phones are suppressed.').waitFor();

    await page.getByRole('button', { name: 'Suppress phones' }).click();
    const text = 'phone,reason\n+14155550703,register\nnobody,register\n';
    await page
      .getByLabel('Or a file')
      .setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByRole('button', { name: 'Suppress everyone in it' }).click();
    await page.getByText('1 row could not be read').waitFor();
    await page.getByText('Line 3:').waitFor();
    await page.getByRole('button', { name: 'Dismiss this message' }).first().click();

    await page.getByRole('button', { name: 'Suppress phones' }).click();
    const sheets = {
      Old: textRow(1, 'phone') + textRow(2, '+14155550704'),
      New: textRow(1, 'phone') + textRow(2, '+14155550705'),
    };
    await page
      .getByLabel('Or a file')
      .setInputFiles({ name: 'list.xlsx', mimeType: '', buffer: workbook({ sheets }) });
    await page.getByRole('button', { name: 'Suppress everyone in it' }).click();
    await page.getByRole('alert').getByText('The workbook has 2 sheets: "Old", "New"').waitFor();
    await page.getByLabel('Sheet').fill('new');
    await page.getByRole('button', { name: 'Suppress everyone in it' }).click();
    await page.getByText('1 phone is suppressed.').waitFor();

    const table = page.getByRole('table', { name: 'Suppressions' });
    await page.getByRole('heading', { name: 'Is this phone suppressed?' }).waitFor();
    await table.getByText('+14155550703').waitFor();
    await table.getByText('asked for it · by hand, this machine').first().waitFor();
    await page.getByLabel('Phone', { exact: true }).fill('+1 415 555 0702');
    await page.getByText('+1 415 555 0702 must not be called').waitFor();
    expect(new URL(page.url()).searchParams.get('phone')).toContain('0702');
    await table.getByRole('button', { name: 'Allow calls to +1 415 555 0702' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Allow calls to 1 phone' }).click();
    await page.getByText('1 phone is off the list.').waitFor();
    const { json } = await site.api.ask('GET', '/api/suppressions');
    expect(json.items.map(({ phone }: { phone: string }) => phone)).toEqual([
      '+14155550701',
      '+14155550703',
      '+14155550705',
    ]);
  });

  it('puts contact rules in force, shows at the field what is wrong, and tests a call', async () => {
    const page = await site.visit('/policy', { expect: /422/ });
    await page.getByText('No contact rules are in force').waitFor();
    await page.getByRole('button', { name: /^Put in force: .* in Canada$/ }).click();
    await page
      .getByRole('dialog')
      .getByText(/0 people wait in 0 running campaigns/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Put them in force' }).click();
    await page.getByText('Fine. 1 rule is in force, with the legal hours of ').waitFor();
    await page.getByRole('heading', { name: 'Legal hours that are not in force' }).waitFor();
    await page.getByRole('button', { name: /^Put in force: .* in the US$/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put them in force' }).click();
    await page.getByText(/with the legal hours of the US and Canada only/).waitFor();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByLabel('Gap').fill('soon');
    await page.getByRole('button', { name: 'Put in force', exact: true }).click();
    await page.getByText('must be a time such as 30m').waitFor();
    await page.getByLabel('Gap').fill('4h');
    await page.getByRole('button', { name: 'Put in force', exact: true }).click();
    await page.getByText('4 h at least').waitFor();
    // Each rule is a row with its act.
    await page.getByText('3 rules are in force, with').waitFor();
    expect(await page.getByRole('button', { name: /^(?:Take out|Change)/ }).count()).toBe(3);
    // On the clock of the browser's language.
    await page.getByText('every day 8:00 AM to 9:00 PM').first().waitFor();
    await page.getByText(/^Version \d+, since/).waitFor();

    await page.getByLabel('Phone', { exact: true }).fill('+13055550123');
    // Three in the morning in Florida, whatever clock the browser has.
    await page.getByLabel('At', { exact: true }).fill(await localOf(page, '2026-12-01T08:00:00Z'));
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The rules forbid a call to').waitFor();
    await page.getByText(/Source: 47 CFR/).waitFor();
  });

  it('adds a webhook, shows its secret once, tests it, lists what it was sent, and replays', async () => {
    const page = await site.visit('/webhooks');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('Not tried yet: nothing was sent.').waitFor();
    // It is changed in place, by what each event tells, and its secret stays.
    await page.getByRole('button', { name: 'Change…' }).click();
    const dialog = page.getByRole('dialog');
    const people = dialog.getByRole('group', { name: 'People' });
    await people.getByLabel('person opted out').check();
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByText('person opted out').first().waitFor();
    await page.getByRole('button', { name: 'Change…' }).click();
    expect(await people.getByLabel('person opted out').isChecked()).toBe(true);
    await dialog.getByLabel('Tell it everything, also what is added later').check();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByText('all events').waitFor();
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByRole('button', { name: 'Send a test' }).first().click();
    await page.getByText(/It took the test/).waitFor();
    expect(receiver.taken[0]?.event.type).toBe('webhook.test');
    expect(await page.getByText(/whsec_/).count()).toBe(0);

    const { json: made } = await site.api.ask('POST', '/api/campaigns', {
      body: { name: 'spring', agent: 'a', recipients: [{ phone: '+14155550711' }], start: true },
    });
    await site.api.ask('POST', `/api/campaigns/${made.id}/pause`);
    site.api.work();
    await receiver.takes(3);
    const table = page.getByRole('table', { name: 'Deliveries' });
    await page.getByRole('button', { name: 'Send events again…' }).click();
    await page.getByRole('dialog').getByLabel('Since').fill('1h');
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText(/gone through again/).waitFor();
    await receiver.takes(5);
    await table.getByText('campaign paused').first().waitFor();
    await table.getByRole('link', { name: 'spring' }).first().waitFor();
    await table.getByText('delivered, 204').first().waitFor();
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.getByText('None of them was sent lately.').waitFor();
    // Of several webhooks the deliveries of each are one press away.
    const second = { url: `${receiver.url}/second`, events: ['attempt.done'] };
    const { json: other } = await site.api.ask('POST', '/api/webhooks', { body: second });
    await goTo(page, '/webhooks');
    const of = page.getByRole('group', { name: 'Of which webhook' });
    await of.getByRole('button', { name: /second$/ }).click();
    await page.getByText('None of them was sent lately.').waitFor();
    await of.getByRole('button', { name: /hook$/ }).click();
    await table.getByText('campaign paused').first().waitFor();
    await site.api.ask('DELETE', `/api/webhooks/${other.id}`);
  });

  it('adds an address of alerts, tests it and says what happened, shows why it fails, and removes it', async () => {
    const page = await site.visit('/', { expect: /422/ });
    await page.getByRole('link', { name: 'Alerts do not arrive' }).click();
    await page.getByText('nobody is told of alerts').waitFor();
    await page.getByRole('link', { name: /^What is watched/ }).waitFor();
    await page.getByRole('button', { name: 'Add an address' }).click();
    await page.getByLabel('Address', { exact: true }).fill('ops');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('The URL is not a URL').waitFor();
    await page.getByLabel('Address', { exact: true }).fill(receiver.url);
    await page.getByLabel('What', { exact: true }).selectOption('critical');
    await page.getByLabel('How often at most').fill('1h');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('critical, at most one message in 1 h').waitFor();
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText(/The test arrived in .*: it answered 204\./).waitFor();
    expect(receiver.taken.map(({ event }) => event.text)).toContain('Carillon: a test');
    expect(await axe(page)).toEqual([]);

    await site.api.sql(`update carillon.alert_addresses set reason = 'it answered 404', since = now()`);
    await page.reload();
    await page.getByText(/^Act\. Alerts do not reach one address\./).waitFor();
    await page.getByText(/It fails .*: it answered 404\./).waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('nobody is told of alerts').waitFor();
  });

  it('makes a token that is shown once, revokes it, and keeps both in the activity', async () => {
    const page = await site.visit('/tokens');
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByLabel('Name').fill('night shift');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText(/^car_/).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.getByText(/car_/).count()).toBe(0);
    // One that never ends is replaced: the new one is shown first, and only then the old one goes.
    const wall = { name: 'wall screen', role: 'read' };
    await site.api.ask('POST', '/api/tokens', { body: wall });
    await page.reload();
    await page.getByText('The token “wall screen” never ends.').waitFor();
    await page.getByRole('button', { name: 'Replace wall screen' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('wall screen 2');
    expect(await page.getByLabel('Ends').inputValue()).toBe('90d');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page
      .getByRole('dialog', { name: 'Revoke wall screen?' })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await page.getByText('The token wall screen is revoked.').waitFor();
    await page.getByText('Each of these tokens ends.').waitFor();
    await page.getByRole('button', { name: 'Revoke night shift' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('The token night shift is revoked.').waitFor();

    // As a role sees the page: acts and people are hidden from an admin too, until that is ended.
    await page.getByRole('button', { name: 'Look as read', exact: true }).click();
    await page.getByText('You see the page as the role “read” does.').waitFor();
    await page.getByText('read-only').waitFor();
    expect(await page.getByRole('button', { name: 'Stop everything' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Tokens', exact: true }).count()).toBe(0);
    await goTo(page, '/campaigns/spring?tab=people');
    await page
      .getByRole('row', { name: /hidden/ })
      .first()
      .waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Be admin again' }).click();

    await page.getByRole('link', { name: 'Activity', exact: true }).click();
    await page.getByRole('button', { name: 'Set-up' }).click();
    const list = page.getByRole('list', { name: /^Activity, / });
    await list.getByText('revoked a token night shift').waitFor();
    expect(await list.getByText(/a token/).allTextContents()).toEqual([
      expect.stringContaining('This machine revoked a token night shift'),
      expect.stringContaining('This machine revoked a token wall screen'),
      expect.stringContaining('This machine made a token wall screen 2'),
      expect.stringContaining('This machine made a token wall screen'),
      expect.stringContaining('This machine made a token night shift'),
    ]);
    // Campaigns that are renamed one after the other are one line; what is written in signs is told in words.
    for (const name of ['one', 'two'])
      await site.api.ask('POST', '/api/campaigns', { body: { name, agent: 'a', recipients: [] } });
    for (const name of ['one', 'two'])
      await site.api.ask('PATCH', `/api/campaigns/${name}`, { body: { name: `${name} again` } });
    await site.api.ask('PUT', '/api/policy', {
      body: { hours: ['us-telemarketing'], not_on: ['2026-12-25'] },
    });
    await page.goto(`${site.api.url}/activity`);
    await list.getByText(/renamed two again from “two” and one again from “one”/).waitFor();
    await list.getByText(/not on Dec 25, 2026/).waitFor();
    // What befell all campaigns stands among what befell one.
    await goTo(page, `/campaigns/${encodeURIComponent('one again')}?tab=activity`);
    await list.getByText('changed the contact rules').first().waitFor();
    await list.getByText(/made one/).waitFor();
    // A token tells what it was used for last.
    const desk = { name: 'front desk', person: 'Ann Berger', role: 'operate' };
    const { json: made } = await site.api.ask('POST', '/api/tokens', { body: desk });
    await fetch(`${site.api.url}/api/suppressions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${made.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ phones: ['+14155550799'] }),
    });
    await page.goto(`${site.api.url}/tokens`);
    await page.getByRole('link', { name: /^suppressed a phone/ }).click();
    await list.getByText('Ann Berger suppressed').waitFor();
    await site.api.ask('PUT', '/api/policy', { body: { gap: '4h' } });
    // A link may name any time.
    await goTo(page, '/activity?since=2099-01-01T00:00:00Z');
    await page.getByText('Nothing was done in this time').waitFor();
  });

  it('shows a webhook that rests, why, and wakes it with a test or a replay', async () => {
    // It answers late: the page is read again at the event, when the webhook does not rest yet.
    const held: ServerResponse[] = [];
    receiver.answer = () => (response) => held.push(response);
    const page = await site.visit('/webhooks');
    await page.getByRole('link', { name: receiver.url }).waitFor();
    const readAgain = page.waitForResponse((response) => response.url().endsWith('/api/webhooks'));
    await site.api.ask('POST', '/api/campaigns/spring/start');
    await readAgain;
    await expect.poll(() => held.length).toBeGreaterThan(0);
    receiver.answer = () => 410;
    for (const response of held) response.writeHead(410).end();
    await page.getByText('resting', { exact: true }).waitFor();
    await page.getByText(/the receiver wants no more events/).waitFor();
    await page.getByText(/^Act\. \S+ does not get its events/).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('link', { name: receiver.url }).click();
    await page.getByText(/Repair the receiver, then test it/).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).first().click();
    await page.getByText(/It did not take the test: .*410/).waitFor();
    receiver.answer = () => 204;
    await page.getByRole('button', { name: 'Send a test' }).first().click();
    await page.getByText(/It took the test/).waitFor();
    await page.getByText('active', { exact: true }).waitFor();

    receiver.answer = () => 410;
    await site.api.ask('POST', '/api/campaigns/spring/pause');
    await page.getByText('resting', { exact: true }).waitFor();
    receiver.answer = () => 204;
    const before = receiver.taken.length;
    await page.getByRole('button', { name: 'Send events again…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('active', { exact: true }).waitFor();
    await receiver.takes(before + 3);
    // Whom an event was about leads to the person.
    await page.getByRole('table', { name: 'Deliveries' }).getByText('call placed').first().waitFor();
    await page
      .getByRole('link', { name: /415.?555.?0711/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: /415.?555.?0711/ }).waitFor();
  });

  it('shows how far an import is, and what was rejected', async () => {
    const { json } = await site.api.ask('POST', '/api/campaigns/spring/recipients', {
      headers: { 'content-type': 'text/csv', prefer: 'respond-async' },
      body: 'phone\n+14155550721\nnobody\n',
    });
    const page = await site.visit(`/imports/${json.id}`);
    // Its address leads to its campaign.
    await page
      .getByRole('table', { name: 'Imports' })
      .getByRole('row', { name: /done 1 1$/ })
      .waitFor();
    await page.getByText('"nobody" contains letters').waitFor();
  });

  it('says that a file rules when one came meanwhile, and lets nobody change what it holds', async () => {
    const page = await site.visit('/policy', { expect: /409/ });
    await page.getByRole('button', { name: 'Change: 4 h at least' }).click();
    await page.getByLabel('Gap').fill('6h');
    await site.api.app.ledger.policies.set(writtenPolicy({ gap: '2h' }), 'file');
    await page.getByRole('button', { name: 'Put in force', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/comes from a file \(CARILLON_POLICY\)/)
      .waitFor();
    await page.getByRole('button', { name: 'Keep as it is' }).click();
    await page.reload();
    await page.getByText('A file rules: while it does').waitFor();
    await page.getByText('2 h at least').waitFor();
    expect(await page.getByRole('button', { name: /^(?:Add a rule|Change|Take out)/ }).count()).toBe(0);
    expect(await axe(page)).toEqual([]);
  });
});

describe.skipIf(!browserPath)(
  'the pages around the calls, for one who only reads (skipped without Chromium)',
  () => {
    const site = openPage({ token: 'a-token-for-the-admin' });

    it('sees no phone and no name on any page, no act there, and which role a page needs', async () => {
      const headers = { authorization: 'Bearer a-token-for-the-admin' };
      const recipients = [{ phone: '+14155550791', name: 'Ann Berg' }];
      const { json: made } = await site.api.ask('POST', '/api/campaigns', {
        headers,
        body: { name: 'spring', agent: 'a', recipients, start: true },
      });
      const { json: found } = await site.api.ask('GET', `/api/campaigns/${made.id}/recipients`, { headers });
      const { json: reader } = await site.api.ask('POST', '/api/tokens', {
        headers,
        body: { name: 'wall', role: 'read' },
      });
      const page = await site.visit('/', { token: reader.token, expect: /403/ });
      await page.getByText('read-only').waitFor();
      expect(await page.getByRole('link', { name: 'Tokens' }).count()).toBe(0);
      const campaign = `/campaigns/${made.id}`;
      const signs: [path: string, sign: string][] = [
        ['/', 'spring'],
        ['/campaigns', 'spring'],
        [campaign, 'Overview'],
        [`${campaign}?tab=people`, 'hidden'],
        [`${campaign}?tab=order`, 'In each person’s own time'],
        [`${campaign}?tab=results`, 'Results'],
        [`/people/${found.items[0].id}`, 'This token may not see people'],
        ['/unknown', 'Every call is accounted for'],
        ['/keys/main', 'No limit of the service was met yet'],
        ['/jobs', 'Next in line'],
        ['/health', 'Database'],
        ['/policy', 'No contact rules are in force'],
        ['/suppressions', 'read_people'],
      ];
      for (const [path, sign] of signs) {
        await goTo(page, path);
        await page.getByRole('main').getByText(sign).first().waitFor();
        const text = await page.locator('body').innerText();
        expect([path, /555-?0791|Ann Berg/.test(text)]).toEqual([path, false]);
        const acts =
          /^(?:Stop|Pause|Resume|Start|More|Act on|Change|Add|Remove|Settle|Suppress|New|Run checks|Send a test|Test)/;
        expect([path, await page.getByRole('button', { name: acts }).allInnerTexts()]).toEqual([path, []]);
      }
    });
  },
);

type BrowserPage = Parameters<typeof axe>[0];

/** As the browser's field writes a time of its own clock. */
function localOf(page: BrowserPage, at: string): Promise<string> {
  return page.evaluate((given) => {
    const time = new Date(given);
    return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }, at);
}
