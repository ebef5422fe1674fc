import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { actAs } from '../../../src/base/actor.ts';
import { createSeal } from '../../../src/base/seal.ts';
import { readSecret } from '../../../src/base/secret.ts';
import { actInTwoSteps, confirmMs, type Still } from '../../../src/control/proposals/two-steps.ts';
import { createToken } from '../../../src/control/tokens/manage.ts';
import { type Assistant, connectAssistant, type Used } from '../../support/assistant.ts';
import { openApi, type TestApi } from '../support.ts';

/** Assistants act in two steps: a proposal, then the act, once. */
const admin = { authorization: 'Bearer a-token-for-the-admin' };
let api: TestApi;
let olga: Assistant;
let made = 0;
const open: Assistant[] = [];

async function assistant(name: string, at = api): Promise<Assistant> {
  const { answer } = await createToken(at.app, { name, role: 'operate' });
  const connected = await connectAssistant(at.url, answer.token);
  open.push(connected);
  return connected;
}

beforeAll(async () => {
  api = await openApi({ token: 'a-token-for-the-admin', env: { MCP_ACTS: '1' } });
  olga = await assistant('olga');
});
afterAll(async () => {
  await Promise.all(open.map(({ client }) => client.close()));
  await api?.close();
});

const get = async (path: string) => (await api.ask('GET', path, { headers: admin })).json;
const post = (path: string, body?: unknown) => api.ask('POST', path, { headers: admin, body });

/** Not started: no workers run, so nobody is called. */
async function campaign(start = false): Promise<string> {
  const name = `list-${++made}`;
  const recipients = ['Ann', 'Hana'].map((each, at) => ({
    phone: `+1415555${1_000 + made * 10 + at}`,
    name: each,
  }));
  await post('/api/campaigns', { name, agent: 'agent-1', recipients, start });
  return name;
}

const stateOf = async (name: string) => (await get(`/api/campaigns/${name}`)).state;
/** What this assistant did, the newest first. */
const activity = async (verb: string, name?: string) =>
  (await get(`/api/activity?who=olga&verb=${verb}${name ? `&campaign=${name}` : ''}`)).items;

function token(used: Used): string {
  expect(used.answer).toMatchObject({ acted: false, changed: false, confirm: expect.any(String) });
  return used.answer.confirm;
}

describe('the first call of a tool that acts', () => {
  it('tells what would be done, to whom, until when, and does nothing', async () => {
    const name = await campaign(true);
    const used = await olga.use('pause_campaign', { campaign: name });
    expect(used.isError).toBe(false);
    expect(used.next).toContain('Nothing was done yet');
    expect(used.answer.proposal).toMatchObject({
      does: 'Pauses the campaign {campaign}, which is running: 2 people are not called until it is resumed.',
      people: 2,
      who: [
        { name: 'Ann', row: 1 },
        { name: 'Hana', row: 2 },
      ],
      calls: 0,
    });
    const left = new Date(used.answer.valid_until).getTime() - Date.now();
    expect(left).toBeGreaterThan(confirmMs - 60_000);
    expect(await stateOf(name)).toBe('running');
    expect(await activity('campaign', name)).toEqual([]);
  });

  it('tells how many calls a campaign would make', async () => {
    const { answer } = await olga.use('resume_campaign', { campaign: await campaign() });
    expect(answer.proposal).toMatchObject({ people: 2, calls: 2, who: [{ name: 'Ann' }, { name: 'Hana' }] });
  });

  it('refuses what cannot be done', async () => {
    const name = await campaign();
    await post(`/api/campaigns/${name}/cancel`);
    const { isError, says } = await olga.use('resume_campaign', { campaign: name });
    expect([isError, says]).toEqual([true, expect.stringMatching(/was canceled and stays canceled/)]);
    await post('/api/suppressions', { phones: ['+14155559001'] });
    const call = await olga.use('call_person', { agent: 'a', phone: '+14155559001' });
    expect(call.says).toMatch(/^\+14155559001 is suppressed and was not called/);
  });
});

