import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { createToken } from '../../src/control/tokens/manage.ts';
import type { ActivityVerb } from '../../src/ledger/activity/activity.ts';
import { typeLine } from '../cli/terminal.ts';
import { until } from '../support/until.ts';
import { openApi, type TestApi } from './support.ts';

/** Every change is kept with who made it: by whichever door it came. */
let api: TestApi;
let token: string;
let seen = 0;

beforeAll(async () => {
  api = await openApi({ token: 'a-token-for-the-admin' });
  token = (await createToken(api.app, { name: 'dora', role: 'operate' })).answer.token;
  await changes();
});
afterAll(() => api?.close());

const headers = () => ({ authorization: `Bearer ${token}` });
const ask = async (method: string, path: string, body?: unknown, more: Record<string, string> = {}) => {
  const answer = await api.ask(method, path, { headers: { ...headers(), ...more }, body });
  expect([method, path, answer.status, answer.status < 400 ? '' : answer.text]).toEqual([
    method,
    path,
    expect.any(Number),
    '',
  ]);
  return answer.json;
};

/** The changes recorded since it was last asked, the oldest first. */
async function changes() {
  const { items } = await ask('GET', '/api/activity?limit=1000');
  const fresh = items.filter(({ id }: { id: string }) => Number(id) > seen).reverse();
  seen = Math.max(seen, ...items.map(({ id }: { id: string }) => Number(id)));
  return fresh;
}
const verbs = async () => (await changes()).map(({ verb }: { verb: string }) => verb);

