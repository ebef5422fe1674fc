import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OidcProvider, oidcEnv, startOidcProvider } from '../support/oidc-provider.ts';
import { freePort } from '../support/ports.ts';
import { axe, browserPath, goTo, openPage } from './support.ts';

/** People with names: they log in by their provider, are told in the activity, and share their views. */
describe.skipIf(!browserPath)('people who log in by their provider (skipped without Chromium)', () => {
  const token = 'a-token-for-the-admin';
  const options: Parameters<typeof openPage>[0] = { token };
  let provider: OidcProvider;
  beforeAll(async () => {
    const port = await freePort();
    provider = await startOidcProvider();
    const roles = 'ann@example.com=operate,bo@example.com=read_people';
    const env = { API_TOKEN: token, PUBLIC_URL: `http://127.0.0.1:${port}`, ...oidcEnv(provider.url, roles) };
    Object.assign(options, { port, env });
  });
  afterAll(() => provider?.close());
  const site = openPage(options);

  /** By the button, without a word typed. */
  async function logIn(who: string, path: string) {
    const [first] = who.toLowerCase().split(' ');
    const claims = { sub: who, email: `${first}@example.com`, email_verified: true, name: who };
    provider.next = { claims };
    const page = await site.visit(path, { expect: /401|asked http/ });
    const press = page.getByRole('button', { name: `Log in by ${new URL(provider.url).host}` });
    await press.waitFor();
    return { page, press };
  }

  it('come back to the page that they opened, by name', async () => {
    const { page, press } = await logIn('Ann Example', '/suppressions?source=manual');
    expect(await axe(page)).toEqual([]);
    await press.click();
    await page.getByRole('heading', { name: 'Suppressions' }).waitFor();
    expect(new URL(page.url()).search).toBe('?source=manual');
    await page.getByText('Ann Example · operate').first().waitFor();
    await page.getByRole('button', { name: 'Log out' }).first().click();
    await press.waitFor();
  });

  it('are told why they may not, and how else one logs in', async () => {
    const { page, press } = await logIn('Eve Elsewhere', '/');
    await press.click();
    await page.getByText('eve@example.com may not log in here').waitFor();
    await page.getByLabel('API token').waitFor();
    expect(await axe(page)).toEqual([]);
    // The provider has no icon, which the browser asks for when it likes and complains of: that is not ours.
    await page.goto(provider.url);
    await page.evaluate("console.error('no icon')");
  });

  it('share their views of people, which look for nobody in particular', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const recipients = [{ phone: '+14155550791', name: 'Cy Berg' }, { phone: 'x' }];
    const body = { name: 'spring', agent: 'a', recipients };
    const { json: made } = await site.api.ask('POST', '/api/campaigns', { headers, body });

    const ann = await logIn('Ann Example', `/campaigns/${made.id}?tab=people&state=rejected`);
    await ann.press.click();
    await ann.page.getByRole('button', { name: 'Views' }).click();
    await ann.page.getByText('A view is a filter with a name').waitFor();
    await ann.page.getByLabel('Name of a new view').fill('Wrong numbers');
    await ann.page.getByRole('button', { name: 'Keep it' }).click();
    await ann.page.getByText('state rejected · by ann@example.com').waitFor();
    expect(await axe(ann.page)).toEqual([]);

    const bo = await logIn('Bo Example', `/campaigns/${made.id}?tab=people`);
    await bo.press.click();
    await bo.page.getByText('Cy Berg').first().waitFor();
    await bo.page.getByRole('button', { name: 'Views' }).click();
    const open = bo.page.getByRole('button', { name: 'Open Wrong numbers' });
    await open.waitFor();
    expect(await bo.page.getByRole('button', { name: /Remove|Keep/ }).count()).toBe(0);
    await open.click();
    await bo.page.waitForURL((url) => url.searchParams.get('state') === 'rejected');
    await bo.page.getByText('Cy Berg').waitFor({ state: 'detached' });

    await goTo(ann.page, '/activity');
    const told = ann.page.getByRole('list', { name: 'Activity' }).getByRole('listitem');
    await told.filter({ hasText: 'Ann Example kept a view of people' }).waitFor();
    await goTo(ann.page, `/campaigns/${made.id}?tab=people&name=berg`);
    await ann.page.getByRole('button', { name: 'Views' }).click();
    await ann.page.getByText('A view is about many').waitFor();
    await ann.page.getByRole('button', { name: 'Remove Wrong numbers' }).click();
    await ann.page.getByText('A view is a filter with a name').waitFor();
  });
});