describe('the second call', () => {
  it.each([
    ['pause_campaign', true, 'paused', 'campaign.pause'],
    ['resume_campaign', false, 'running', 'campaign.start'],
    ['cancel_campaign', true, 'canceled', 'campaign.cancel'],
  ])('%s acts, and the activity names who and the tool', async (tool, start, state, verb) => {
    const name = await campaign(start);
    const confirm = token(await olga.use(tool, { campaign: name }));
    const { answer } = await olga.use(tool, { campaign: name, confirm });
    expect(answer).toMatchObject({ acted: true, again: false, answer: { name, state } });
    expect(await stateOf(name)).toBe(state);
    expect(await activity('campaign', name)).toMatchObject([{ who: 'olga', verb, after: { state, tool } }]);
  });

  it('acts once: with the same confirmation it answers how things stand, and does nothing', async () => {
    const name = await campaign(true);
    const given = { campaign: name, confirm: token(await olga.use('pause_campaign', { campaign: name })) };
    expect((await olga.use('pause_campaign', given)).answer).toMatchObject({ acted: true, again: false });
    await post(`/api/campaigns/${name}/resume`);
    const { answer } = await olga.use('pause_campaign', given);
    expect(answer).toMatchObject({ acted: true, again: true, answer: { name, state: 'running' } });
    expect(await stateOf(name)).toBe('running');
  });

  it('makes one call, whether its answer is lost or two come at once', async () => {
    const given = { agent: 'agent-1', phone: '+14155559100', name: 'Hana' };
    const confirm = token(await olga.use('call_person', given));
    const both = await Promise.all([1, 2].map(() => olga.use('call_person', { ...given, confirm })));
    for (const used of both) {
      if (used.isError)
        expect(used.says).toMatch(/^(?:The act began with this confirmation|The same request)/);
      else expect(used.answer).toMatchObject({ acted: true, answer: { phone: '+14155559100' } });
    }
    expect(both.some(({ isError }) => !isError)).toBe(true);
    const late = await olga.use('call_person', { ...given, confirm });
    expect(late.answer).toMatchObject({ acted: true, again: true, answer: { phone: '+14155559100' } });
    const { items } = await get('/api/calls?phone=%2B14155559100');
    expect(items).toHaveLength(1);
    expect(await activity('call.create')).toMatchObject([{ after: { tool: 'call_person' } }]);
  });

  it('suppresses phones, and answers the same when it is sent again', async () => {
    const name = await campaign(true);
    const [{ phone }] = (await get(`/api/campaigns/${name}/recipients`)).items;
    const given = { phones: [phone], reason: 'asked for it' };
    const used = await olga.use('suppress_phones', given);
    expect(used.answer.proposal).toMatchObject({ people: 1, who: [{ phone, campaign: name }] });
    const sent = { ...given, confirm: token(used) };
    const done = { phones: 1, added: 1, known: 0, skipped: 1 };
    expect((await olga.use('suppress_phones', sent)).answer).toMatchObject({ again: false, answer: done });
    expect((await olga.use('suppress_phones', sent)).answer).toMatchObject({ again: true, answer: done });
    expect((await get('/api/suppressions')).items).toContainEqual(
      expect.objectContaining({ phone, reason: 'asked for it' }),
    );
  });

  it('stops everything', async () => {
    const names = [await campaign(true), await campaign(true)];
    const used = await olga.use('stop_everything');
    expect(used.answer.proposal.does).toMatch(/^Stops everything: pauses each of \d+ running campaigns/);
    const { answer } = await olga.use('stop_everything', { confirm: token(used) });
    const paused = answer.answer.items.map(({ name }: { name: string }) => name);
    expect(paused).toEqual(expect.arrayContaining(names));
    for (const name of names) expect(await stateOf(name)).toBe('paused');
  });
});

