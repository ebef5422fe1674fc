import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk, type Running } from '../support/carillon.ts';
import { freePort } from '../support/ports.ts';
import { browserPath, openPage } from './support.ts';

/** The page while the process that serves it is killed, and when it is there again: nothing is lost but the news. */
const assets = fileURLToPath(new URL('../../dist/dashboard/assets', import.meta.url));

describe.skipIf(!browserPath)('the page of a process that dies (skipped without Chromium)', () => {
  const site = openPage();
  let desk: Desk;
  let up: Running;
  let port = 0;
  const start = async () => {
    up = desk.start(['up'], { PORT: String(port) });
    await up.prints(/Carillon listens on/);
  };
  const kill = async () => {
    up.child.kill('SIGKILL');
    await up.ended;
  };

  beforeAll(async () => {
    [desk, port] = await Promise.all([openDesk('postgres', { speed: 1 }), freePort()]);
    await start();
  });
  afterAll(async () => {
    await kill();
    await desk.close();
  });

  /** Marked, so that a reload is noticed; `isWhole` waits for the parts that are not on the screen. */
  const visit = async (path: string, isWhole = true) => {
    const origin = `http://127.0.0.1:${port}`;
    const page = await site.visit(path, { origin, expect: /Failed to load|net::|50[03]/ });
    await page.evaluate('globalThis.isSame = true');
    const scripts = readdirSync(assets).filter((name) => /(?<!(?:worker|hub)-.*)\.js$/.test(name));
    if (isWhole) await expect.poll(() => loaded(page)).toEqual(expect.arrayContaining(scripts));
    return page;
  };
  const loaded = (page: Page) =>
    page.evaluate<string[]>(
      'performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1))',
    );
  const open = async (page: Page, name: string) => {
    await page.getByRole('link', { name }).first().click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  };

  it('opens pages and the search that were never opened before, and stays the same page', async () => {
    const page = await visit('/');
    await kill();
    for (const name of ['Webhooks', 'Campaigns', 'Settings', 'Health']) await open(page, name);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('supp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Suppressions', level: 1 }).waitFor();
    await start();
    await page.getByText('live', { exact: true }).waitFor();
    expect(await page.evaluate('globalThis.isSame')).toBe(true);
  });
});
