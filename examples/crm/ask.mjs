// One request to a CRM, sent again while the CRM says that it is busy.
import { setTimeout as sleep } from 'node:timers/promises';

const mostTries = 5;
/** Longer than this, a delivery of Carillon's is better refused: Carillon sends it again later. */
const mostWaitSeconds = 10;

/**
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: unknown }} request
 * @returns {Promise<any>} what it answered, null where it answered nothing
 */
export async function ask(url, { method = 'GET', headers = {}, body } = {}) {
  const isJson = body !== undefined && !(body instanceof URLSearchParams);
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        ...headers,
        ...(isJson ? { 'content-type': 'application/json' } : {}),
      },
      body: isJson ? JSON.stringify(body) : body,
      signal: AbortSignal.timeout(10_000),
    });
    const text = await response.text();
    if (response.ok) return text ? JSON.parse(text) : null;
    const busy = response.status === 429 || response.status >= 500;
    const waitSeconds = Number(response.headers.get('retry-after') ?? 2 ** tries);
    if (!busy || tries === mostTries || waitSeconds > mostWaitSeconds) {
      const error = new Error(
        `${method} ${new URL(url).pathname} answered ${response.status}: ${text.slice(0, 300)}`,
      );
      throw Object.assign(error, { status: response.status });
    }
    await sleep(waitSeconds * 1_000);
  }
}
