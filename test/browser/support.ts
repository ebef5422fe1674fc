/**
 * The common ground of the page's tests: one browser and one API with a simulated service for a file, the page as it
 * is built, and the complaints of the browser, which fail a test.
 */
import { execFile } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { browserPath, launchBrowser } from '../../bench/support/browser.ts';
import { type Answered, openApi, type TestApi } from '../api/support.ts';
import { until } from '../support/until.ts';

export { browserPath };

const builder = fileURLToPath(new URL('../../scripts/page.js', import.meta.url));
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Once for all files of a process. */
let built: Promise<unknown> | undefined;

export type Visit = {
  width?: number;
  height?: number;
  theme?: 'light' | 'dark';
  /** Complaints that the test makes on purpose. */
  expect?: RegExp;
  /** A context that already has tabs: one browser for its user. */
  context?: BrowserContext;
  /** Where the page is asked for, unless at the API itself. */
  origin?: string;
  /** The token with which one is logged in already. */
  token?: string;
  /** An act that can be undone is not sent after five seconds, but when the test evaluates `sendNow()`. */
  holdsUndo?: boolean;
};

/** On a busy machine the key that takes an act back may come after more than five seconds. */
const holdUndo = `{
  const wait = setTimeout;
  setTimeout = (run, ms, ...given) => {
    if (ms === 5000) sendNow = run;
    return wait(run, ms === 5000 ? 600_000 : ms, ...given);
  };
}`;

export type PageTest = {
  readonly api: TestApi;
  /** Opens an address of the page. */
  visit(path: string, options?: Visit): Promise<Page>;
  newContext(): Promise<BrowserContext>;
  /** The API's answer to its administrator. */
  ask(method: string, path: string, body?: unknown): Promise<Answered['json']>;
  /** The same, asked until it is so. */
  until(path: string, isSo: (answer: Answered['json']) => boolean): Promise<Answered['json']>;
  /** Streams of events that are open now. */
  streams(): number;
};

/** Call it in a `describe`: the browser and the API live as long as its tests, each tab as long as one test. */
export function openPage(options: Parameters<typeof openApi>[0] = {}): PageTest {
  let browser: Browser;
  let api: TestApi;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];
  let streams = 0;
  const countStreams = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (!request.url?.startsWith('/api/events')) return;
    streams += 1;
    response.once('close', () => {
      streams -= 1;
    });
  };

  beforeAll(async () => {
    subscribe('http.server.request.start', countStreams);
    built ??= promisify(execFile)(process.execPath, [builder, '--if-stale']);
    await built;
    [browser, api] = await Promise.all([launchBrowser(), openApi(options)]);
  });

  afterEach(async () => {
    const heard = complaints;
    complaints = [];
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    expect(heard).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await api?.close();
    unsubscribe('http.server.request.start', countStreams);
  });

  const newContext = async (visit: Visit = {}) => {
    const { width = 1440, height = 900, theme = 'light' } = visit;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme });
    contexts.push(context);
    return context;
  };

  const ask: PageTest['ask'] = async (method, path, body) => {
    const headers = { ...(options.token && { authorization: `Bearer ${options.token}` }) };
    return (await api.ask(method, path, { headers, body })).json;
  };

  return {
    get api() {
      return api;
    },
    newContext,
    ask,
    until: (path, isSo) => until(() => ask('GET', path), isSo),
    streams: () => streams,
    async visit(path, visit = {}) {
      const { origin = api.url, token } = visit;
      const context = visit.context ?? (await newContext(visit));
      if (token) await context.request.post(`${origin}/login`, { form: { token }, maxRedirects: 0 });
      const page = await context.newPage();
      // Ends a wait that hangs; how soon a page is drawn does not matter here.
      page.setDefaultTimeout(120_000);
      if (visit.holdsUndo) await page.addInitScript(holdUndo);
      // What a page of others prints is theirs, as that of a provider which has no icon; that ours asks them for
      // something is told by itself.
      const complain = (text: string, url: string) => {
        if ((url || page.url()).startsWith(origin) && !visit.expect?.test(text)) complaints.push(text);
      };
      page.on('console', (message) => {
        const { url } = message.location();
        const isPolicy = /Content Security Policy/.test(message.text());
        if (message.type() === 'error' || isPolicy) complain(`${message.text()} ${url}`, url);
      });
      page.on('pageerror', (error) => complain(error.message, ''));
      page.on('request', (request) => {
        const url = request.url();
        if (!/^(?:data|blob):/.test(url) && !url.startsWith(origin)) complain(`asked ${url}`, origin);
      });
      await page.goto(origin + path);
      return page;
    },
  };
}

/** Every violation that axe finds, in words, of all rules or of some. */
export async function axe(page: Page, ...rules: string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource);
  const violations = await page.evaluate(async (runOnly) => {
    type Found = { id: string; help: string; nodes: { html: string; failureSummary?: string }[] };
    const { axe: checker } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Found[] }> };
    };
    return (await checker.run({ resultTypes: ['violations'], ...(runOnly.length > 0 && { runOnly }) }))
      .violations;
  }, rules);
  return violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`).join(' | ')}`,
  );
}

/** What axe finds in the light and in the dark, where all but the colours is the same. */
export async function axeInBoth(page: Page): Promise<string[]> {
  const light = await axe(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await axe(page, 'color-contrast');
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark.map((each) => `in the dark: ${each}`)];
}

/** True when nothing of the page is wider than the window, as soon as its charts have taken their new size. */
export function fits(page: Page): Promise<boolean> {
  return page.evaluate(`(async () => {
    const { documentElement: root } = document;
    for (let frames = 0; root.scrollWidth > root.clientWidth && frames < 300; frames++)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return root.scrollWidth <= root.clientWidth;
  })()`);
}

/** Opens another address of the page without a reload, as Back does: a reload costs as much as most of what is tested. */
export function goTo(page: Page, path: string): Promise<void> {
  return page.evaluate(`history.pushState({ y: 0 }, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));`);
}

/** Walks to an element as one does who has no mouse. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  await element.waitFor();
  for (let tabs = 0; tabs < 80; tabs++) {
    if (await element.evaluate((node) => node.ownerDocument.activeElement === node)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${element}`);
}