describe('a confirmation', () => {
  it('is refused when what it rests on has changed, with the new proposal', async () => {
    const name = await campaign();
    const confirm = token(await olga.use('resume_campaign', { campaign: name }));
    await post(`/api/campaigns/${name}/recipients`, [{ phone: '+14155559200', name: 'Cy' }]);
    const used = await olga.use('resume_campaign', { campaign: name, confirm });
    expect(used.isError).toBe(true);
    expect(used.next).toContain('has changed since');
    expect(used.answer).toMatchObject({ acted: false, changed: true, proposal: { people: 3 } });
    expect(await stateOf(name)).toBe('draft');
    const again = await olga.use('resume_campaign', { campaign: name, confirm: used.answer.confirm });
    expect(again.answer).toMatchObject({ acted: true, answer: { state: 'running' } });
  });

  it('of a stop holds while people are called or added, and that of an end only for the list as it was', async () => {
    const [paused, ended] = [await campaign(true), await campaign(true)];
    const pause = token(await olga.use('pause_campaign', { campaign: paused }));
    const cancel = token(await olga.use('cancel_campaign', { campaign: ended }));
    for (const name of [paused, ended])
      await post(`/api/campaigns/${name}/recipients`, [{ phone: `+1415555924${made % 10}` }]);
    expect((await olga.use('pause_campaign', { campaign: paused, confirm: pause })).answer.acted).toBe(true);
    const used = await olga.use('cancel_campaign', { campaign: ended, confirm: cancel });
    expect(used.answer).toMatchObject({ acted: false, changed: true, proposal: { people: 3 } });
    expect([await stateOf(paused), await stateOf(ended)]).toEqual(['paused', 'running']);
  });

  it('belongs to one tool, one sender and its arguments', async () => {
    const [name, other] = [await campaign(true), await campaign(true)];
    const confirm = token(await olga.use('pause_campaign', { campaign: name }));
    const otto = await assistant('otto');
    const foreign = /^confirm: was not given to you by this tool\. Call it without `confirm`/;
    const given = { campaign: name, confirm };
    expect((await olga.use('cancel_campaign', given)).says).toMatch(foreign);
    expect((await otto.use('pause_campaign', given)).says).toMatch(foreign);
    expect(
      (await olga.use('pause_campaign', { ...given, confirm: confirm.replace(/.{8}$/, 'AAAAAAAA') })).says,
    ).toMatch(foreign);
    expect((await olga.use('pause_campaign', { ...given, confirm: 'yes' })).says).toMatch(foreign);
    expect((await olga.use('pause_campaign', { campaign: other, confirm })).says).toMatch(
      /^confirm: was given for other arguments\. Nothing was done\. /,
    );
    expect([await stateOf(name), await stateOf(other)]).toEqual(['running', 'running']);
  });

  it('has no phone and no name in it that could be read', async () => {
    const used = await olga.use('call_person', { agent: 'a', phone: '+14155559300', name: 'Hana' });
    const text = Buffer.from(token(used).split('.')[1]!, 'base64url').toString('latin1');
    expect(text).not.toMatch(/4155559300|Hana/);
  });
});

describe('a confirmation and time', () => {
  const olgas = { name: 'olga', person: null, role: 'operate', address: null, token: null } as const;
  const trials: string[] = [];
  let now = 1_800_000_000_000;
  /** Another process may have the ledger's time and the secret, and nothing else. */
  const deps = () => ({
    ledger: api.app.ledger,
    now: () => now,
    seal: () => createSeal(readSecret(api.app.config)),
  });
  const trial = (confirm: string | undefined, basis: unknown) => ({
    name: 'try',
    asked: { n: 1 },
    confirm,
    about: async () => 'one thing',
    basis: async (): Promise<unknown> => basis,
    propose: async () => ({ does: '', quoted: {}, people: 0, who: [], calls: 0, cost: null, notes: [] }),
    async act(key: string, still: Still) {
      await api.app.ledger.together(still);
      trials.push(key);
      if (basis === 'breaks') throw new Error('the process ends');
      return 'done';
    },
    again: async (key: string) => `again ${trials.includes(key)}`,
  });
  const step = (confirm?: string, basis: unknown = 1) =>
    actAs(olgas, () => actInTwoSteps(deps(), trial(confirm, basis)));
  const confirmation = async (basis?: unknown) => {
    const made = await step(undefined, basis);
    return made.acted ? '' : made.confirm;
  };
  afterEach(() => void trials.splice(0));

  it('expires after five minutes', async () => {
    const confirm = await confirmation();
    now += confirmMs;
    await expect(step(confirm)).rejects.toThrow('confirm: has expired');
    expect(trials).toEqual([]);
    const fresh = await confirmation();
    now += confirmMs - 1;
    expect(await step(fresh)).toEqual({ acted: true, again: false, answer: 'done' });
  });

  it('answers what was done also after it has expired', async () => {
    const confirm = await confirmation();
    await step(confirm);
    now += 10 * confirmMs;
    expect(await step(confirm, 'changed')).toEqual({ acted: true, again: true, answer: 'again true' });
    expect(trials).toHaveLength(1);
  });

  it('is used up by an act that broke off, so that nobody acts twice', async () => {
    const confirm = await confirmation('breaks');
    await expect(step(confirm, 'breaks')).rejects.toThrow('the process ends');
    await expect(step(confirm, 'breaks')).rejects.toThrow('nothing says that it has ended');
    expect(trials).toHaveLength(1);
  });

  it('proposes nothing anew when another of the same kind has just acted', async () => {
    const confirm = await confirmation();
    // The first acts, and with it the basis changes, while the second looks at the basis.
    const second = actAs(olgas, () =>
      actInTwoSteps(deps(), {
        ...trial(confirm, 2),
        async act(key: string, still: Still) {
          await step(confirm);
          return trial(confirm, 2).act(key, still);
        },
      }),
    );
    expect(await second).toMatchObject({ acted: true, again: true });
    expect(trials).toHaveLength(1);
  });

  it('of one thing is worthless once another of it was used, also in the same moment', async () => {
    const both = [await confirmation(), await confirmation()];
    const [first, second] = await Promise.all(both.map((confirm) => step(confirm)));
    expect([first!.acted, second!.acted].filter(Boolean)).toHaveLength(1);
    expect(trials).toHaveLength(1);
  });

  it('acts on nothing that changes between the look and the act', async () => {
    const confirm = await confirmation();
    let basis = 1;
    const late = actAs(olgas, () =>
      actInTwoSteps(deps(), {
        ...trial(confirm, 1),
        basis: async () => basis,
        act(key: string, still: Still) {
          // As while the service is asked whether it takes the order.
          basis = 2;
          return trial(confirm, 2).act(key, still);
        },
      }),
    );
    expect(await late).toMatchObject({ acted: false, changed: true });
    expect(trials).toEqual([]);
  });

  it('lets one of many act that come at once', async () => {
    const confirm = await confirmation();
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => step(confirm)));
    const acted = all.filter((each) => each.status === 'fulfilled' && each.value.acted && !each.value.again);
    expect(acted).toHaveLength(1);
    expect(trials).toHaveLength(1);
  });
});

