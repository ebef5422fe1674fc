import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Actor, actAs } from '../../src/base/actor.ts';
import { listActivity } from '../../src/control/activity/list.ts';
import { createToken, listTokens, revokeToken } from '../../src/control/tokens/manage.ts';
import { activityVerbs } from '../../src/ledger/activity/activity.ts';
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let ledger: Ledger;
const now = Date.now();
const clock = { now: () => now };
const ann: Actor = { name: 'ann', person: 'Ann Example', role: 'admin', address: '10.1.2.3', token: null };
const make = async (body: object) => (await createToken({ ledger, clock }, body)).answer;

beforeAll(async () => {
  database = await freshDatabase();
  ledger = await openLedger(database.url, 'http://service.example/v1', undefined, 4);
});
afterAll(async () => {
  await ledger?.close();
  await database?.drop();
});

describe('a token', () => {
  it('is shown once, recognisable, and the ledger keeps only its digest', async () => {
    const made = await actAs(ann, () => make({ name: 'once', role: 'read', ends: '90d' }));
    expect(made.token).toMatch(/^car_[\w-]{43}$/);
    expect(made).toMatchObject({ name: 'once', role: 'read', made_by: 'ann', used_at: null });
    expect(made.ends_at).toEqual(new Date(now + 90 * 86_400_000));
    const { token, ...shown } = made;
    expect((await listTokens(ledger, {})).items).toEqual([shown]);
    const digest = createHash('sha256').update(token).digest('hex');
    expect(await ledger.tokens.find(digest)).toEqual({
      id: made.id,
      name: 'once',
      person: null,
      role: 'read',
    });
    expect(JSON.stringify(await listActivity(ledger, {}))).not.toContain(token);
  });

  it('has a name of its own, a known role and an end to come', async () => {
    await make({ name: 'twice', role: 'read' });
    await expect(make({ name: 'twice', role: 'admin' })).rejects.toThrow(
      'A token named twice already exists',
    );
    await expect(make({ name: 'cli', role: 'read' })).rejects.toThrow('name: stands for something else');
    await expect(make({ name: 'a', role: 'root' })).rejects.toThrow('role must be one of read, ');
    await expect(make({ name: 'a', role: 'read', ends: '2020-02-28' })).rejects.toThrow('has passed');
    await expect(make({ name: 'a', role: 'read', ends: 'soon' })).rejects.toThrow(
      'neither a time nor a span',
    );
    await expect(make({ name: 'a' })).rejects.toThrow('role is missing');
  });

  it('is not found after its end', async () => {
    const digest = 'ab'.repeat(32);
    const endsAt = new Date(Date.now() - 1_000);
    await ledger.tokens.add({ name: 'ended', person: null, digest, role: 'admin', madeBy: 'ann', endsAt });
    expect(await ledger.tokens.find(digest)).toBeNull();
  });

  it('is revoked by its name or its id, and then it is unknown and its name is free', async () => {
    const first = await make({ name: 'gone', role: 'operate' });
    expect((await revokeToken(ledger, 'gone')).id).toBe(first.id);
    await expect(revokeToken(ledger, 'gone')).rejects.toThrow('The token gone was not found');
    const second = await make({ name: 'gone', role: 'read' });
    expect((await revokeToken(ledger, second.id)).name).toBe('gone');
  });

  it('leaves its making and its end in the activity, with who did it', async () => {
    const made = await actAs(ann, () => make({ name: 'seen', role: 'operate' }));
    await actAs(null, () => revokeToken(ledger, 'seen'));
    const { items } = await listActivity(ledger, { subject: made.id });
    const token = { name: 'seen', role: 'operate', ends_at: null };
    expect(items).toMatchObject([
      { verb: 'token.revoke', who: 'carillon', address: null, before: token, after: null },
      { verb: 'token.create', who: 'ann', address: '10.1.2.3', before: null, after: token },
    ]);
  });
});

describe('the activity', () => {
  it('only grows', async () => {
    await ledger.activity.record({ verb: 'key.resume', subject: 'main' });
    for (const statement of [`update carillon.activity set who = 'x'`, 'delete from carillon.activity']) {
      const client = await ledger.db.connect();
      await expect(client.query(statement)).rejects.toThrow('only grows');
      client.release();
    }
  });

  it('masks phones wherever they stand', async () => {
    await ledger.activity.record({
      verb: 'suppression.add',
      subject: '+14155550123',
      after: { phones: ['+14155550123'], note: 'called +442071838750 twice' },
    });
    const [item] = (await listActivity(ledger, { verb: 'suppression' })).items;
    expect(item).toMatchObject({
      subject: '+1415•••23',
      after: { phones: ['+1415•••23'], note: 'called +44207•••50 twice' },
    });
  });

  it('is searched by who, verb, subject and time, in pages from the newest', async () => {
    for (let n = 0; n < 5; n++)
      await actAs(ann, () => ledger.activity.record({ verb: 'key.resume', subject: `key-${n}` }));
    const query = { who: 'ann', verb: 'key', limit: 2 };
    const first = await listActivity(ledger, query);
    const second = await listActivity(ledger, { ...query, cursor: first.next! });
    const third = await listActivity(ledger, { ...query, cursor: second.next! });
    expect([first, second, third].flatMap(({ items }) => items.map(({ subject }) => subject))).toEqual([
      'key-4',
      'key-3',
      'key-2',
      'key-1',
      'key-0',
    ]);
    expect(third.next).toBeNull();
    expect((await listActivity(ledger, { ...query, subject: 'key-3' })).items).toHaveLength(1);
    await expect(listActivity(ledger, { verb: 'key.res' })).rejects.toThrow('nothing is recorded as key.res');
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    expect((await listActivity(ledger, { since: soon })).items).toEqual([]);
    expect((await listActivity(ledger, { until: '2020-01-01T00:00:00Z' })).items).toEqual([]);
    await expect(listActivity(ledger, { since: 'yesterday' })).rejects.toThrow('since: must be a time');
    await expect(listActivity(ledger, { since: soon, until: soon })).rejects.toThrow('until: is not after');
    await expect(listActivity(ledger, { campaign: 'nowhere' })).rejects.toThrow('was not found');
  });
});

describe('verbs together', () => {
  it('hold all of them, or none', async () => {
    const both = ledger.together(async ({ activity }) => {
      await activity.record({ verb: 'key.resume', subject: 'undone' });
      throw new Error('no');
    });
    await expect(both).rejects.toThrow('no');
    expect((await listActivity(ledger, { subject: 'undone' })).items).toEqual([]);
  });
});

describe('the docs', () => {
  it('list every verb of the activity', () => {
    const described = JSON.parse(
      readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
    );
    const page: string = described.paths['/api/activity'].get.description;
    expect(activityVerbs.filter((verb) => !page.includes(`\`${verb}\``))).toEqual([]);
  });
});
