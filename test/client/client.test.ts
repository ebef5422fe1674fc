import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type AddedPeople,
  type Campaign,
  CarillonApiError,
  type CarillonEvent,
  createClient,
  type EventRecipientDone,
  type FollowedEvents,
  type NewPerson,
  type Recipient,
} from '../../src/client/index.ts';
import { serveApi } from '../api/support.ts';
import { read } from '../support/checkout.ts';
import { faultsOf } from '../support/description.ts';
import { until } from '../support/until.ts';

/** The API's client against the API, over HTTP. */
const token = 'a-token-of-the-client';
const api = serveApi({ token });
const connect = (more: { token?: string } = {}) => createClient({ baseUrl: api.url, token, ...more });

const phone = (nth: number) => `+1415555${String(2_000 + nth)}`;

async function* people(many: number): AsyncGenerator<NewPerson> {
  for (let nth = 0; nth < many; nth++) yield { phone: phone(nth), name: `Person ${nth}`, city: 'Boston' };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error: CarillonApiError) => error,
  );

describe('the client', () => {
  it('makes a campaign, adds people as they come, and lists them by pages or one by one', async () => {
    const client = connect();
    const made = await client.campaigns.create({ name: 'streamed', agent: 'agent-1' });
    expectTypeOf(made).toEqualTypeOf<Campaign>();
    const added = await client.people.add('streamed', people(250));
    expectTypeOf(added).toEqualTypeOf<AddedPeople>();
    expect(added).toMatchObject({ campaign: 'streamed', new: 250, rejected: 0 });

    const page = await client.people.list(made.id, { limit: 100 });
    expect([page.items.length, typeof page.next]).toEqual([100, 'string']);
    const everyone = await all(client.people.list(made.id, { limit: 100 }));
    expect(everyone.map((each) => each.phone)).toEqual(Array.from({ length: 250 }, (_, nth) => phone(nth)));
    const some = await all(client.people.list(made.id, { state: ['waiting', 'done'], name: 'Person 24' }));
    expect(some.map((each) => each.name)).toEqual(
      expect.arrayContaining(['Person 24', 'Person 240', 'Person 249']),
    );
  });

  it('takes an array, and a CSV as text, bytes or a stream; tells what would happen; and imports later', async () => {
    const client = connect();
    await client.campaigns.create({ name: 'forms', agent: 'agent-1' });
    expect(await client.people.add('forms', [{ phone: phone(1) }, { phone: 'x' }])).toMatchObject({
      new: 1,
      rejected: 1,
    });
    const csv = (nth: number) => `phone,name\n${phone(nth)},Ann\n`;
    const stream = new Blob([csv(4)]).stream();
    const tried = await client.people.try('forms', { csv: csv(2) });
    expect([tried.new, tried.known]).toEqual([1, 0]);
    for (const each of [csv(2), new Blob([csv(3)]), stream])
      expect(await client.people.addCsv('forms', each)).toMatchObject({ new: 1 });
    const national = 'phone\n(415) 555-2005\n';
    expect(await client.people.addCsv('forms', national, { country: 'US' })).toMatchObject({ new: 1 });
    const begun = await client.people.import('forms', { people: people(30) }, { on_known: 'merge' });
    api.work();
    const ended = await until(
      () => client.people.importOf(begun.id),
      ({ state }) => state === 'done',
    );
    expect(ended).toMatchObject({ accepted: 30, known: 5 });
  });

  it('streams results, each a recipient with the columns of its list, and the same as CSV', async () => {
    const client = connect();
    const results = client.people.results('streamed');
    expectTypeOf(results).toExtend<AsyncIterable<Recipient>>();
    const lines = await all(results);
    expect(lines.length).toBe(250);
    expect(lines[7]).toMatchObject({ in_city: 'Boston', input: { city: 'Boston' } });
    const described = lines.map((line) =>
      Object.fromEntries(Object.entries(line).filter(([name]) => !name.startsWith('in_'))),
    );
    expect(described.flatMap((each) => faultsOf(each, 'components', 'schemas', 'Recipient'))).toEqual([]);
    const csv = await new Response(await client.people.resultsCsv('streamed', { state: ['waiting'] })).text();
    expect(csv.split('\n')[1]).toContain(phone(0));
    for await (const first of client.people.results('streamed')) {
      expect(first.row).toBe(1);
      break;
    }
  });

  it('adds nobody if the list’s own source fails on the way, and throws what the source threw', async () => {
    const client = connect();
    await client.campaigns.create({ name: 'broken', agent: 'agent-1' });
    async function* failing() {
      yield* people(20_000);
      throw new Error('the database went away');
    }
    await expect(client.people.add('broken', failing())).rejects.toThrow('the database went away');
    expect((await client.campaigns.get('broken')).balance.rows).toBe(0);
  });

  it('tells a refusal by the catalogue’s code, with the wrong fields and what to do', async () => {
    const client = connect();
    const error = await refusal(
      client.campaigns.create({
        name: 'x',
        agent: 'a',
        window: 'never' as string,
        recipients: [{ phone: '+14155552001' }],
      }),
    );
    expect(error).toBeInstanceOf(CarillonApiError);
    expect(error).toMatchObject({ name: 'CarillonApiError', code: 'request-invalid', status: 422 });
    expect(error.issues.map(({ path }) => path)).toEqual(['window']);
    expect(error.remedy).not.toBe('');
    expect(await refusal(client.campaigns.get('nowhere'))).toMatchObject({ code: 'campaign-unknown' });
    expect(await refusal(connect({ token: 'a-wrong-token-is-sent' }).keys.list())).toMatchObject({
      code: 'unauthorized',
      status: 401,
    });
    // The refusal comes while the list is still being sent.
    expect(await refusal(client.people.add('nowhere', people(100_000)))).toMatchObject({ status: 404 });
    expect(
      await refusal(connect({ token: 'a-wrong-token-is-sent' }).people.add('x', people(100_000))),
    ).toMatchObject({
      status: 401,
    });
    const nobody = createClient({ baseUrl: 'http://127.0.0.1:9', retries: 1 });
    expect(await refusal(nobody.numbers.list())).toMatchObject({ code: 'unreachable', status: 0 });
  });

  it('asks no other operation when an id is no id, and takes no base that is no address', async () => {
    const client = connect();
    for (const id of ['', '.', '..']) await expect(client.campaigns.pause(id)).rejects.toThrow(TypeError);
    expect(await client.campaigns.create({ name: 'a b?#%2e', agent: 'a' })).toMatchObject({
      name: 'a b?#%2e',
    });
    expect(await client.campaigns.get('a b?#%2e')).toMatchObject({ name: 'a b?#%2e' });
    for (const baseUrl of ['', 'carillon', 'ftp://127.0.0.1', 'http://ann@127.0.0.1'])
      expect(() => createClient({ baseUrl })).toThrow('baseUrl');
  });

  it('limits a change to a version, and has every other operation by its name', async () => {
    const client = connect();
    const { revision } = await client.campaigns.create({ name: 'versions', agent: 'agent-1' });
    await client.campaigns.change('versions', { weight: 2 }, { ifMatch: revision });
    const late = client.campaigns.change('versions', { weight: 3 }, { ifMatch: revision });
    expect(await refusal(late)).toMatchObject({ code: 'campaign-changed', status: 412 });
    expect(await all(client.alerts.addresses())).toEqual([]);
    const audit = await client.ask('GET /api/audit', {});
    expect(audit.ok).toBe(true);
  });

  it('has the verbs that its guide names, and no others', () => {
    const rows = [...read('docs/guides/client.md').matchAll(/^\| `(\w+)` \| (`.*`) \|$/gm)];
    const told = rows.map(([, noun, verbs]) => [
      noun,
      [...verbs!.matchAll(/`(\w+)`/g)].map(([, verb]) => verb),
    ]);
    const { ask, keys, numbers, ...nouns } = connect();
    const there = Object.entries(nouns).map(([noun, verbs]) => [noun, Object.keys(verbs)]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(there));
    expect([Object.keys(numbers), Object.keys(keys)]).toEqual([
      ['list', 'rest', 'return'],
      ['list', 'get', 'resume', 'confirm'],
    ]);
    expect(ask).toBeTypeOf('function');
  });

  it('knows the type of each event by its name', () => {
    const follow = connect().events.follow;
    const pick = (signal: AbortSignal) => follow({ types: ['recipient.done'], signal });
    expectTypeOf(pick).returns.resolves.toEqualTypeOf<FollowedEvents<EventRecipientDone>>();
    const nameOf = (event: CarillonEvent) => (event.type === 'key.open' ? event.data : null);
    expectTypeOf(nameOf).returns.toExtend<{ name: string } | { deleted: true } | null>();
    // @ts-expect-error: there is no such type.
    const wrong = () => follow({ types: ['recipient.gone'] });
    // @ts-expect-error: an order has an agent.
    const order = () => connect().campaigns.create({ name: 'x' });
    expect([wrong, order].length).toBe(2);
  });
});
