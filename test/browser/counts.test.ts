import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typeLine } from '../cli/terminal.ts';
import { until } from '../support/until.ts';
import { axe, browserPath, goTo, openPage } from './support.ts';

/** The numbers by which a person judges and acts: the same wherever they stand, and kept by what follows from them. */
const phone = (n: number) => `+1415555${String(n).padStart(4, '0')}`;

describe.skipIf(!browserPath)('the counts of the page, in a browser (skipped without Chromium)', () => {
  const site = openPage({
    simulator: {
      speed: 600,
      endings: {
        '1': ['no-answer', 'answered'],
        '2': 'busy',
        '3': ['answered', 'no-answer'],
        '4': 'answered',
      },
      faults: [{ kind: 'error', on: 'create', when: 'after', phone: '5' }],
    },
  });
  let folder: string;
  let id: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-counts-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const type = async (line: string) => (await typeLine(line, site.api.env, folder)).out;
  const campaign = async () => (await site.api.ask('GET', `/api/campaigns/${id}`)).json;
  const rest = () =>
    until(campaign, ({ balance }) => balance.queued + balance.calling === 0 && balance.attempts > 0);
  const attempts = async () =>
    (await site.api.ask('GET', `/api/campaigns/${id}/attempts?limit=1000`)).json.items;

  it('a bulk act says beforehand whom it can try again, and when it has ended', async () => {
    const { api } = site;
    const made = await api.ask('POST', '/api/campaigns', {
      body: {
        name: 'counted',
        agent: 'a',
        recipients: [1, 2, 3, 4, 5].map((n) => ({ phone: phone(n), name: `Person ${n}` })),
        max_attempts: 3,
        retry: { 'no-answer': '1d', busy: '1d' },
        start: true,
      },
    });
    id = made.json.id;
    api.work();
    await rest();

    const page = await site.visit(`/campaigns/${id}`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'More' }).waitFor();
    await page.keyboard.press('t');
    await dialog.getByText(/gets one more attempt/).waitFor();
    await dialog.getByText('2 people found, and it can be done for none of them.').waitFor();
    await dialog.getByText('2 people left out: another attempt waits for its time').waitFor();
    expect(await dialog.getByRole('button', { name: 'Try again 0 people' }).isDisabled()).toBe(true);
    expect(await axe(page)).toEqual([]);
    await dialog.getByRole('checkbox', { name: 'busy' }).click();
    await dialog.getByText('1 person found').waitFor();
    await dialog.getByRole('checkbox', { name: 'Also those who wait for another attempt' }).click();
    await dialog.getByRole('button', { name: 'Try again 1 person' }).click();
    await dialog.getByText('Done: 1 person waits for another call.').waitFor();
    await dialog.getByRole('progressbar', { name: 'Progress' }).waitFor();
    expect(await dialog.getByText('It continues when this is closed').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await until(attempts, (items) => items.length === 6);
    await rest();

    // Someone who was reached is tried again, does not answer, and waits.
    const filter = { campaign: id, phone: [phone(3)] };
    await api.ask('POST', '/api/bulk', { body: { act: 'retry', filter, confirm: 1 } });
    await until(attempts, (items) => items.length === 7);
    await rest();
  });

  it('a campaign has one share of answered calls and one of people reached, the same everywhere', async () => {
    const { api } = site;
    const all: { state: string; outcome: string | null; phone: string }[] = await attempts();
    const ended = all.filter(({ state }) => state === 'done');
    const answered = ended.filter(({ outcome }) => outcome === 'answered');
    const called = new Set(ended.map((each) => each.phone)).size;
    const reached = new Set(answered.map((each) => each.phone)).size;
    expect([answered.length, ended.length, reached, called]).toEqual([3, 6, 3, 4]);
    const { answers, balance } = await campaign();
    expect(balance).toMatchObject({ rows: 5, done: 2, waiting: 2, unknown: 1 });
    expect(answers).toEqual({
      calls: 6,
      answered: 3,
      connect_rate: 0.5,
      people_called: 4,
      people_reached: 3,
      reach_rate: 0.75,
    });
    expect((await api.ask('GET', '/api/campaigns')).json.items[0].answers).toEqual(answers);
    const { total } = (await api.ask('GET', `/api/campaigns/${id}/report`)).json;
    const { answered: n, ...rates } = answers;
    expect(total).toMatchObject({ ...rates, outcomes: { answered: n } });

    const words = ['3 of 6 ended calls, 50.0 %', '3 of 4 people called, 75.0 %'];
    for (const line of ['report counted', 'campaign show counted']) {
      const out = await type(line);
      for (const each of words) expect(out).toContain(each);
    }

    const page = await site.visit(`/campaigns/${id}`);
    const stat = (name: string) => page.locator('dl > div', { has: page.getByText(name, { exact: true }) });
    await stat('Answered').getByText('50.0%').waitFor();
    await stat('Answered').getByText('of 6 ended calls').waitFor();
    const results = page.getByRole('region', { name: 'How calls ended' });
    await results.getByText('6 ended calls').waitFor();
    await results.getByRole('link', { name: /^answered\s*3\s*50\.0%$/ }).waitFor();
    // It is told apart by the hour where its calls were made in two.
    await page.getByRole('button', { name: 'Attempt', exact: true }).click();
    const table = page.getByRole('table', { name: 'Calls by attempt' });
    await table.getByRole('row', { name: / 6 3 50\.0%/ }).waitFor();
    await page.getByRole('slider', { name: 'Requests a second' }).waitFor();
    await stat('Calls made').getByText('1.5 a person, 75.0% reached').waitFor();
    // A number that the service chose is not told as unknown.
    await page.getByRole('button', { name: 'Caller number' }).click();
    await page.getByRole('cell', { name: 'chosen by the service' }).waitFor();
    await goTo(page, '/');
    const row = page.getByRole('article', { name: 'counted' });
    await row.getByText('50.0%').waitFor();
    await row.getByText('3 of 6').waitFor();
  });

  it('a number that the service chose is not told as unknown', async () => {
    const { items } = (await site.api.ask('GET', `/api/campaigns/${id}/report?by=caller`)).json;
    expect(items).toMatchObject([{ value: null, calls: 6 }]);
    expect(await type('report counted --by caller')).toMatch(/^chosen by the service +6 /m);
    expect(await type('report counted --by caller --csv')).toContain('\nchosen by the service,6,');
  });

  it('a single call is not a campaign that runs, and is found', async () => {
    const { api } = site;
    const { json } = await api.ask('POST', '/api/calls', { body: { agent: 'a', phone: phone(12) } });
    await site.until(`/api/calls/${json.id}`, ({ state }) => state === 'done');
    const names = async (query: string) =>
      (await api.ask('GET', `/api/campaigns${query}`)).json.items.map((item: { name: string }) => item.name);
    expect(await names('')).toEqual(['counted']);
    expect(await names('?state=running')).toEqual(['counted']);
    expect(await names('?kind=calls')).toEqual(['calls-a']);
    expect(await names('?kind=list,calls')).toEqual(['calls-a', 'counted']);
    expect(await names('?name=calls-a')).toEqual(['calls-a']);
    expect(await type('campaign list')).not.toContain('calls-a');
    expect(await type('campaign list --calls')).toMatch(/^calls-a +open /m);
    expect(await type('campaign show calls-a')).toMatch(/^calls-a gathers single calls\n/);
    expect((await api.ask('GET', '/api/pause')).json.campaigns).toBe(1);

    const page = await site.visit('/');
    await page.getByRole('article', { name: 'counted' }).waitFor();
    expect(await page.getByText('calls-a').count()).toBe(0);
    await page.getByRole('button', { name: 'Stop everything' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 campaign will be paused: 2 people will wait.').waitFor();
    await dialog.getByRole('button', { name: 'Stop everything' }).click();
    await dialog.getByText('1 campaign is paused. Single calls wait until they are resumed.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('region', { name: 'Paused and lately done' }).getByText('calls-a').waitFor();
    expect(await type('campaign resume calls-a')).toContain('calls-a');
    expect(await type('campaign pause --all')).toContain(
      'Single calls are paused. Continue them with `carillon campaign resume calls-a`.',
    );
    expect(await type('campaign resume calls-a')).toContain('calls-a');

    await goTo(page, '/campaigns');
    await page.getByRole('row', { name: /counted/ }).waitFor();
    expect(await page.getByRole('row', { name: /calls-a/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'single calls' }).click();
    await page.getByRole('row', { name: /calls-a single calls/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'calls-a', level: 1 }).waitFor();
  });

  it('the overview tells the last 24 hours as the ledger does', async () => {
    while ((await site.api.app.ledger.tallies.fold()) > 0);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const series = await site.api.ask('GET', `/api/series?step=hour&since=${since}`);
    const ended = series.json.items.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0);
    expect(ended).toBeGreaterThan(4);
    const page = await site.visit('/');
    const told = `${ended} calls in the last 24 hours`;
    await page
      .getByText(new RegExp(`^${told}, [\\d.]+% answered, [\\d.]+; 0 calls the day before\\.$`))
      .waitFor();
  });
});
