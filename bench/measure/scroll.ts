import { openAsBlob, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { findBrowser } from '../support/browser.ts';
import { describeMachine } from '../support/report.ts';
import { openStage, results } from '../support/stage.ts';
import { openUp } from '../support/up.ts';
import { writePeople } from './million.ts';

/** Whether the page's table of people keeps up with someone who scrolls through a long list. */
export type ScrollOptions = { rows: number; seconds: number };

const name = 'scroll';
const frame = 'section[aria-label^="People"]';
const jumps = 30;
/** One turn of the wheel, and how often: about 150 rows a second, faster than one can read. */
const wheelPx = 270;
const wheelMs = 50;

/** `unread`: a visible row shows its number and nobody yet. `empty`: a visible row shows nothing at all. */
type Frames = { frames: number; unread: number; longestUnreadMs: number; empty: number };

export async function measureScroll(options: ScrollOptions, signal: AbortSignal): Promise<void> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  const launch = findBrowser();
  const stage = await openStage([], false);
  const browser = await launch();
  try {
    const up = await openUp(stage, signal, 20);
    try {
      await up.post('/api/campaigns', JSON.stringify({ name, agent: 'agent_bench' }));
      const list = await writePeople(join(stage.folder, 'people.csv'), options.rows, 0);
      await up.post(
        `/api/campaigns/${name}/recipients`,
        await openAsBlob(list, { type: 'text/csv' }),
        'text/csv',
      );
      const { id } = (await up.get(`/api/campaigns/${name}`)) as { id: string };
      const page = await openTable(browser, `http://127.0.0.1:${up.port}/campaigns/${id}?tab=people`);
      const wheel = await watch(page, () => turnWheel(page, options.seconds, signal));
      const drag = await watch(page, () => dragBar(page, options.seconds, signal));
      const jumped = await jump(page, options.rows);
      say(`wheel, about 150 rows a second: ${wordsOf(wheel)}`);
      say(`bar dragged from the first row to the last in ${options.seconds} s: ${wordsOf(drag)}`);
      say(
        `a jump to a row, until it stands there: p50 ${jumped.p50} ms, longest ${jumped.most} ms of ${jumps}`,
      );
      const path = join(results, 'scroll.json');
      const found = { machine: describeMachine(), ...options, wheel, drag, jumped };
      writeFileSync(path, `${JSON.stringify(found, null, 2)}\n`);
      say(`Written to ${path}`);
    } finally {
      await up.close();
    }
  } finally {
    await browser.close();
    await stage.close();
  }
}

async function openTable(browser: Browser, address: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await page.goto(address);
  await page.getByRole('row', { name: /Person 0 / }).waitFor();
  return page;
}

/** Checks each frame that the browser draws: which visible rows show somebody, and whether each has its number. */
async function watch(page: Page, act: () => Promise<void>): Promise<Frames> {
  await page.evaluate(`
    globalThis.seen = { frames: 0, unread: 0, longestUnreadMs: 0, empty: 0 };
    globalThis.isWatched = true;
    let since = null;
    const box = document.querySelector('${frame}');
    const look = (now) => {
      if (!globalThis.isWatched) return;
      const rows = [...document.querySelectorAll('tr[data-row]')];
      const { top, bottom } = box.getBoundingClientRect();
      const fills = rows.length > 0 && rows[0].getBoundingClientRect().top < top + 72
        && rows.at(-1).getBoundingClientRect().bottom > bottom - 72;
      seen.frames += 1;
      if (!fills || rows.some((row) => !/\\d/.test(row.textContent))) seen.empty += 1;
      if (rows.length === 0 || rows.some((row) => row.hasAttribute('data-blank'))) {
        seen.unread += 1;
        since ??= now;
        seen.longestUnreadMs = Math.max(seen.longestUnreadMs, Math.round(now - since));
      } else since = null;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);`);
  await act();
  return page.evaluate<Frames>('globalThis.isWatched = false; globalThis.seen');
}

async function turnWheel(page: Page, seconds: number, signal: AbortSignal): Promise<void> {
  await page.locator(frame).hover();
  for (let turn = 0; turn < (seconds * 1_000) / wheelMs; turn++) {
    await page.mouse.wheel(0, wheelPx);
    await sleep(wheelMs, undefined, { signal });
  }
}

async function dragBar(page: Page, seconds: number, signal: AbortSignal): Promise<void> {
  const steps = seconds * 20;
  for (let step = 0; step <= steps; step++) {
    await page.locator(frame).evaluate((box, part) => {
      const { scrollHeight } = box as unknown as { scrollHeight: number };
      (box as unknown as { scrollTop: number }).scrollTop = scrollHeight * part;
    }, step / steps);
    await sleep(50, undefined, { signal });
  }
}

async function jump(page: Page, rows: number): Promise<{ p50: number; most: number }> {
  const took: number[] = [];
  for (let turn = 0; turn < jumps; turn++) {
    const row = 1 + ((turn * 7_919_993 + 12_345) % rows);
    if (!(await page.getByLabel('Go to row').isVisible())) await page.keyboard.press('f');
    await page.getByLabel('Go to row').fill(String(row));
    const began = performance.now();
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: new RegExp(`Person ${row - 1} `) }).waitFor();
    took.push(Math.round(performance.now() - began));
  }
  took.sort((a, b) => a - b);
  return { p50: took[Math.floor(took.length / 2)]!, most: took.at(-1)! };
}

function wordsOf({ frames, unread, longestUnreadMs, empty }: Frames): string {
  return (
    `of ${frames} frames ${unread} had a row with its number only, the longest time ${longestUnreadMs} ms; ` +
    `${empty} had a row with nothing in it`
  );
}
