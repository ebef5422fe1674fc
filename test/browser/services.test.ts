import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../support/until.ts';
import { axe, browserPath, fits, openPage } from './support.ts';

/** The service in a browser: which one it is, whether it answers, what was said to it, and how another is chosen. */
const agent = 'a1f2b3c4-0000-4000-8000-000000000001';
const lost = { kind: 'reset', on: 'create', phone: '9', when: 'before' } as const;

describe.skipIf(!browserPath)('the service, in a browser (skipped without Chromium)', () => {
  const site = openPage({
    simulator: { service: 'vapi', faults: [lost] },
    env: { VOICE_SERVICE: 'vapi', VOICE_TIMEOUT_MS: '2000' },
  });
  const call = async (phone: string) => {
    const body = { agent, phone, from: '+14155550100' };
    return (await site.api.ask('POST', '/api/calls', { body })).json.id as string;
  };
  afterEach(() => site.api.simulator.control({ faults: [lost] }));

  it('is named where nothing was called yet, with every other one and the lines that choose it', async () => {
    const page = await site.visit('/', { width: 390 });
    await page.getByText('Calls go through Vapi at').waitFor();
    expect(await fits(page)).toBe(true);
    expect(await axe(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use another service' }).click();
    await page.getByLabel('Services that Carillon can drive').selectOption('Synthflow');
    await page.getByText('VOICE_SERVICE=synthflow').waitFor();
    await page.getByText('VOICE_BASE_URL=https://...').waitFor();
    // The page takes no secret.
    expect(await page.locator('input[type=password]').count()).toBe(0);
  });

  it('is checked on the way to a campaign: its lists, and each field of a record', async () => {
    site.api.work();
    const id = await call('+14155550101');
    await site.until(`/api/calls/${id}`, ({ state }) => state === 'done');
    const page = await site.visit('/campaigns/new?step=calls', { theme: 'dark' });
    await page.getByText('Calls go through Vapi at').waitFor();
    await page.getByRole('button', { name: 'Check the service' }).click();
    const answers = page.getByRole('list', { name: 'What the service answered' });
    await answers.getByText(/fields found/).waitFor();
    await expect.poll(() => answers.getByRole('listitem').count()).toBe(3);
    await page.getByText(/^Asked with the key main\. \d+ of \d+ fields of the record were there/).waitFor();
    expect(await axe(page)).toEqual([]);
  });

  it('is told in the settings, with what is known of it and what is not', async () => {
    const page = await site.visit('/settings', { width: 390 });
    await page.getByText(/^All \d+ settings/).click();
    const keys = page.getByRole('region', { name: 'The service and its keys' });
    await keys.getByRole('listitem').filter({ hasText: 'Which service' }).getByText('vapi').waitFor();
    const part = page.getByRole('region', { name: 'The service', exact: true });
    await part
      .getByRole('listitem')
      .filter({ hasText: 'hang up: while it is live, at an address that its create told' })
      .getByText('yes')
      .waitFor();
    await part.getByText('10 calls at once: of the account, inbound calls too').waitFor();
    await part.getByText(/stand in the OpenAPI file.*Read on 2026-/).waitFor();
    await part.getByText(/Retry-After.*are judged, not published/).waitFor();
    await part
      .getByRole('link', { name: /^https:\/\/github.com\/VapiAI/ })
      .first()
      .waitFor();
    expect(await fits(page)).toBe(true);
  });

  it('shows on a person’s call what was sent and what was answered, and copies it as curl', async () => {
    const context = await site.newContext();
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await site.visit('/people/+14155550101', { context });
    const part = page.getByRole('list', { name: 'What was sent, what was answered' });
    await page.getByText('Step by step, with what was sent').or(part).first().waitFor();
    if (!(await part.isVisible())) await page.getByText('Step by step, with what was sent').click();
    await part.getByText('make the call').click();
    await part.getByText(`POST ${site.api.simulator.url}/call`).waitFor();
    await part.getByText('assistantId').first().waitFor();
    await part.getByRole('button', { name: 'Copy as curl' }).first().click();
    await part.getByText('Copied').waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toContain('-H "authorization: Bearer $VOICE_API_KEY"');
    expect(copied).not.toContain('secret-of-main');
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await fits(page)).toBe(true);
    expect(await axe(page)).toEqual([]);
  });

  it('shows what a call in doubt was asked for, and that absence proves nothing', async () => {
    await call('+14155550109');
    const found = await until(
      async () => (await site.api.ask('GET', '/api/unknown')).json.items,
      (items) => items[0]?.asked != null,
    );
    const page = await site.visit(`/unknown?attempt=${found[0].attempt}`, { width: 390, theme: 'dark' });
    const panel = page.getByRole('region', { name: 'The attempt' });
    await panel.getByText(/^Asked for its list of calls/).waitFor();
    await panel.getByText(/^found nothing; absence proves nothing here/).waitFor();
    expect(await fits(page)).toBe(true);
    expect(await axe(page)).toEqual([]);
  });
});
