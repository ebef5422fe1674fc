// Takes pictures of the page from the demo's simulated campaigns, whose phones belong to nobody: `npm run pictures`
// writes those that the docs show, `npm run pictures -- --all FOLDER` every page at each width and in both themes, to
// look at.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { findBrowser } from '../bench/support/browser.ts';

/** Every page: its name, and its address with the demo's campaigns, where SOMEONE is a person who answered. A new page is a line here. */
const pages: readonly { name: string; path: string }[] = [
  { name: 'overview', path: '/' },
  { name: 'live', path: '/live' },
  { name: 'listen', path: '/listen' },
  { name: 'campaigns', path: '/campaigns' },
  { name: 'campaign', path: '/campaigns/demo: appointments' },
  { name: 'new-campaign', path: '/campaigns/new' },
  { name: 'people', path: '/people' },
  { name: 'person', path: '/people/SOMEONE' },
  { name: 'unknown', path: '/unknown' },
  { name: 'keys', path: '/keys' },
  { name: 'key', path: '/keys/main' },
  { name: 'numbers', path: '/numbers' },
  { name: 'jobs', path: '/jobs' },
  { name: 'suppressions', path: '/suppressions' },
  { name: 'policy', path: '/policy' },
  { name: 'webhooks', path: '/webhooks' },
  { name: 'alerts', path: '/alerts' },
  { name: 'tokens', path: '/tokens' },
  { name: 'activity', path: '/activity' },
  { name: 'settings', path: '/settings' },
  { name: 'health', path: '/health' },
];
type Theme = 'light' | 'dark';
type Picture = { file: string; path: string; width?: number; theme?: Theme; act?(page: Page): Promise<void> };

const campaign = '/campaigns/demo: appointments';
const openUnknown = async (page: Page) => {
  await page.getByRole('table').getByRole('row').nth(1).waitFor();
  await page.keyboard.press('j');
  await page.getByText('What was sent').waitFor();
};
/** Pictures for the docs: each page once, and again where the dark theme or a phone shows something else. */
const shown: readonly Picture[] = [
  { file: 'overview', path: '/' },
  { file: 'overview-dark', path: '/', theme: 'dark' },
  { file: 'overview-phone', path: '/', width: 390, theme: 'dark' },
  { file: 'live', path: '/live' },
  { file: 'listen', path: '/listen' },
  { file: 'campaigns', path: '/campaigns' },
  { file: 'campaign', path: campaign },
  { file: 'campaign-dark', path: campaign, theme: 'dark' },
  { file: 'campaign-people', path: `${campaign}?tab=people` },
  { file: 'campaign-order', path: `${campaign}?tab=order` },
  { file: 'campaign-results', path: `${campaign}?tab=results` },
  { file: 'new-campaign', path: '/campaigns/new?step=hours' },
  { file: 'people', path: '/people?phone=Dario' },
  { file: 'person', path: '/people/SOMEONE' },
  { file: 'unknown', path: '/unknown', act: openUnknown },
  { file: 'keys', path: '/keys' },
  { file: 'key', path: '/keys/main' },
  { file: 'queues', path: '/jobs' },
  { file: 'activity', path: '/activity' },
  { file: 'settings', path: '/settings' },
  { file: 'health', path: '/health' },
  {
    file: 'stop',
    path: '/',
    act: (page) => page.getByRole('button', { name: 'Stop everything' }).click(),
  },
  // The demo lacks their contents, which are added last: contact rules would hold its calls.
  { file: 'webhooks', path: '/webhooks' },
  { file: 'tokens', path: '/tokens' },
  { file: 'suppressions', path: '/suppressions' },
  { file: 'policy', path: '/policy' },
];
const widths = [390, 1024, 1440];
const themes = ['light', 'dark'] as const;
/** Long enough that there is something to see: an unknown call of the demo, and some minutes of a chart. */
const warmUpMs = 150_000;

/** The phone of a person who answered: the demo calls where it is day. */
let someone = '';
const zones = { '+1': 'America/New_York', '+4': 'Europe/London', '+6': 'Australia/Sydney' } as const;

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { all: { type: 'string' } } });
const launchBrowser = findBrowser();