describe('the activity', () => {
  it('has what was done to a campaign, with what it was before and after', async () => {
    const people = [{ phone: '+14155550101', name: 'Ann' }, { phone: 'x' }];
    const { id } = await ask('POST', '/api/campaigns', {
      name: 'march',
      agent: 'agent-1',
      weight: 2,
      recipients: people,
    });
    expect(await changes()).toMatchObject([
      {
        verb: 'campaign.create',
        who: 'dora',
        role: 'operate',
        address: '127.0.0.1',
        subject: id,
        campaign: 'march',
        before: null,
        after: { name: 'march', agent: 'agent-1', weight: 2, start: false },
      },
      { verb: 'recipients.add', campaign: 'march', after: { accepted: 1, rejected: 1 } },
    ]);
    await ask('PATCH', '/api/campaigns/march', { weight: 3, name: 'april', override: { voice: 'Ann' } });
    const [change] = await changes();
    expect(change).toMatchObject({
      verb: 'campaign.change',
      before: { name: 'march', weight: 2, override: null },
      after: { name: 'april', weight: 3, override: { sha256: expect.any(String) } },
    });
    expect(Object.keys(change.after)).toHaveLength(3);
    for (const act of ['start', 'start', 'pause', 'pause']) await ask('POST', `/api/campaigns/april/${act}`);
    await ask('POST', '/api/campaigns/april/retry', { outcomes: ['busy'] });
    await ask('POST', '/api/campaigns/april/refresh');
    await ask('POST', '/api/campaigns/april/clone', { name: 'may' });
    await ask('DELETE', '/api/campaigns/may');
    await ask('POST', '/api/campaigns/april/cancel');
    await ask('POST', '/api/campaigns/april/cancel');
    const told = await changes();
    expect(told.map(({ verb, before, after }: Change) => [verb, before?.state, after?.state])).toEqual([
      ['campaign.start', 'draft', 'running'],
      ['campaign.pause', 'running', 'paused'],
      ['campaign.retry', undefined, undefined],
      ['campaign.refresh', undefined, undefined],
      ['campaign.clone', undefined, undefined],
      ['campaign.delete', undefined, undefined],
      ['campaign.cancel', 'paused', 'canceled'],
    ]);
    expect(told.find(({ verb }: Change) => verb === 'campaign.delete')).toMatchObject({
      before: { name: 'may' },
    });
  });

  it('names no person: phones are masked, and of data only the fields', async () => {
    await ask('POST', '/api/campaigns', {
      name: 'people',
      agent: 'agent-1',
      recipients: [{ phone: '+14155550111' }],
    });
    const path = '/api/campaigns/people/recipients/+14155550111';
    await ask('PATCH', path, { name: 'Annabel', variables: { plan: 'goldfish' }, phone: '+14155550112' });
    await ask('DELETE', path.replace('111', '112'));
    await ask('POST', '/api/suppressions', { phones: ['+14155550113'], reason: 'asked' });
    await ask('DELETE', '/api/suppressions', { phones: ['+14155550113'] });
    const told = await changes();
    expect(told.slice(2)).toMatchObject([
      {
        verb: 'recipient.change',
        before: { phone: '+1415•••11' },
        after: { fields: expect.arrayContaining(['name', 'variables', 'phone']), phone: '+1415•••12' },
      },
      { verb: 'recipient.remove', before: { state: 'waiting' } },
      {
        verb: 'suppression.add',
        subject: '+1415•••13',
        after: { count: 1, phones: ['+1415•••13'], source: 'api' },
      },
      { verb: 'suppression.remove', subject: '+1415•••13', before: { removed: 1 } },
    ]);
    const text = JSON.stringify(told);
    for (const word of ['41555501', 'Annabel', 'goldfish']) expect(text).not.toContain(word);
  });

  it('has a single call once, however often its request is sent, and that it ignores the contact rules', async () => {
    const body = { agent: 'agent-1', phone: '+14155550121', ignore_policy: true };
    const key = { 'idempotency-key': 'once' };
    const sent = await Promise.all([1, 2, 3].map(() => ask('POST', '/api/calls', body, key)));
    await ask('POST', '/api/calls', body, key);
    const told = await changes();
    expect(told).toMatchObject([
      {
        verb: 'call.create',
        subject: sent[0].id,
        campaign: sent[0].campaign,
        after: { agent: 'agent-1', phone: '+1415•••21', ignore_policy: true },
      },
    ]);
    const campaign = { name: 'keyed', agent: 'agent-1' };
    for (let n = 0; n < 3; n++) await ask('POST', '/api/campaigns', campaign, key);
    expect(await verbs()).toEqual(['campaign.create']);
  });

  it('has what was done to calls, keys and the policy', async () => {
    api.work();
    const { id } = await ask('POST', '/api/calls', { agent: 'agent-1', phone: '+14155550131' });
    await until(
      () => ask('GET', `/api/calls/${id}`),
      ({ state }) => state === 'done',
    );
    await ask('POST', `/api/calls/${id}/refresh`);
    await ask('PATCH', `/api/calls/${id}`, { metadata: { note: 'goldfish' } });
    await ask('POST', '/api/keys/main/resume');
    const policy = { headers: { authorization: 'Bearer a-token-for-the-admin' }, body: { gap: '4h' } };
    expect((await api.ask('PUT', '/api/policy', policy)).status).toBe(200);
    expect((await api.ask('PUT', '/api/policy', policy)).status).toBe(200);
    const told = await changes();
    expect(told).toMatchObject([
      { verb: 'call.create', subject: id },
      { verb: 'call.refresh', subject: id },
      { verb: 'call.change', subject: id, after: { metadata: ['note'] } },
      {
        verb: 'policy.set',
        who: 'API_TOKEN',
        role: 'admin',
        before: null,
        after: { version: 1, body: { gap: '4h' } },
      },
    ]);
  });

  it('tells of each act on many how many it was done to, as the answer does', async () => {
    api.work();
    const phone = (n: number) => `+141555502${n}`;
    const recipients = [10, 11, 12].map((n) => ({ phone: phone(n) }));
    const { id } = await ask('POST', '/api/campaigns', {
      name: 'many',
      agent: 'agent-1',
      recipients,
      start: true,
    });
    await until(
      () => ask('GET', `/api/campaigns/${id}`),
      ({ state }) => state === 'done',
    );
    await changes();
    const ended = async (begun: { id: string }) =>
      until(
        () => ask('GET', `/api/bulk/${begun.id}`),
        ({ state }) => state !== 'running',
      );
    const outcomes = ['answered', 'voicemail', 'no-answer', 'busy', 'failed'];
    const csv = { 'content-type': 'text/csv' };
    type Act = [string, string, unknown, string[], Record<string, string>?];
    const acts: Record<string, Act> = {
      // One of the three whom it finds may not be called.
      'suppression.add': [
        'POST',
        '/api/suppressions',
        { phones: [phone(10), phone(99)] },
        ['added', 'skipped'],
      ],
      'campaign.retry': ['POST', `/api/campaigns/${id}/retry`, { outcomes }, ['outcomes', 'retried']],
      'bulk.end': [
        'POST',
        '/api/bulk',
        { act: 'skip', filter: { campaign: id }, confirm: 3 },
        ['done', 'passed'],
      ],
      'suppression.remove': ['DELETE', '/api/suppressions', { phones: [phone(99), phone(98)] }, ['removed']],
      'campaign.refresh': ['POST', `/api/campaigns/${id}/refresh`, undefined, ['scheduled']],
      'recipients.add': [
        'POST',
        `/api/campaigns/${id}/recipients`,
        `phone\n${phone(11)}\n${phone(20)}\nx\n`,
        ['accepted', 'new', 'known', 'changed', 'rejected'],
        csv,
      ],
      'keep.set': [
        'PUT',
        '/api/keep',
        { days: 365 },
        ['days'],
        { authorization: 'Bearer a-token-for-the-admin' },
      ],
      'person.erase': [
        'POST',
        '/api/erase',
        { phone: phone(11) },
        ['people', 'campaigns'],
        { authorization: 'Bearer a-token-for-the-admin' },
      ],
    };
    for (const [verb, [method, path, body, fields, more]] of Object.entries(acts)) {
      let answer = await ask(method, path, body, more);
      if (verb === 'bulk.end') answer = await ended(answer);
      const told = (await changes()).filter((each: Change) => each.verb === verb);
      expect(told, verb).toHaveLength(1);
      const kept = { ...told[0].before, ...told[0].after };
      const numbers = (from: Record<string, unknown>) => fields.map((field) => [field, from[field]]);
      expect([verb, numbers(kept)]).toEqual([verb, numbers(answer)]);
      if (verb === 'campaign.retry') expect(kept).toMatchObject({ retried: 2, passed: expect.any(Object) });
    }
  });

  it('has what was typed, with the user and the machine', async () => {
    await ask('POST', '/api/campaigns', {
      name: 'typed',
      agent: 'agent-1',
      recipients: [{ phone: '+14155550141' }],
    });
    await changes();
    const done = await typeLine('campaign cancel typed --yes --json', api.env, process.cwd());
    expect(done.code, done.err).toBe(0);
    const { err, json } = await typeLine(
      'activity --campaign typed --verb campaign.cancel --json',
      api.env,
      process.cwd(),
    );
    expect(err).toBe('');
    expect(json.items).toEqual(await changes());
    expect(json.items).toMatchObject([
      { who: 'cli', role: 'admin', address: expect.stringContaining(`${userInfo().username}@`) },
    ]);
    const { out } = await typeLine('activity --limit 1', api.env, process.cwd());
    expect(out).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}campaign\.cancel +cli \(.*@.*\) {2}typed /);
    for (const line of ['activity --who nobody', 'activity --who nobody --limit 3'])
      expect((await typeLine(line, api.env, process.cwd())).out).toBe('No activity matches.\n');
  });

  it('has nothing of what was refused, and nothing of what only reads', async () => {
    await api.ask('POST', '/api/campaigns/nowhere/start', { headers: headers() });
    await api.ask('POST', '/api/campaigns', { headers: headers(), body: { name: 'typed', agent: 'a' } });
    await api.ask('POST', '/api/policy/test', {
      headers: headers(),
      body: { phone: '+14155550101', at: '2026-12-01T09:00:00Z' },
    });
    expect(await changes()).toEqual([]);
  });
});

