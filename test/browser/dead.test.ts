import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk, type Running } from '../support/carillon.ts';
import { freePort } from '../support/ports.ts';
import { axeInBoth, browserPath, fits, openPage } from './support.ts';

/** The page while the process that serves it is killed, and when it is there again: nothing is lost but the news. */
const assets = fileURLToPath(new URL('../../dist/dashboard/assets', import.meta.url));
const token = 'a-token-for-the-admin';

describe.skipIf(!browserPath)('the page of a process that dies (skipped without Chromium)', () => {
  const site = openPage();
  let desk: Desk;
  let up: Running | undefined;
  let port = 0;
  const start = async (env: Record<string, string> = {}) => {
    up = desk.start(['up'], { PORT: String(port), ...env });
    await up.prints(/Carillon listens on/);
  };
  const kill = async () => {
    up?.child.kill('SIGKILL');
    await up?.ended;
    up = undefined;
  };
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as { state: string };
  };

  beforeAll(async () => {
    [desk, port] = await Promise.all([openDesk('postgres', { speed: 1 }), freePort()]);
    await start();
    const recipients = Array.from({ length: 30 }, (_, nth) => ({ phone: `+141555509${String(10 + nth)}` }));
    await ask('POST', '/api/campaigns', {
      name: 'spring',
      agent: 'a',
      recipients,
      max_calls: 2,
      start: true,
    });
  });
  beforeEach(() => (up ? undefined : start()));
  afterAll(async () => {
    await kill();
    await desk.close();
  });

  /** Marked, so that a reload is noticed; as it is when all its parts are loaded. The hub is a worker here. */
  const visit = async (path: string, size = {}) => {
    const origin = `http://127.0.0.1:${port}`;
    const page = await site.visit(path, { origin, expect: /Failed to load|net::|40[13]|50[03]/, ...size });
    await page.evaluate('globalThis.isSame = true');
    const scripts = readdirSync(assets).filter((name) => /^(?!worker|hub|hide-people).*\.js$/.test(name));
    await expect.poll(() => loaded(page)).toEqual(expect.arrayContaining(scripts));
    return page;
  };
  const loaded = (page: Page) =>
    page.evaluate<string[]>(
      'performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1))',
    );
  const isBack = async (page: Page) => {
    await page.getByText('up to date', { exact: true }).waitFor();
    expect(await page.evaluate('globalThis.isSame')).toBe(true);
  };
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

  it('opens pages and the search that were never opened before, and reads them when it is back', async () => {
    const page = await visit('/');
    await kill();
    for (const name of ['Webhooks', 'Settings', 'Campaigns']) {
      await page.getByRole('link', { name }).first().click();
      await heading(page, name);
      await page.getByText('Carillon does not answer.', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('supp');
    await page.keyboard.press('Enter');
    await heading(page, 'Suppressions');
    await page.getByRole('link', { name: 'Campaigns' }).first().click();
    await start();
    await isBack(page);
    await page.getByRole('row', { name: /spring running/ }).waitFor();
  });

  it('shows no sign of life and no act but Stop everything, and says since when and why', async () => {
    const page = await visit('/campaigns/spring');
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause spring?' });
    const pause = dialog.getByRole('button', { name: 'Pause' });
    await pause.waitFor();
    const colorOf = (name: string) =>
      page.evaluate<string>(
        `getComputedStyle([...document.querySelectorAll('header span')].find(({ innerText }) => innerText === '${name}')).color`,
      );
    const alive = await colorOf('running');
    await kill();
    await page.getByText(/Stale since \d.*: Carillon does not answer/).waitFor();
    await dialog
      .getByText(/only Stop everything can be asked for/)
      .first()
      .waitFor();
    expect(await pause.isDisabled()).toBe(true);
    expect(await pause.getAttribute('title')).toMatch(/Carillon does not answer/);
    await page.keyboard.press('Escape');
    for (const opener of ['Pause', 'More'].map((name) => page.getByRole('button', { name }))) {
      expect(await opener.isDisabled()).toBe(true);
      expect(await opener.getAttribute('title')).toMatch(/Carillon does not answer/);
    }
    expect(await colorOf('running')).not.toBe(alive);
    expect(await page.getByText('up to date', { exact: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Stop everything', exact: true }).isEnabled()).toBe(true);
    expect(await axeInBoth(page)).toEqual([]);
    await start();
    await isBack(page);
    expect(await colorOf('running')).toBe(alive);
    await page.getByRole('button', { name: 'Pause' }).click();
    expect(await pause.isEnabled()).toBe(true);
  });

  it('keeps asking for the stop that was pressed meanwhile, says that it is not confirmed, and then that it is', async () => {
    const page = await visit('/', { width: 390, height: 844 });
    await kill();
    await page.getByRole('button', { name: 'Stop everything' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/The figures are of \d/).waitFor();
    await dialog.getByRole('button', { name: 'Stop everything' }).click();
    await dialog.getByText('Stop everything is not confirmed').waitFor();
    await dialog.getByText(/asked \d+ s ago, not confirmed/i).waitFor();
    await dialog.getByText(/hang up at the service/).waitFor();
    expect(await axeInBoth(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep asking' }).click();
    // It says so on every page.
    await page.getByRole('link', { name: 'Campaigns' }).click();
    await heading(page, 'Campaigns');
    await page.getByText(/Stop everything: asked \d+ s ago, not confirmed; hang up at the service/).waitFor();
    expect([await fits(page), ...(await axeInBoth(page))]).toEqual([true]);
    await start();
    await page.getByText('Stop everything is confirmed: 1 campaign is paused by it.').waitFor();
    await isBack(page);
    expect((await ask('GET', '/api/campaigns/spring')).state).toBe('paused');
    for (const link of ['Campaigns', 'Live']) {
      await page.getByRole('navigation', { name: 'Most used' }).getByRole('link', { name: link }).click();
      await page.getByText(/Everything is stopped since \d/).waitFor();
    }
    await page.getByRole('button', { name: 'Resume all' }).click();
    await page.getByRole('button', { name: /^Resume: call/ }).click();
    await page.getByText(/Everything is stopped since/).waitFor({ state: 'detached' });
  });

  it('offers the stop before it is known who looks, and tells a reader that they may not', async () => {
    await kill();
    await start({ API_TOKEN: token, API_READ_TOKEN: 'a-token-that-only-reads' });
    const page = await visit('/policy');
    await page.getByLabel('API token').fill('a-token-that-only-reads');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('read-only').waitFor();
    await page.context().route(/\/api\/me$/, () => new Promise(() => undefined));
    await page.reload();
    await page.getByRole('button', { name: 'Stop everything' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop everything' }).click();
    await page.getByRole('dialog').getByText('This needs the role operate').waitFor();
    await kill();
  });

  it('asks again for the login that ended with the process, and keeps what was typed', async () => {
    await kill();
    await start({ API_TOKEN: token });
    const page = await visit('/suppressions');
    const logIn = async () => {
      await page.getByLabel('API token').fill(token);
      await page.getByRole('button', { name: 'Log in' }).click();
    };
    await logIn();
    await page.getByRole('button', { name: 'Suppress phones' }).first().click();
    await page.getByLabel('Phones', { exact: true }).fill('+14155550199');
    await kill();
    await page
      .getByText(/only Stop everything can be asked for/)
      .first()
      .waitFor();
    await start({ API_TOKEN: token });
    await logIn();
    await isBack(page);
    expect(await page.getByLabel('Phones', { exact: true }).inputValue()).toBe('+14155550199');
    await kill();
  });
});
