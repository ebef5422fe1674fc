import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createWatch } from '../../src/background/alerts.ts';
import { createLog } from '../../src/base/log.ts';
import { createLastSeen, noteRestored } from '../../src/dispatch/trust/last-seen.ts';
import { axe, browserPath, fits, openPage } from './support.ts';

/** A ledger that was restored from a backup, and the person who settles it on the page. */
const home = mkdtempSync(join(tmpdir(), 'carillon-history-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(!browserPath)('a ledger that lost history, in a browser (skipped without Chromium)', () => {
  const token = 'a-token-of-16-chars';
  const readToken = 'reads-with-16-chars';
  const site = openPage({ env: { CARILLON_HOME: home }, token, readToken });

  const enter = async (width: number, by: string) => {
    const page = await site.visit('/', { width, expect: /401|503|Failed to load/ });
    await page.getByLabel('API token').fill(by);
    await page.getByRole('button', { name: 'Log in' }).click();
    return page;
  };

  it('is confirmed with the number of people who become unknown, by those who may', async () => {
    const { api } = site;
    const headers = { authorization: `Bearer ${token}` };
    const recipients = ['+14155550201', '+14155550202', '+14155550203'].map((phone) => ({ phone }));
    const body = { name: 'spring', agent: 'a', recipients, start: true };
    expect((await api.ask('POST', '/api/campaigns', { headers, body })).status).toBe(201);
    // The trace that `carillon restore` leaves, and what a process does that starts after it.
    noteRestored(home, 'from a backup');
    const { ledger, clock, permit } = api.app;
    await createLastSeen({ ledger, home, clock, log: createLog('silent') }).begin();
    await expect
      .poll(async () => {
        await permit.vouch();
        return permit.trouble()?.code;
      })
      .toBe('ledger-unconfirmed');
    await createWatch({ ...api.app, endings: async () => [], home, machine: 'one', process: 'one:1' })();

    const reader = await enter(1440, readToken);
    await reader.getByText('The ledger has lost some of its history, and nobody is called').waitFor();
    expect(await reader.getByRole('button', { name: 'Confirm the history' }).count()).toBe(0);

    const page = await enter(390, token);
    // The line of its campaign has the same act.
    const needs = page.getByRole('region', { name: 'Needs you' });
    await needs.getByRole('button', { name: 'Confirm the history' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm the history?' });
    await dialog.getByText('it was restored from a backup').waitFor();
    const since = dialog.getByLabel('History is missing since');
    await since.fill('');
    await dialog.getByRole('button', { name: 'Confirm', exact: true }).waitFor();
    await since.fill('2026-01-01T09:00:00');
    await dialog.getByText('3 people become unknown, and wait for your word.').waitFor();
    await dialog.getByText('spring: 3').waitFor();
    expect([await fits(page), await axe(page)]).toEqual([true, []]);
    await dialog.getByRole('button', { name: 'Confirm, and mark 3 people' }).click();
    await page.getByText('3 people are unknown now').waitFor();
    const { json } = await api.ask('GET', '/api/ledger', { headers });
    expect(json.state).toBe('sound');
    const unknown = await api.ask('GET', '/api/unknown', { headers });
    expect(unknown.json.items).toHaveLength(3);
  });
});