describe('a proposal is what was shown', () => {
  type Change = (name: string, ids: string[], n: number) => [method: string, path: string, body?: unknown];
  const person = (name: string, id: string) => `/api/campaigns/${name}/recipients/${id}`;
  const changes: Record<string, Change> = {
    phone: (name, [id], n) => ['PATCH', person(name, id!), { phone: `+1415555${7_000 + n}` }],
    name: (name, [, id], n) => ['PATCH', person(name, id!), { name: `Other ${n}` }],
    variables: (name, [id], n) => ['PATCH', person(name, id!), { variables: { plan: n } }],
    agent: (name, [, id]) => ['PATCH', person(name, id!), { agent: 'agent-2' }],
    removed: (name, [id]) => ['DELETE', person(name, id!)],
    added: (name, _ids, n) => [
      'POST',
      `/api/campaigns/${name}/recipients`,
      [{ phone: `+1415555${8_000 + n}` }],
    ],
    order: (name, _ids, n) => ['PATCH', `/api/campaigns/${name}`, { max_attempts: 2 + (n % 3) }],
    suppressed: (name, _ids, n) => ['POST', '/api/suppressions', { phones: [phones.get(name)![n % 2]!] }],
    // Changes of others are none of it.
    elsewhere: (_name, _ids, n) => ['POST', '/api/suppressions', { phones: [`+1415555${9_400 + n}`] }],
  };
  const phones = new Map<string, string[]>();
  let n = 0;

  it('whatever of the people or the order changes before it is confirmed, nobody else is called', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...Object.keys(changes)), { maxLength: 2 }),
        async (drawn) => {
          const name = await campaign();
          const { items } = await get(`/api/campaigns/${name}/recipients`);
          phones.set(
            name,
            items.map(({ phone }: { phone: string }) => phone),
          );
          const ids = items.map(({ id }: { id: string }) => id);
          const confirm = token(await olga.use('resume_campaign', { campaign: name }));
          for (const each of drawn) {
            const [method, path, body] = changes[each]!(name, ids, ++n);
            const { status, text } = await api.ask(method, path, { headers: admin, body });
            expect([each, status < 300 || text]).toEqual([each, true]);
          }
          const { answer } = await olga.use('resume_campaign', { campaign: name, confirm });
          const same = drawn.every((each) => each === 'elsewhere');
          expect([drawn, answer.acted, answer.changed ?? false]).toEqual([drawn, same, !same]);
          expect(await stateOf(name)).toBe(same ? 'running' : 'draft');
        },
      ),
      { numRuns: 30 },
    );
  }, 120_000);
});

describe('without MCP_ACTS', () => {
  it('no tool acts or is listed, whatever the role', async () => {
    const plain = await openApi();
    const loopback = await connectAssistant(plain.url);
    try {
      const names = await loopback.names();
      expect(names).toContain('list_activity');
      expect(names.filter((name) => /^(?:pause|resume|cancel|stop|retry|call|suppress)_/.test(name))).toEqual(
        [],
      );
      const { isError, says } = await loopback.use('stop_everything');
      expect([isError, says]).toEqual([
        true,
        'stop_everything acts, and assistants may only read here. Set MCP_ACTS=1 to let assistants act, in two steps.',
      ]);
    } finally {
      await loopback.client.close();
      await plain.close();
    }
  });
});
