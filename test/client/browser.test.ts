import type { Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserPath, launchBrowser } from '../../bench/support/browser.ts';
import { openApi, type TestApi } from '../api/support.ts';

/** The client as one script, which a browser can load. */
async function scriptOf(): Promise<string> {
  const build = await rolldown({ input: 'src/client/index.ts', platform: 'browser' });
  const { output } = await build.generate({ format: 'iife', name: 'carillon' });
  await build.close();
  expect(output.length).toBe(1);
  return output[0].code;
}

it('the client needs nothing that only Node has', async () => {
  const script = await scriptOf();
  expect(script.match(/node:|\b(?:require\(|process\.|Buffer\.|global\.)/g)).toBeNull();
});

describe.skipIf(!browserPath)('the client in a browser (skipped without Chromium)', () => {
  let browser: Browser;
  let api: TestApi;
  beforeAll(async () => {
    [browser, api] = await Promise.all([launchBrowser(), openApi()]);
  });
  afterAll(async () => {
    await browser?.close();
    await api?.close();
  });

  it('makes a campaign, sends people, lists them, and follows what happens', async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${api.url}/api/docs`);
    await page.evaluate(await scriptOf());
    const told = await page.evaluate(`(async () => {
      const client = carillon.createClient({ baseUrl: location.origin });
      await client.campaigns.create({ name: 'web', agent: 'agent-1' });
      async function* people() { for (let nth = 0; nth < 5; nth++) yield { phone: '+1415555210' + nth }; }
      const added = await client.people.add('web', people());
      const phones = [];
      for await (const { phone } of client.people.list('web', { limit: 2 })) phones.push(phone);
      const events = await client.events.follow({ campaign: 'web', types: ['campaign.started'] });
      await client.campaigns.start('web');
      const { value } = await events.next();
      await events.return();
      const refused = await client.campaigns.get('nowhere').catch(({ code }) => code);
      return { added: added.new, phones, event: value.type, refused };
    })()`);
    expect(told).toEqual({
      added: 5,
      phones: Array.from({ length: 5 }, (_, nth) => `+1415555210${nth}`),
      event: 'campaign.started',
      refused: 'campaign-unknown',
    });
  });
});
