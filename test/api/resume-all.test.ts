import { beforeAll, describe, expect, it } from 'vitest';
import { serveApi } from './support.ts';

/** After the stop button: those that it paused continue together, and no others. */
describe('POST /api/resume', () => {
  const api = serveApi();
  const make = async (name: string, from: number, more: object = { start: true }) => {
    const recipients = [from, from + 1].map((n) => ({ phone: `+1415555${n}` }));
    await api.ask('POST', '/api/campaigns', { body: { name, agent: 'a', recipients, ...more } });
  };
  const stateOf = async (name: string) => {
    const { state, reason } = (await api.ask('GET', `/api/campaigns/${name}`)).json;
    return [state, reason];
  };
  const stopped = 'paused by hand: everything was stopped';

  beforeAll(async () => {
    await make('first', 1000);
    await make('second', 1010);
    await make('rested', 1020);
    await make('draft', 1030, {});
    await api.ask('POST', '/api/campaigns/rested/pause');
  });

  it('tells what the stop button stopped, and resumes that alone, with its reason', async () => {
    await api.ask('POST', '/api/pause');
    expect(await stateOf('first')).toEqual(['paused', stopped]);
    expect((await api.ask('GET', '/api/resume')).json).toEqual({
      campaigns: 2,
      people: 4,
      names: ['first', 'second'],
    });
    const { status, json } = await api.ask('POST', '/api/resume', { body: { reason: 'it was a drill' } });
    expect(status).toBe(200);
    expect(json.items.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
      ['first', 'running'],
      ['second', 'running'],
    ]);
    expect(json.refused).toEqual([]);
    expect(await stateOf('rested')).toEqual(['paused', 'paused by hand']);
    expect(await stateOf('draft')).toEqual(['draft', null]);
    const { json: activity } = await api.ask('GET', '/api/activity?verb=campaign.start&campaign=first');
    expect(activity.items[0].after).toEqual({ state: 'running', why: 'it was a drill' });
  });

  it('can be repeated, and leaves out what a person has resumed or paused since', async () => {
    expect((await api.ask('POST', '/api/resume')).json).toMatchObject({ items: [], refused: [] });
    await api.ask('POST', '/api/pause');
    await api.ask('POST', '/api/campaigns/first/resume');
    await api.ask('POST', '/api/campaigns/first/pause');
    const { json } = await api.ask('POST', '/api/resume');
    expect(json.items.map(({ name }: { name: string }) => name)).toEqual(['second']);
    expect(await stateOf('first')).toEqual(['paused', 'paused by hand']);
  });

  it('tells of one that cannot be resumed why, and resumes the others', async () => {
    await api.ask('POST', '/api/campaigns/first/resume');
    await api.ask('POST', '/api/pause');
    const { items } = (await api.ask('GET', '/api/campaigns/second/recipients')).json;
    for (const { id } of items) await api.ask('DELETE', `/api/campaigns/second/recipients/${id}`);
    const { json } = await api.ask('POST', '/api/resume');
    expect(json.items.map(({ name }: { name: string }) => name)).toEqual(['first']);
    expect(json.refused).toMatchObject([
      { campaign: 'second', message: expect.stringContaining('nobody to call'), remedy: expect.any(String) },
    ]);
    expect(await stateOf('second')).toEqual(['paused', stopped]);
  });
});
