import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The Chromium in which the page is measured. It is looked for before anything else is started. */
const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function findBrowser(): () => Promise<Browser> {
  const executablePath = paths.find(existsSync);
  if (!executablePath) throw new Error('The bench of the page needs Chromium.');
  return () => chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
}