describe('every route that is not a GET', () => {
  it('has a verb in the activity, unless it changes nothing', () => {
    const verbOf: Record<string, ActivityVerb | 'changes nothing'> = {
      createCall: 'call.create',
      changeCall: 'call.change',
      judgeCall: 'call.judge',
      keepView: 'view.keep',
      removeView: 'view.remove',
      refreshCall: 'call.refresh',
      cancelCall: 'call.cancel',
      hintCall: 'changes nothing',
      checkService: 'changes nothing',
      createCampaign: 'campaign.create',
      changeCampaign: 'campaign.change',
      deleteCampaign: 'campaign.delete',
      cloneCampaign: 'campaign.clone',
      startCampaign: 'campaign.start',
      resumeCampaign: 'campaign.start',
      pauseCampaign: 'campaign.pause',
      pauseEverything: 'campaign.pause',
      resumeEverything: 'campaign.start',
      cancelCampaign: 'campaign.cancel',
      retryCampaign: 'campaign.retry',
      refreshCampaign: 'campaign.refresh',
      addRecipients: 'recipients.add',
      changeRecipient: 'recipient.change',
      removeRecipient: 'recipient.remove',
      erasePerson: 'person.erase',
      forgetSecret: 'secret.forget',
      setKeep: 'keep.set',
      resolveUnknown: 'unknown.resolve',
      resolveManyUnknown: 'unknown.resolve',
      beginBulkAct: 'bulk.start',
      stopBulkAct: 'bulk.stop',
      resumeKey: 'key.resume',
      confirmKey: 'key.confirm',
      restNumber: 'number.rest',
      returnNumber: 'number.return',
      suppress: 'suppression.add',
      unsuppress: 'suppression.remove',
      confirmLedger: 'ledger.confirm',
      createToken: 'token.create',
      revokeToken: 'token.revoke',
      setPolicy: 'policy.set',
      testPolicy: 'changes nothing',
      checkPolicy: 'changes nothing',
      showWeek: 'changes nothing',
      previewImport: 'changes nothing',
      importSuppressions: 'suppression.add',
      addWebhook: 'webhook.add',
      changeWebhook: 'webhook.change',
      removeWebhook: 'webhook.remove',
      testWebhook: 'changes nothing',
      replayWebhook: 'webhook.replay',
      addAlertAddress: 'alert.add',
      removeAlertAddress: 'alert.remove',
      testAlertAddress: 'changes nothing',
    };
    const changing = routes.filter(({ method }) => method !== 'GET').map(({ id }) => id);
    expect(changing.filter((id) => verbOf[id] === undefined)).toEqual([]);
  });
});

type Change = { verb: string; before: { state?: string } | null; after: { state?: string } | null };
