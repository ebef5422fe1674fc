import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { follow } from '../support/events.ts';
import { startProxy } from '../support/proxy.ts';
import { axe, browserPath, goTo, openPage } from './support.ts';

/** The overview and the shell around it, in a browser, under the policy that they are served with. */
const people = (many: number, from: number) =>
  Array.from({ length: many }, (_, nth) => ({ phone: `+1415555${String(from + nth).padStart(4, '0')}` }));

describe.skipIf(!browserPath)('the overview, in a browser (skipped without Chromium)', () => {
  const site = openPage({ simulator: { speed: 1 } });

  it('teaches how to start where there is nothing yet', async () => {
    const page = await site.visit('/');
    await page.getByText('No campaign yet').waitFor();
    await page.getByText('carillon run people.csv').waitFor();
    await page.getByText('main', { exact: true }).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  it('shows the bar move while calls are made, and stops everything with one confirmation', async () => {
    const { api } = site;
    const name = '<img src=x onerror=alert(1)>';
    const page = await site.visit('/');
    const recipients = people(40, 0);
    await api.ask('POST', '/api/campaigns', {
      body: { name, agent: 'a', recipients, max_calls: 4, start: true },
    });
    const card = page.getByRole('article', { name });
    await card.getByRole('img', { name: /^40 waiting$|queued|calling/ }).waitFor();
    api.work();
    await card.getByRole('img', { name: /[1-9]\d* calling/ }).waitFor();
    await page
      .getByRole('region', { name: 'Needs you' })
      .getByText('No contact rules are in force.')
      .waitFor();
    await page.getByRole('link', { name: 'Contact rules none in force' }).waitFor();
    expect(await axe(page)).toEqual([]);

    await page.getByRole('button', { name: 'Stop everything' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 campaign will be paused').waitFor();
    await dialog.getByText(/^Hang up [1-4] calls? too$/).waitFor();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Stop everything' }).click();
    await dialog.getByText(/Everything stopped in (?:less than )?\d+\.\d s/).waitFor();
    await dialog.getByText('1 campaign is paused.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page
      .getByRole('region', { name: 'Paused and lately done' })
      .getByText('everything was stopped')
      .waitFor();
    const { json } = await api.ask('GET', '/api/activity?verb=campaign.pause');
    expect(json.items).toHaveLength(1);
    const activity = await site.visit('/activity');
    await activity.getByText(`This machine stopped everything: ${name}`).waitFor();
    await activity.close();

    const needs = page.getByRole('region', { name: 'Needs you' });
    await needs.getByRole('listitem').first().getByText('Everything is stopped.').waitFor();
    await expect.poll(() => page.title()).toBe('(2) Overview · Carillon');
    await page.keyboard.press('1');
    const resume = page.getByRole('dialog', { name: 'Resume 1 campaign?' });
    // What would be so again is told before.
    await resume.getByText('No contact rules are in force.').waitFor();
    await resume.getByLabel('Why it continues').fill('it was a drill');
    await resume.getByRole('button', { name: /Resume: call \d+ people/ }).click();
    await page.getByText('1 campaign continues.').waitFor();
    await card.waitFor();
    await api.ask('POST', `/api/campaigns/${json.items[0].campaign_id}/pause`);
    await page.getByRole('region', { name: 'Paused and lately done' }).waitFor();
  });

  it('finds a person by phone, a page and an act with the keyboard only', async () => {
    const body = { name: 'winter', agent: 'a', recipients: people(3, 200) };
    await site.api.ask('POST', '/api/campaigns', { body });
    const page = await site.visit('/');
    await page.getByRole('button', { name: 'Search or act' }).waitFor();
    await page.keyboard.press('/');
    const search = page.getByRole('dialog', { name: 'Search or act' });
    // Before anything is typed it offers what can be done now.
    await search.getByRole('option', { name: 'Start winter 3 people wait' }).waitFor();
    await search.getByRole('combobox').fill('(415) 555-0039');
    await search.getByRole('option', { name: /^\+1 415 555 0039/ }).waitFor();
    // What was typed is set apart in what was found.
    await search.getByText('415 555 0039', { exact: true }).first().waitFor();
    expect(await axe(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '+14155550039', level: 1 }).waitFor();

    // Pages and acts are found by a part of their name, each with its key.
    await page.keyboard.press('Control+k');
    await search.getByRole('combobox').fill('supp');
    await search.getByRole('option', { name: 'Suppressions G S' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Suppressions', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await search.getByRole('combobox').fill('stop');
    await search.getByRole('option', { name: 'Stop everything', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Stop everything?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');

    // An act on a campaign or on who is found asks the question that it has on their page, once.
    await page.keyboard.press('Control+k');
    await search.getByRole('combobox').fill('start win');
    await search.getByRole('option', { name: 'Start winter 3 people wait' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Start winter?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.search.includes('act'));
    await page.keyboard.press('Control+k');
    await search.getByRole('combobox').fill('(415) 555-0039');
    await search.getByRole('option', { name: /^Suppress .* S$/ }).click();
    await page.getByRole('dialog', { name: /Suppress/ }).waitFor();
    await page.keyboard.press('Escape');
    expect(new URL(page.url()).pathname).toContain('/people/');
  });

  it('says in its place that a part is missing, as after an update, and shows it when it is tried again', async () => {
    const context = await site.newContext();
    const parts = /assets\/(?:search|page|stop-everything)-/;
    const page = await site.visit('/', { context, expect: /Failed to load|net::/ });
    await page.getByRole('button', { name: 'Search or act' }).waitFor();
    await context.route(parts, (route) => route.abort());
    await page.goto(`${site.api.url}/webhooks`);
    const part = page.getByText('This part of the page could not be loaded.');
    await page.getByRole('main').filter({ has: part }).waitFor();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Not loaded yet' });
    await dialog.filter({ has: part }).waitFor();
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).click();
    // It stops all the same.
    await page.getByRole('button', { name: 'Stop everything' }).click();
    await dialog.getByRole('button', { name: 'Stop everything' }).click();
    await page.getByText('Stop everything is confirmed').waitFor();
    await page.keyboard.press('/');
    await dialog.waitFor();
    await context.unroute(parts);
    // The page tries by itself too when an answer was late, as on a busy machine.
    const tryAgain = async (within: Page | Locator, part: Locator) => {
      await Promise.race([within.getByRole('button', { name: 'Try again' }).click(), part.waitFor()]);
      await part.waitFor();
    };
    await tryAgain(dialog, page.getByRole('combobox'));
    await page.keyboard.press('Escape');
    await tryAgain(page, page.getByText('No webhook'));
  });

  it('names the nearest page of a wrong address, and answers a program with its problem', async () => {
    const page = await site.visit('/campaings/december', { expect: /404/ });
    await page.getByText('This address has no page.').waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole('link', { name: 'Open Campaigns' }).click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    // Also by another name that people have for it.
    for (const [path, name] of [
      ['/phone-numbers/3', 'Numbers'],
      ['/rules', 'Contact rules'],
      ['/contacts', 'People'],
    ]) {
      await goTo(page, path!);
      await page.getByRole('link', { name: `Open ${name}` }).waitFor();
    }
    const { status, json } = await site.api.ask('GET', '/campaings/december');
    expect([status, json.code]).toEqual([404, 'route-unknown']);
  });

  it('says since when it is stale, and comes back by itself', async () => {
    const { api } = site;
    const page = await site.visit('/', { expect: /50[03]|Failed to load/ });
    await page.getByRole('region', { name: 'Paused and lately done' }).waitFor();
    const { page: read } = api.app.ledger.campaigns;
    api.app.ledger.campaigns.page = () => Promise.reject(new Error('away'));
    await page.getByText(/Stale since .*: Carillon answers with errors/).waitFor();
    api.app.ledger.campaigns.page = read;
    await page.getByText(/Stale since/).waitFor({ state: 'detached' });
  });

  it('holds one stream for several tabs', async () => {
    const context = await site.newContext();
    const pages = await Promise.all(Array.from({ length: 3 }, () => site.visit('/', { context })));
    for (const page of pages) await page.getByRole('region', { name: 'Paused and lately done' }).waitFor();
    await expect.poll(site.streams).toBe(1);
  });

  it('is up to date also without SharedWorker', async () => {
    const context = await site.newContext();
    await context.addInitScript('delete globalThis.SharedWorker');
    const page = await site.visit('/', { context });
    await page.getByRole('region', { name: 'Paused and lately done' }).waitFor();
    await site.api.ask('POST', '/api/campaigns', {
      body: { name: 'after', agent: 'a', recipients: people(1, 200), start: true },
    });
    await page.getByRole('article', { name: 'after' }).waitFor();
    // That of the tabs before may still be closing.
    await expect.poll(site.streams).toBe(1);
  });
});

describe.skipIf(!browserPath)('the page with tokens (skipped without Chromium)', () => {
  const site = openPage({ token: 'a-token-for-the-admin', readToken: 'a-token-that-only-reads' });
  const refused = /401/;

  it('asks for a token, keeps none, and acts by the login', async () => {
    const { api } = site;
    const headers = { authorization: 'Bearer a-token-for-the-admin' };
    await api.ask('POST', '/api/campaigns', {
      headers,
      body: { name: 'spring', agent: 'a', recipients: people(2, 100), start: true },
    });
    const page = await site.visit('/', { expect: refused });
    await page.getByLabel('API token').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The token is not valid').waitFor();
    await page.getByLabel('API token').fill('a-token-for-the-admin');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('article', { name: 'spring' }).waitFor();
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie])');
    expect(kept).not.toContain('a-token');
    expect(kept).not.toContain('carillon=');

    await page.getByRole('button', { name: 'Stop everything' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop everything' }).click();
    await page.getByRole('dialog').getByText('1 campaign is paused.').waitFor();
    const { json } = await api.ask('GET', '/api/activity?verb=campaign.pause', { headers });
    expect(json.items[0]).toMatchObject({ who: 'API_TOKEN' });
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('API token').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await page.goto(`${api.url}/campaigns`);
    await page.getByLabel('API token').waitFor();
    expect(await page.getByText('spring').count()).toBe(0);
  });

  it('tells a lost connection, and continues after it where the stream broke off, without a gap', async () => {
    const { api } = site;
    const headers = { authorization: 'Bearer a-token-for-the-admin' };
    const proxy = await startProxy(api.port);
    const resumed: unknown[] = [];
    const hear = (message: unknown) => {
      const { request } = message as { request: IncomingMessage };
      if (request.url?.startsWith('/api/events')) resumed.push(request.headers['last-event-id']);
    };
    subscribe('http.server.request.start', hear);
    try {
      const origin = `http://127.0.0.1:${proxy.port}`;
      const token = 'a-token-for-the-admin';
      const page = await site.visit('/campaigns', { origin, token, expect: /Failed to load|net::/ });
      await page.getByText('up to date', { exact: true }).waitFor();
      // An event, so that there is a place at which to continue.
      await api.ask('POST', '/api/campaigns', {
        headers,
        body: { name: 'before', agent: 'a', recipients: people(1, 300) },
      });
      const told = await follow(origin, '/api/events?types=campaign.started', headers);
      await api.ask('POST', '/api/campaigns/before/start', { headers });
      await told.until((events) => events.length > 0);
      await page.getByRole('row', { name: /before.* (running|stands still|waits)/ }).waitFor();
      await proxy.cut();
      await page.getByText(/Stale since .*: Carillon does not answer/).waitFor();
      await api.ask('POST', '/api/campaigns', { headers, body: { name: 'meanwhile', agent: 'a' } });
      await api.ask('POST', '/api/campaigns/before/cancel', { headers });
      await proxy.restore();
      await page.getByText('up to date', { exact: true }).waitFor();
      await page.getByText(/Stale since/).waitFor({ state: 'detached' });
      await page.getByRole('row', { name: /meanwhile draft/ }).waitFor();
      await page.getByRole('row', { name: /before canceled/ }).waitFor();
      expect(resumed.at(-1)).toMatch(/./);
    } finally {
      unsubscribe('http.server.request.start', hear);
      await proxy.close();
    }
  });

  it('shows a reader no act, and since when something needs a person', async () => {
    const page = await site.visit('/', { token: 'a-token-that-only-reads' });
    await page.getByText('read-only').waitFor();
    const need = page
      .getByRole('region', { name: 'Needs you' })
      .getByRole('listitem')
      .filter({ hasText: 'Everything is stopped' });
    await need.getByText('since').waitFor();
    expect(await page.getByRole('button', { name: /Stop/ }).count()).toBe(0);
  });
});
