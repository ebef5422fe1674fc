import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { changeCampaign } from '../../src/control/campaigns/change.ts';
import { cloneCampaign } from '../../src/control/campaigns/create.ts';
import { deleteCampaign } from '../../src/control/campaigns/delete.ts';
import { showCampaign } from '../../src/control/campaigns/show.ts';
import { type House, shareBooks } from './support.ts';

const books = await shareBooks();
let house: House;
beforeEach(() => {
  house = books.house();
});

const service = () => ({ ledger: house.ledger, baseUrl: house.baseUrl });
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

describe('a clone', () => {
  it('has the order, and the people as never called, apart from those who were taken off or suppressed', async () => {
    const id = await house.campaign({ people: 5, maxAttempts: 2, retry: { busy: [60] } as never, weight: 3 });
    const [first] = await house.plan(id, 1);
    await house.call(first!);
    await house.settle(first!);
    const people = await house.people(id);
    await books.sql(`update carillon.recipients set state = 'skipped', reason = 'removed' where id = $1`, [
      people[1]!.id,
    ]);
    await house.ledger.db.transaction(async ({ client }) => {
      await client.query(`insert into carillon.suppressions (phone) values ($1)`, [people[2]!.phone]);
    });
    const name = `april ${randomUUID()}`;
    const before = await house.ledger.events.number();
    const { answer: clone } = await cloneCampaign(service(), id, { name, people: true });
    await house.ledger.events.number();
    const told = await house.ledger.events.read(before, 100, { types: null, campaignId: clone.id });
    expect(told.events.map(({ type }) => type)).toEqual(['recipient.skipped']);
    expect(clone).toMatchObject({ name, state: 'draft', weight: 3, max_attempts: 2, driver: 'background' });
    expect(clone.balance).toMatchObject({ rows: 4, waiting: 3, skipped: 1, attempts: 0 });
    expect((await house.people(clone.id)).map(({ row, attempts }) => [row, attempts])).toEqual([
      [2, 0],
      [4, 0],
      [5, 0],
      [6, 0],
    ]);
    const { answer: bare } = await cloneCampaign(service(), id, { name: `${name} 2` });
    expect(bare.balance.rows).toBe(0);
    expect(await refusal(cloneCampaign(service(), id, { name }))).toContain('campaign-exists');
    expect(await house.faults()).toEqual([]);
    await books.sql('delete from carillon.suppressions where phone = $1', [people[2]!.phone]);
  });
});

describe('a campaign that is renamed', () => {
  it('keeps everything else, and takes no name that another has', async () => {
    const [a, b] = [await house.campaign({ people: 1 }), await house.campaign()];
    const name = `may ${randomUUID()}`;
    const { revision } = await showCampaign(house.ledger, a);
    const after = await changeCampaign(service(), a, { name, weight: 2 }, `"${revision}"`);
    expect(after).toMatchObject({ id: a, name, weight: 2, balance: { rows: 1 } });
    expect((await showCampaign(house.ledger, name)).id).toBe(a);
    expect(await refusal(changeCampaign(service(), b, { name }))).toBe(
      `campaign-exists: A campaign named ${name} already exists`,
    );
    expect(await refusal(changeCampaign(service(), a, { name: 'x' }, `"${revision}"`))).toContain(
      'campaign-changed',
    );
  });
});

describe('a campaign that is deleted', () => {
  it('goes with its people and attempts; the calls that count for caps stay, and the sums hold all the way', async () => {
    const id = await house.campaign({ people: 5 });
    await house.add(id, [], { mode: 'more', rejected: [{ row: 99, reason: 'bad', input: { a: 'x' } }] });
    const [first, second] = await house.plan(id, 3);
    await house.call(first!);
    await house.settle(first!);
    const counted = () => books.sql('select from carillon.phone_calls where attempt_id = $1', [first]);
    expect(await counted()).toHaveLength(1);
    expect(await refusal(deleteCampaign(house.ledger, id))).toContain('is running');
    await house.admit(second!);
    await house.ledger.campaigns.pause([id], 'test');
    expect(await refusal(deleteCampaign(house.ledger, id))).toContain('calls in progress');
    await house.place(second!);
    await house.settle(second!);
    expect(await house.ledger.campaigns.startDelete(id)).toBeNull();
    expect(await house.faults()).toEqual([]);
    expect(await refusal(house.ledger.campaigns.get(id))).toContain('campaign-unknown');
    // The sweeper of any process finishes what was begun.
    while (await house.ledger.campaigns.sweep('http://other.example/v1'));
    for (const table of ['recipients', 'rejects', 'ended_attempts', 'attempts', 'tallies', 'tally_deltas'])
      expect([table, await books.sql(`select from carillon.${table} where campaign_id = $1`, [id])]).toEqual([
        table,
        [],
      ]);
    expect(await books.sql('select from carillon.campaigns where id = $1', [id])).toEqual([]);
    expect(await counted()).toHaveLength(1);
  });

  it('says how much it was, and frees its name', async () => {
    const id = await house.campaign({ people: 2, state: 'draft' });
    const { name } = await house.ledger.campaigns.get(id);
    expect(await deleteCampaign(house.ledger, name)).toEqual({
      id,
      campaign: name,
      rows: 2,
      attempts: 0,
      done: true,
    });
    expect(await refusal(deleteCampaign(house.ledger, name))).toContain('campaign-unknown');
    const calls = await house.campaign({ kind: 'calls' });
    expect(await refusal(deleteCampaign(house.ledger, calls))).toContain('gathers single calls');
  });
});
