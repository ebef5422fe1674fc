import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { findBrowser } from '../support/browser.ts';
import { describeMachine, keep, say } from '../support/report.ts';
import { openStage } from '../support/stage.ts';
import { openUp, type Up } from '../support/up.ts';
import { cpuOf } from './idle.ts';
import { writePeople } from './million.ts';

/** The cost of the page: of Postgres while many tabs are open, and of a slow browser for the first drawing. */
export type PageOptions = { tabs: number; seconds: number; rows: number };

const name = 'page';
const rate = 20;
/** Spans with and without tabs alternate, because other work of the machine comes and goes. */
const turns = 3;
const slowdown = 4;
const loads = 5;

export async function measurePage(options: PageOptions, signal: AbortSignal): Promise<void> {
  const launch = findBrowser();
  const stage = await openStage([], false);
  const browser = await launch();
  try {
    const up = await openUp(stage, signal, rate);
    try {
      const url = `http://127.0.0.1:${up.port}`;
      await begin(up, stage.folder, options.rows);
      const postgres = stage.postgresPid();
      const idle = await measureTabs(browser, url, postgres, options, signal);
      await up.post(`/api/campaigns/${name}/resume`);
      await sleep(5_000, undefined, { signal });
      const dialling = await measureTabs(browser, url, postgres, options, signal);
      for (const [when, found] of Object.entries({ idle, dialling }))
        say(
          `${options.tabs} tabs while ${when === 'idle' ? 'nothing is dialled' : `${rate} requests a second leave`}: ` +
            `Postgres ${found.without.toFixed(2)} % of a core without them, ${found.with.toFixed(2)} % with them`,
        );
      const paints = await measurePaints(browser, url);
      say(
        `on a processor slowed ${slowdown} times, of ${loads} loads: first paint ${paints.paint} ms, campaigns drawn ${paints.drawn} ms (medians)`,
      );
      const found = { machine: describeMachine(), ...options, idle, dialling, paints };
      keep('page', found);
    } finally {
      await up.close();
    }
  } finally {
    await browser.close();
    await stage.close();
  }
}

/** Starts a long campaign, which rests at first. */
async function begin(up: Up, folder: string, rows: number): Promise<void> {
  await up.post('/api/campaigns', JSON.stringify({ name, agent: 'agent_bench' }));
  const file = await openAsBlob(await writePeople(join(folder, 'page.csv'), rows, 0), { type: 'text/csv' });
  await up.post(`/api/campaigns/${name}/recipients`, file, 'text/csv');
  await up.post(`/api/campaigns/${name}/start`);
  await up.post(`/api/campaigns/${name}/pause`);
}

type Shares = { without: number; with: number };

/** Postgres's share of a core in percent: the median of the turns. */
async function measureTabs(
  browser: Browser,
  url: string,
  postgres: number,
  { tabs, seconds }: PageOptions,
  signal: AbortSignal,
): Promise<Shares> {
  const share = async () => {
    const before = cpuOf(postgres);
    const began = performance.now();
    await sleep(seconds * 1_000, undefined, { signal });
    return ((cpuOf(postgres) - before) * 100_000) / (performance.now() - began);
  };
  const found: { without: number[]; with: number[] } = { without: [], with: [] };
  for (let turn = 0; turn < turns; turn++) {
    found.without.push(await share());
    // One browser of one user, whose tabs are all visible: windows side by side.
    const context = await browser.newContext();
    for (let tab = 0; tab < tabs; tab++) {
      const page = await context.newPage();
      await page.goto(url);
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
    }
    await sleep(5_000, undefined, { signal });
    found.with.push(await share());
    await context.close();
  }
  return { without: median(found.without), with: median(found.with) };
}

/** The time from the click to the first paint, and until the campaigns are shown; the browser's cache is empty. */
async function measurePaints(browser: Browser, url: string): Promise<{ paint: number; drawn: number }> {
  const paints: number[] = [];
  const drawn: number[] = [];
  for (let load = 0; load < loads; load++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    const began = performance.now();
    await page.goto(url);
    await page.getByRole('article', { name }).waitFor();
    drawn.push(performance.now() - began);
    paints.push(
      await page.evaluate<number>(
        `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN`,
      ),
    );
    await context.close();
  }
  return { paint: Math.round(median(paints)), drawn: Math.round(median(drawn)) };
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
