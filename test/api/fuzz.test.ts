import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkAnswer, operations } from '../support/description.ts';
import { placeText } from '../support/odd-texts.ts';
import { runs } from '../support/property.ts';
import { requestsFor } from '../support/requests.ts';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

/**
 * The answer is one that the description names, whatever is asked, and none is our own fault. `npm run fuzz` sends
 * more; FUZZ_REQUESTS and FUZZ_SEED set how many, and which.
 */
const requests = Number(process.env.FUZZ_REQUESTS ?? runs(1_200));

let api: TestApi;
/** People whose calls are in progress when it begins, their attempts, and the service's ids of the calls. */
let known: string[] = [];
beforeAll(async () => {
  // Nobody hangs up while the requests come.
  api = await openApi({ env: { CARILLON_HOOK_SECRET: 'a-secret-for-the-hook' }, simulator: { speed: 1 } });
  for (const name of ['spring', 'may']) {
    const recipients = [{ phone: '+14155550123', name: 'Ann' }, { phone: '+14155550199' }];
    await api.ask('POST', '/api/campaigns', { body: { name, agent: 'agent_1', recipients } });
  }
  api.work();
  const calls = await Promise.all(['+14155550131', '+14155550132'].map(live));
  known = calls.flatMap(({ id, attempt, call_id }) => [id, attempt, call_id]);
});
afterAll(() => api?.close(), 120_000);

async function live(phone: string): Promise<{ id: string; attempt: string; call_id: string }> {
  const { json } = await api.ask('POST', '/api/calls', { body: { agent: 'agent_1', phone } });
  const placed = await until(
    () => api.ask('GET', json.links.self),
    (shown) => shown.json.attempt_state === 'placed',
  );
  const { course } = (await api.ask('GET', `/api/attempts/${placed.json.attempt}`)).json;
  const call_id = /\S+$/.exec(course.find(({ step }: { step: string }) => step === 'answered').reason)![0];
  return { id: json.id, attempt: placed.json.attempt, call_id };
}

/** An answer that stays open is held to its beginning, and left. */
async function follow(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const leaving = new AbortController();
  const response = await fetch(api.url + path, { method, headers, signal: leaving.signal });
  const { status } = response;
  if (method === 'GET' && response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const { value } = await response.body!.getReader().read();
    leaving.abort();
    if (status !== 200 || !Buffer.from(value!).toString().startsWith(':'))
      throw new Error(`${status}: ${value}`);
    return status;
  }
  checkAnswer(method, path, { status, headers: response.headers, text: await response.text() });
  return status;
}

it('answers every request, valid or broken, as the description says', async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(requestsFor(operations, known), async ({ method, path, headers, body }) => {
      if (path.split('?')[0] === '/api/events') {
        const status = await follow(method, path, headers);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        return;
      }
      const answer = await api.ask(method, path, { headers, body });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status >= 500 && answer.status !== 502) throw new Error(`${answer.status}: ${answer.text}`);
    }),
    { numRuns: requests, interruptAfterTimeLimit: 240_000 },
  );
  // Most are not only refused: valid requests come through.
  const answered = [...statuses.values()].reduce((sum, each) => sum + each, 0);
  expect(statuses.get(200)).toBeGreaterThan(answered / 10);
  if (process.env.FUZZ_REQUESTS) console.log(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)));
});

const lists = operations
  .filter(
    ({ method, facts }) =>
      method === 'GET' && facts.parameters?.some(({ name }: { name: string }) => name === 'cursor'),
  )
  .map(({ path }) => path.replace(/\{\w+\}/g, 'spring'));

it('a cursor that no list gave out is refused or read in every list, and never our own fault', async () => {
  expect(lists.length).toBeGreaterThan(10);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...lists), placeText, async (list, cursor) => {
      const { status, text } = await api.ask('GET', `${list}?cursor=${encodeURIComponent(cursor)}`);
      if (![200, 404, 422].includes(status)) throw new Error(`${status}: ${text}`);
    }),
    { numRuns: runs(400), interruptAfterTimeLimit: 240_000 },
  );
});
