import { afterAll, beforeAll } from 'vitest';
import { openApi, type TestApi } from '../api/support.ts';
import { startProxy, type Proxy as TcpProxy } from '../support/proxy.ts';

export const token = 'a-token-of-the-client';

/** The API of a test file behind a proxy, by which its connections fail. */
export function openBehindProxy() {
  const site = {} as { api: TestApi; proxy: TcpProxy; url(): string };
  site.url = () => `http://127.0.0.1:${site.proxy.port}`;
  beforeAll(async () => {
    // With a token, as the proxy's Host header is not the API's own.
    site.api = await openApi({ token });
    site.proxy = await startProxy(site.api.port);
  });
  afterAll(async () => {
    await site.proxy?.close();
    await site.api?.close();
  });
  return site;
}
