import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Assistant, connectAssistant } from '../../support/assistant.ts';
import { until } from '../../support/until.ts';
import { openApi, type TestApi } from '../support.ts';

/** An assistant has people called again: those whom it named, and each of them once. */
let api: TestApi;
let assistant: Assistant;
const people = ['Ann', 'Ben', 'Hana'].map((name, at) => ({ phone: `+1415555010${at}`, name }));
const retry = { campaign: 'spring', outcomes: ['busy'] };

const get = async (path: string) => (await api.ask('GET', path)).json;
const creates = () => [...api.simulator.journal({ method: 'POST', path: '/v1/call' })].length;
const isDone = (attempts: number) =>
  until(
    () => get('/api/campaigns/spring'),
    ({ state, balance }) => state === 'done' && balance.attempts === attempts,
  );

beforeAll(async () => {
  api = await openApi({ env: { MCP_ACTS: '1' }, simulator: { shares: { busy: 1 } } });
  assistant = await connectAssistant(api.url);
  const body = { name: 'spring', agent: 'agent-1', recipients: people, start: true };
  await api.ask('POST', '/api/campaigns', { body });
  api.work();
  await isDone(3);
});
afterAll(async () => {
  await assistant?.client.close();
  await api?.close();
});

describe('retry_campaign', () => {
  it('tells who would be called again, and what is passed over', async () => {
    await api.ask('POST', '/api/suppressions', { body: { phones: ['+14155550101'] } });
    const { answer } = await assistant.use('retry_campaign', retry);
    expect(answer.proposal).toMatchObject({
      does: 'Calls 2 people of {campaign} again, whose last call ended busy.',
      people: 2,
      calls: 2,
      who: [{ name: 'Ann' }, { name: 'Hana' }],
      notes: ['Passed over: 1 person, suppressed.'],
    });
    expect(creates()).toBe(3);
  });

  it('is proposed again when one of them is suppressed in between, and then calls each of the others once', async () => {
    const { answer: first } = await assistant.use('retry_campaign', retry);
    await api.ask('POST', '/api/suppressions', { body: { phones: ['+14155550100'] } });
    const changed = await assistant.use('retry_campaign', { ...retry, confirm: first.confirm });
    expect(changed.answer).toMatchObject({ acted: false, changed: true, proposal: { people: 1 } });
    const { confirm } = changed.answer;
    const given = { ...retry, confirm };
    const both = await Promise.all([1, 2].map(() => assistant.use('retry_campaign', given)));
    expect(both.some(({ answer }) => answer?.acted)).toBe(true);
    await isDone(4);
    expect((await assistant.use('retry_campaign', given)).answer).toMatchObject({
      acted: true,
      again: true,
      answer: { campaign: 'spring', outcomes: ['busy'], retried: 1 },
    });
    await isDone(4);
    expect(creates()).toBe(4);
    expect((await get('/api/activity?verb=campaign.retry')).items).toMatchObject([
      { who: 'loopback', after: { outcomes: ['busy'], tool: 'retry_campaign' } },
    ]);
  });
});

describe('call_person', () => {
  it('of two confirmations for one call, makes one: also once the first call has ended, or both come at once', async () => {
    const given = { agent: 'agent-1', phone: '+14155550150', name: 'Hana' };
    const proposed = async () => (await assistant.use('call_person', given)).answer.confirm;
    const confirms = [await proposed(), await proposed(), await proposed()];
    const both = confirms.slice(0, 2).map((confirm) => assistant.use('call_person', { ...given, confirm }));
    expect((await Promise.all(both)).filter(({ answer }) => answer?.acted)).toHaveLength(1);
    await until(
      () => get('/api/calls?phone=%2B14155550150'),
      ({ items }) => items.length === 1 && items[0].state === 'done',
    );
    const late = await assistant.use('call_person', { ...given, confirm: confirms[2] });
    expect(late.answer).toMatchObject({ acted: false, changed: true });
    expect(late.answer.proposal.notes).toContain('Lists and calls with this phone so far: 1.');
    expect((await get('/api/calls?phone=%2B14155550150')).items).toHaveLength(1);
  });
});