const demo = spawn(process.execPath, [join(root, 'bin', 'carillon.js'), 'demo', '--stay'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = new Promise<void>((resolve) => demo.once('exit', () => resolve()));
try {
  const url = await addressOf();
  await sleep(warmUpMs);
  someone = await whoAnswered(url);
  const browser = await launchBrowser();
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

async function whoAnswered(url: string): Promise<string> {
  const people = await fetch(`${url}/api${campaign}/recipients?outcome=answered&limit=1`);
  const { items } = (await people.json()) as { items: { phone: string }[] };
  if (!items[0]) throw new Error('Nobody answered yet.');
  return items[0].phone;
}

async function takeShown(browser: Browser, url: string): Promise<void> {
  const folder = join(root, 'docs', 'pictures');
  // A picture that is taken no more goes; drawings stay.
  for (const old of readdirSync(folder)) if (old.endsWith('.png')) rmSync(join(folder, old));
  for (const { file, path, width = 1_280, theme = 'light', act } of shown) {
    if (file === 'webhooks') await furnish(url);
    await take(browser, url + path, join(folder, `${file}.png`), { width, theme, whole: false, act });
  }
}

/** Adds rules, a webhook, a token and suppressions, of which a demo has none. */
async function furnish(url: string): Promise<void> {
  const send = async (method: string, path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  };
  await send('POST', '/api/webhooks', { url: 'https://example.com/hook', events: ['recipient.done'] });
  await send('POST', '/api/tokens', { name: 'night shift', role: 'operate', ends: '30d' });
  await send('POST', '/api/tokens', { name: 'wall', role: 'read' });
  await send('POST', '/api/suppressions', { phones: ['+14155550177'], reason: 'asked for no more calls' });
  await send('POST', '/api/suppressions', { phones: ['+14155550178'], until: '30d' });
  const caps = [{ calls: 3, per: '24h' }];
  await send('PUT', '/api/policy', { hours: ['us-telemarketing'], caps, gap: '4h', not_on: ['2026-12-25'] });
}

async function takeAll(browser: Browser, url: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { name, path } of pages)
    for (const width of widths)
      for (const theme of themes)
        await take(browser, url + path, join(folder, `${name}-${width}-${theme}.png`), {
          width,
          theme,
          whole: true,
        });
  // And as they are when they are in use.
  await furnish(url);
  for (const { name, path } of pages)
    if (['webhooks', 'tokens', 'suppressions', 'policy'].includes(name))
      await take(browser, url + path, join(folder, `${name}-used-1440-light.png`), {
        width: 1_440,
        theme: 'light',
        whole: true,
      });
}

type Take = { width: number; theme: Theme; whole: boolean; act?: Picture['act'] };

async function take(
  browser: Browser,
  address: string,
  file: string,
  { width, theme, whole, act }: Take,
): Promise<void> {
  const viewport = { width, height: width < 500 ? 844 : 860 };
  const timezoneId = zones[someone.slice(0, 2) as keyof typeof zones];
  const context = await browser.newContext({ viewport, colorScheme: theme, timezoneId });
  const page = await context.newPage();
  await page.goto(address.replace('SOMEONE', someone));
  await page.getByRole('heading', { level: 1 }).waitFor();
  // Charts and forecasts come after the first answers.
  await sleep(3_000);
  await act?.(page);
  const picture = await page.screenshot({ fullPage: whole });
  writeFileSync(file, pack(picture));
  await context.close();
  process.stdout.write(`${file}\n`);
}

/** Compresses a PNG's data again as tightly as it can be. */
function pack(png: Buffer): Buffer {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += length + 12;
  }
  const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
  const packed = deflateSync(inflateSync(data), { level: 9, memLevel: 9 });
  const written = [
    ...chunks.filter(({ type }) => type === 'IHDR'),
    { type: 'IDAT', data: packed },
    { type: 'IEND', data: Buffer.alloc(0) },
  ].map(({ type, data: body }) => {
    const out = Buffer.alloc(body.length + 12);
    out.writeUInt32BE(body.length, 0);
    out.write(type, 4, 'latin1');
    body.copy(out, 8);
    out.writeUInt32BE(crc32(out.subarray(4, body.length + 8)), body.length + 8);
    return out;
  });
  return Buffer.concat([png.subarray(0, 8), ...written]);
}
