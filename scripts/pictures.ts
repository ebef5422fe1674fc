// Takes pictures of the page from the demo's simulated campaigns: `npm run pictures` writes those that the docs show,
// `npm run pictures -- --all FOLDER` every page at each width and in both themes, to look at.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/** Every page: its name, and its address with the demo's campaigns. A new page is a line here. */
const pages: readonly { name: string; path: string }[] = [
  { name: 'overview', path: '/' },
  { name: 'campaigns', path: '/campaigns' },
  { name: 'campaign', path: '/campaigns/demo: appointments' },
  { name: 'new-campaign', path: '/campaigns/new' },
  { name: 'people', path: '/people' },
  { name: 'person', path: '/people/+14155550103' },
  { name: 'unknown', path: '/unknown' },
  { name: 'keys', path: '/keys' },
  { name: 'key', path: '/keys/demo' },
  { name: 'jobs', path: '/jobs' },
  { name: 'suppressions', path: '/suppressions' },
  { name: 'policy', path: '/policy' },
  { name: 'webhooks', path: '/webhooks' },
  { name: 'tokens', path: '/tokens' },
  { name: 'activity', path: '/activity' },
  { name: 'settings', path: '/settings' },
  { name: 'health', path: '/health' },
];
/** Pictures of the docs, by the page that they show. */
const shown: Record<string, string> = { 'page.png': 'overview' };
const widths = [390, 1024, 1440];
const themes = ['light', 'dark'] as const;
/** Until there is something to see. */
const warmUpMs = 75_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { all: { type: 'string' } } });
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
if (!executablePath) throw new Error('Pictures need Chromium.');

const demo = spawn(process.execPath, [join(root, 'bin', 'carillon.js'), 'demo', '--stay'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = new Promise<void>((resolve) => demo.once('exit', () => resolve()));
try {
  const url = await addressOf();
  await sleep(warmUpMs);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    if (values.all) await takeAll(browser, url, values.all);
    else await takeShown(browser, url);
  } finally {
    await browser.close();
  }
} finally {
  demo.kill('SIGINT');
  await ended;
}

async function addressOf(): Promise<string> {
  for await (const line of createInterface({ input: demo.stdout })) {
    const [, url] = /listens on (http:\S+)/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error('The demo ended before it listened.');
}

async function takeShown(browser: Browser, url: string): Promise<void> {
  for (const [file, name] of Object.entries(shown)) {
    const { path } = pages.find((page) => page.name === name)!;
    await take(browser, url + path, join(root, 'docs', 'pictures', file), 1_280, 'light', false);
  }
}

async function takeAll(browser: Browser, url: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { name, path } of pages)
    for (const width of widths)
      for (const theme of themes)
        await take(browser, url + path, join(folder, `${name}-${width}-${theme}.png`), width, theme, true);
}

type Theme = (typeof themes)[number];

async function take(
  browser: Browser,
  address: string,
  file: string,
  width: number,
  theme: Theme,
  whole: boolean,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height: 860 }, colorScheme: theme });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  // Some numbers are measured for a while before they are shown.
  await sleep(whole ? 3_000 : 20_000);
  await page.screenshot({ path: file, fullPage: whole });
  await context.close();
  process.stdout.write(`${file}\n`);
}
