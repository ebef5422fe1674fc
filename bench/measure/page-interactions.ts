import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { startEmbedded } from '../../src/embedded/embedded.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { findBrowser } from '../support/browser.ts';
import { checkDisk, fillLedger, idOf, isFilled, nameOf } from '../support/people-ledger.ts';
import { keep, say } from '../support/report.ts';
import { openStage } from '../support/stage.ts';
import { openUp } from '../support/up.ts';

/**
 * How long the page takes to draw what follows a key or a press, as the browser's Event Timing tells it, on a ledger of a
 * million called people: from the event until the frame after it. Answers that are read take longer, and block nothing.
 */
export type InteractionOptions = { rows: number; rounds: number; home: string };

type Kind =
  | 'typing into a filter'
  | 'choosing a filter'
  | 'opening a person'
  | 'walking rows by key'
  | 'more rows'
  | 'opening a dialog or a menu'
  | 'searching'
  | 'turning to another page';
type Took = { kind: Kind | 'all'; interactions: number; p50: number; p95: number; most: number; cpu: number };
/** `cpu` is what the page's own thread worked for all of them. */
type Found = { ms: number[]; cpu: number };

/** The browser tells of nothing that took less. */
const leastMs = 16;

export async function measureInteractions(options: InteractionOptions, signal: AbortSignal): Promise<void> {
  const launch = findBrowser();
  const stage = await openStage([], false);
  const home = options.home ? resolve(options.home) : join(stage.folder, 'people');
  mkdirSync(home, { recursive: true });
  const server = await startEmbedded({ home });
  try {
    const ledger = await openLedger(server.url, 'http://bench.example/v1');
    await ledger.close();
    if (!(await isFilled(server.url, options.rows))) {
      checkDisk(home, options.rows);
      await fillLedger(server.maintenanceUrl, options.rows);
    }
    const databaseUrl = server.url;
    const up = await openUp(stage, signal, 1, { databaseUrl, prepare: (url) => adopt(databaseUrl, url) });
    const browser = await launch();
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      const times = await play(page, `http://127.0.0.1:${up.port}`, options, signal);
      const took = [...times].map(([kind, found]) => figuresOf(kind, found));
      const all = [...times.values()];
      const cpu = all.reduce((sum, found) => sum + found.cpu, 0);
      took.push(figuresOf('all', { ms: all.flatMap(({ ms }) => ms), cpu }));
      say(
        `\n${'milliseconds'.padEnd(30)}${['n', 'p50', 'p95', 'max', 'CPU each'].map((each) => each.padStart(9)).join('')}`,
      );
      for (const { kind, interactions, p50, p95, most, cpu } of took)
        say(
          `${kind.padEnd(30)}${[interactions, p50, p95, most, cpu].map((n) => `${n}`.padStart(9)).join('')}`,
        );
      say(`What took less than ${leastMs} ms counts as that.`);
      keep('page-interactions', { ...options, took });
    } finally {
      await browser.close();
      await up.close();
    }
  } finally {
    await server.close();
    await stage.close();
  }
}

/** Its campaigns are those of the service that is simulated now. */
async function adopt(url: string, service: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const table of ['campaigns', 'lanes'])
    await client.query(`update carillon.${table} set base_url = $1`, [service]);
  await client.end();
}

function figuresOf(kind: Took['kind'], { ms: given, cpu }: Found): Took {
  const ms = [...given].sort((a, b) => a - b);
  const quantile = (share: number) => ms[Math.min(ms.length - 1, Math.floor(ms.length * share))] ?? 0;
  return {
    kind,
    interactions: ms.length,
    p50: quantile(0.5),
    p95: quantile(0.95),
    most: ms.at(-1) ?? 0,
    cpu: Math.round(cpu / ms.length),
  };
}

/** A round of an operator's day, again and again; each key and each press is one interaction. */
async function play(page: Page, url: string, options: InteractionOptions, signal: AbortSignal) {
  const times = new Map<Kind, Found>();
  const devtools = await page.context().newCDPSession(page);
  // The thread's own clock: it stands while the machine works for others.
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const worked = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1_000;
  };
  await page.addInitScript(`
    globalThis.took = [];
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries())
        if (interactionId) took[interactionId] = Math.max(took[interactionId] ?? 0, duration);
    }).observe({ type: 'event', durationThreshold: ${leastMs} });`);
  /** Makes some interactions, and takes what the browser told of them once their frames were drawn. */
  const as = async (kind: Kind, count: number, act: () => Promise<unknown>) => {
    signal.throwIfAborted();
    const before = await worked();
    await act();
    const told = await page.evaluate<number[]>(`new Promise((resolve) => setTimeout(() => {
      resolve(Object.values(took));
      took = [];
    }, 300))`);
    const { ms, cpu } = times.get(kind) ?? { ms: [], cpu: 0 };
    const quick = Array<number>(Math.max(0, count - told.length)).fill(leastMs);
    times.set(kind, { ms: [...ms, ...told, ...quick], cpu: cpu + (await worked()) - before });
  };
  const key = (name: string) => page.keyboard.press(name);
  const people = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text }).first();
  await page.goto(url);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  for (let round = 0; round < options.rounds; round++) {
    const nth = (round * 7_919_993 + 12_345) % (options.rows - options.rows / 50);
    const campaign = Math.floor((nth * 50) / options.rows);
    await as('turning to another page', 2, async () => {
      await key('g');
      await key('c');
      await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    });
    await page.goto(`${url}/campaigns/${idOf('campaign', campaign)}`);
    await as('turning to another page', 1, async () => {
      await page.getByRole('navigation', { name: 'Parts' }).getByRole('link', { name: 'People' }).click();
      await people(/\+1/).waitFor();
    });
    await as('more rows', 1, () => page.getByRole('button', { name: 'Show more' }).click());
    await as('walking rows by key', 10, async () => {
      for (let step = 0; step < 10; step++) await key('j');
    });
    await as('opening a dialog or a menu', 2, async () => {
      await page.getByRole('button', { name: /^Act on/ }).click();
      await page.getByRole('menu').waitFor();
      await key('Escape');
    });
    await as('opening a dialog or a menu', 2, async () => {
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('dialog').waitFor();
      await key('Escape');
    });
    await key('f');
    const words = nameOf(nth).slice(0, 8);
    await as('typing into a filter', words.length, () => page.keyboard.type(words, { delay: 60 }));
    await people(words).waitFor();
    await as('opening a person', 1, () => people(words).click());
    await page.getByRole('heading', { name: 'Every campaign' }).waitFor();
    await as('searching', 8, async () => {
      await key('/');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type(words.slice(0, 6), { delay: 60 });
      await page.getByRole('dialog').getByText(words.slice(0, 6)).first().waitFor();
      await key('Escape');
    });
    await as('opening a dialog or a menu', 2, async () => {
      await key('Shift+S');
      await page.getByRole('dialog').waitFor();
      await key('Escape');
    });
    await as('turning to another page', 2, async () => {
      await key('g');
      await key('p');
      await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
    });
    await people(/\+1/).waitFor();
    await page.getByRole('searchbox').first().focus();
    await as('typing into a filter', 6, () => page.keyboard.type(words.slice(0, 6), { delay: 60 }));
    await people(words.slice(0, 6)).waitFor();
    await key('Escape');
    await as('turning to another page', 2, async () => {
      await key('g');
      await key('a');
      await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor();
    });
    await as('choosing a filter', 1, () => page.getByRole('button', { name: 'Set-up' }).click());
  }
  return times;
}
