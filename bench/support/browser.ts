import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * The Chromium in which the page is tested, measured and pictured; undefined if there is none. The headless shell comes
 * first: it draws the same pages, and a tab takes a third of the work.
 */
export const browserPath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath!,
    args: ['--no-sandbox', '--disable-background-networking'],
    timeout: 120_000,
  });
}

/** Benchmarks that need a browser look for it before anything else is started. */
export function findBrowser(): typeof launchBrowser {
  if (!browserPath) throw new Error('This needs Chromium.');
  return launchBrowser;
}
