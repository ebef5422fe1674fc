import { describe, expect, it } from 'vitest';
import type { NewRecipient, PeopleBatch } from '../../src/ledger/people/lines.ts';
import { settle } from '../support/clock.ts';
import { type House, once, person, persons, shareBooks, suppress, tally } from './support.ts';

const books = await shareBooks();

async function rejectsOf(house: House, campaign: string) {
  const found: { row: number; reason: string; input: Record<string, unknown> }[] = [];
  for await (const page of house.ledger.reports.rejects(campaign)) found.push(...page);
  return found.map(({ row, reason, input }) => ({ row, reason, input }));
}

describe('a list that is read again', () => {
  it('reports how many wait only when it was empty before', async () => {
    const { house, campaign } = await books.campaign();
    await suppress(house.ledger, [person(902).phone], null);
    try {
      const first = await house.add(campaign, persons(3, 901));
      expect(first).toMatchObject({ accepted: 3, new: 3, rejected: 0, waiting: 2 });
      expect(tally(await house.states(campaign))).toEqual({ waiting: 2, skipped: 1 });
      expect((await house.add(campaign, persons(4, 901))).waiting).toBeNull();
    } finally {
      await house.ledger.suppressions.remove([person(902).phone]);
    }
  });

  it('counts a phone once, adds new people and calls nobody again', async () => {
    const { house, campaign, id: first } = await books.planned({ people: 2 }, 1);
    await house.call(first);
    await house.settle(first, 'answered');

    expect(await house.add(campaign, persons(3))).toMatchObject({ accepted: 3, rejected: 0 });

    expect(await house.states(campaign)).toEqual(['done', 'waiting', 'waiting']);
    const again = await house.plan(campaign);
    const phones = await Promise.all(again.map(async (id) => (await house.attempt(id)).phone));
    expect(phones.sort()).toEqual([person(2).phone, person(3).phone]);
  });

  it('takes the new data and the new place of people who were not called yet, and leaves the others', async () => {
    const { house, campaign, id: called } = await books.planned({ people: 2 }, 1);
    await house.call(called);
    const changed = [
      person(2, { row: 2, name: 'Two', place: 'Europe/Berlin', input: { phone: 'x', plan: 'gold' } }),
      person(1, { row: 3, name: 'One', place: 'Europe/Berlin', input: { phone: 'y', plan: 'tin' } }),
    ];
    await house.add(campaign, changed, { columns: ['phone', 'name', 'plan'] });

    const { rows: lines } = await house.ledger.reports.page(campaign, { row: -1, id: -1 }, 10);
    expect(lines.map((line) => [line.row, line.name, line.input.plan])).toEqual([
      [2, 'Two', 'gold'],
      [3, 'Person 1', undefined],
    ]);
    expect(await house.ledger.campaigns.places(campaign)).toEqual(
      expect.arrayContaining(['', 'Europe/Berlin']),
    );
    expect((await house.ledger.campaigns.get(campaign)).columns).toEqual(['phone', 'name', 'plan']);
  });

  it('skips people who are no longer in it, unless called, and lets them come back', async () => {
    const { house, campaign } = await books.campaign({ people: 4 });
    const [called, planned] = await house.plan(campaign, 2);
    await house.call(called!);

    await house.add(campaign, [person(4)]);
    expect(await house.states(campaign)).toEqual(['calling', 'skipped', 'skipped', 'waiting']);
    expect((await house.attempt(planned!)).state).toBe('dropped');
    expect((await house.people(campaign))[1]!.reason).toBe('not in the file any more');
    expect(await house.faults()).toEqual([]);

    await house.add(campaign, persons(4));
    expect(await house.states(campaign)).toEqual(['calling', 'waiting', 'waiting', 'waiting']);
    expect((await house.people(campaign)).map((each) => each.reason)).toEqual([null, null, null, null]);
    expect(await house.plan(campaign)).toHaveLength(3);
  });

  it('keeps people who were tried before, even when they are no longer in it', async () => {
    const { house, campaign } = await books.campaign({ people: 1, maxAttempts: 2, retry: { busy: [0] } });
    const [attempt] = await house.plan(campaign);
    await house.call(attempt!);
    await house.settle(attempt!, 'busy', { again: 3_600 });
    await house.add(campaign, [person(2)]);
    expect(await house.states(campaign)).toEqual(['waiting', 'waiting']);
  });

  it('does not bring back people who were skipped for another reason', async () => {
    const { house, campaign } = await books.campaign({ people: 2 });
    await suppress(house.ledger, [person(1).phone], 'asked for it');
    await house.add(campaign, persons(2));
    expect(await house.states(campaign)).toEqual(['skipped', 'waiting']);
    await house.ledger.suppressions.remove([person(1).phone]);
    await house.add(campaign, persons(2));
    expect(await house.states(campaign)).toEqual(['skipped', 'waiting']);
  });

  it('shows only the rejects of the latest reading', async () => {
    const { house, campaign } = await books.campaign();
    const reject = (row: number) => ({ row, reason: 'not a phone number', input: { phone: `x${row}` } });
    expect(await house.add(campaign, persons(1), { rejected: [reject(3), reject(4)] })).toMatchObject({
      accepted: 1,
      rejected: 2,
    });
    await house.add(campaign, persons(1), { rejected: [reject(5)] });
    expect(await rejectsOf(house, campaign)).toEqual([reject(5)]);
    const standing = await house.ledger.reports.standing(campaign);
    expect(standing.rows).toBe(2);
    expect(standing.counts.rejected).toBe(1);
  });

  it('pages through thousands of rejects and keeps their order', async () => {
    const { house, campaign } = await books.campaign();
    const rejected = Array.from({ length: 11_000 }, (_, i) => ({ row: i + 2, reason: 'broken', input: {} }));
    const batches = async function* (): AsyncGenerator<PeopleBatch> {
      for (let i = 0; i < rejected.length; i += 1_000) {
        yield { accepted: [person(i + 1)], rejected: rejected.slice(i, i + 1_000) };
      }
    };
    const options = { columns: [], mode: 'whole' as const };
    const counts = await house.ledger.people.import(campaign, batches(), options);
    expect(counts).toMatchObject({ accepted: 11, rejected: 11_000, waiting: 11 });
    expect((await rejectsOf(house, campaign)).map((each) => each.row)).toEqual(
      rejected.map((each) => each.row),
    );
  });
});

describe('people who are added to a list', () => {
  it('join those who are there: nobody is skipped and old rejects stay', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(2), {
      rejected: [{ row: 4, reason: 'broken', input: { phone: 'x' } }],
    });
    await house.add(campaign, [person(3, { row: 1 })], {
      mode: 'more',
      rejected: [{ row: 2, reason: 'broken too', input: { phone: 'y' } }],
    });
    expect(await house.states(campaign)).toEqual(['waiting', 'waiting', 'waiting']);
    expect((await rejectsOf(house, campaign)).map((each) => each.row)).toEqual([4, 6]);
    expect((await house.people(campaign)).map((each) => each.row)).toEqual([2, 3, 5]);
  });

  it('are held against the suppressions, and those who are on the list keep their place and their state', async () => {
    const { house, campaign, id: called } = await books.planned({ people: 3 }, 1);
    await house.call(called);
    await suppress(house.ledger, [person(905).phone], null);
    try {
      const more = [person(2), person(904), person(1), person(905, { place: 'Europe/Berlin' })];
      expect(await house.add(campaign, more, { mode: 'more' })).toMatchObject({ accepted: 4, rejected: 0 });
    } finally {
      await house.ledger.suppressions.remove([person(905).phone]);
    }
    expect(await house.states(campaign)).toEqual(['calling', 'waiting', 'waiting', 'waiting', 'skipped']);
    expect(await house.ledger.campaigns.places(campaign)).toEqual(
      expect.arrayContaining(['', 'Europe/Berlin']),
    );
  });

  it('follow the last row without a gap, also where others of the body are on the list already', async () => {
    const { house, campaign } = await books.campaign({ people: 3 });
    await house.add(campaign, [...persons(3), person(8, { row: 5 }), person(9, { row: 7 })], {
      mode: 'more',
    });
    await house.add(campaign, [person(10, { row: 2 })], { mode: 'more' });
    expect((await house.people(campaign)).map(({ row }) => row)).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it('are not written again when they are as they were', async () => {
    const { house, campaign } = await books.campaign({ people: 3 });
    const written = () =>
      books.sql<{ xmin: string }>(
        'select phone, xmin::text from carillon.recipients where campaign_id = $1 order by id',
        [campaign],
      );
    const before = await written();
    await house.add(campaign, [person(1), person(2, { name: 'Two' }), person(3)], {
      mode: 'more',
      onKnown: 'replace',
    });
    const after = await written();
    expect(after.map((row, at) => row.xmin === before[at]!.xmin)).toEqual([true, false, true]);
  });

  it('are refused as a whole when the campaign is canceled meanwhile', async () => {
    const { house, campaign } = await books.campaign({ people: 1 });
    const input = async function* (): AsyncGenerator<PeopleBatch> {
      yield { accepted: [person(2)], rejected: [] };
      await house.ledger.campaigns.cancel(campaign);
    };
    const options = { columns: [], mode: 'more' as const };
    await expect(house.ledger.people.import(campaign, input(), options)).rejects.toThrow('was canceled');
    expect(await house.states(campaign)).toEqual(['skipped']);
  });

  it('bring their own columns, which stand behind those of the list', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(1), { columns: ['Mobile', 'Full name'] });
    await house.add(campaign, [person(2)], { mode: 'more', columns: ['phone', 'note'] });
    expect((await house.ledger.campaigns.get(campaign)).columns).toEqual([
      'Mobile',
      'Full name',
      'phone',
      'note',
    ]);
  });
});

describe('an input that breaks off', () => {
  const breaking = async function* (
    after: PeopleBatch[],
    ended: { it: boolean },
  ): AsyncGenerator<PeopleBatch> {
    try {
      yield* after;
      throw new Error('the file is broken');
    } finally {
      ended.it = true;
    }
  };

  it('leaves nothing behind, and the campaign as it was', async () => {
    const { house, campaign } = await books.campaign();
    await house.add(campaign, persons(2), { rejected: [{ row: 9, reason: 'broken', input: {} }] });
    const ended = { it: false };
    const batch = { accepted: persons(50, 3), rejected: [{ row: 99, reason: 'new', input: {} }] };
    const options = { columns: ['other'], mode: 'whole' as const };
    await expect(house.ledger.people.import(campaign, breaking([batch], ended), options)).rejects.toThrow(
      'the file is broken',
    );
    expect(ended.it).toBe(true);
    expect(await house.states(campaign)).toEqual(['waiting', 'waiting']);
    expect((await rejectsOf(house, campaign)).map((each) => each.row)).toEqual([9]);
    expect((await house.ledger.campaigns.get(campaign)).columns).toEqual(['phone', 'name']);
    // The connection works as before.
    await house.add(campaign, persons(3));
    expect(await house.states(campaign)).toHaveLength(3);
  });

  it('is released when the ledger refuses one of its rows', async () => {
    const { house, campaign } = await books.campaign();
    const ended = { it: false };
    // It would continue for ever: only its release ends it.
    const input = async function* (): AsyncGenerator<PeopleBatch> {
      try {
        yield { accepted: [{ ...person(1), row: 'seven' as unknown as number }], rejected: [] };
        for (let i = 10; ; i += 100) {
          yield { accepted: persons(100, i), rejected: [] };
          await settle();
        }
      } finally {
        ended.it = true;
      }
    };
    const options = { columns: [], mode: 'whole' as const };
    await expect(house.ledger.people.import(campaign, input(), options)).rejects.toThrow(/seven/);
    expect(ended.it).toBe(true);
    expect(await house.states(campaign)).toEqual([]);
  });
});

describe('a cell', () => {
  it.each([
    ['a tab', 'a\tb', 'a\tb'],
    ['a newline', 'a\nb\r\nc\r', 'a\nb\r\nc\r'],
    ['a backslash', 'C:\\temp\\new\\', 'C:\\temp\\new\\'],
    ['the end of a COPY', '\\.', '\\.'],
    ['what COPY reads as null', '\\N', '\\N'],
    ['a NUL, which is left out', 'a\0b', 'ab'],
    ['what only looks like a NUL', 'a\\u0000b', 'a\\u0000b'],
    ['what looks like half a character', '\\ud83d', '\\ud83d'],
    ['half a character, which is replaced', 'a\ud83db', 'a\ufffdb'],
    ['whole characters of all kinds', '👋 é 漢 "quoted" \u0001', '👋 é 漢 "quoted" \u0001'],
    ['nothing', '', ''],
  ])('with %s comes out as it went in', async (_what, cell, kept) => {
    const { house, campaign } = await books.campaign();
    const row: NewRecipient = person(1, { name: cell, input: { phone: 'x', note: cell, [`k${cell}`]: 'v' } });
    await house.add(campaign, [row], { rejected: [{ row: 3, reason: `why: ${cell}`, input: { cell } }] });
    const [line] = (await house.ledger.reports.results(campaign).next()).value!;
    expect(line!.name).toBe(kept);
    expect(line!.input).toEqual({ phone: 'x', note: kept, [`k${kept}`]: 'v' });
    expect(await rejectsOf(house, campaign)).toEqual([
      { row: 3, reason: `why: ${kept}`, input: { cell: kept } },
    ]);
  });
});

it('two readings of one list at once leave each person once', async () => {
  const { house, campaign } = await books.campaign();
  await Promise.all([house.add(campaign, persons(200)), house.add(campaign, persons(200), { mode: 'more' })]);
  expect(await house.people(campaign)).toHaveLength(200);
});

it('a campaign that never had any recipients leaves no trace when it is forgotten', async () => {
  const { house, campaign } = await books.campaign();
  await house.ledger.people.import(
    campaign,
    once({ accepted: [], rejected: [{ row: 2, reason: 'x', input: {} }] }),
    {
      columns: [],

      mode: 'whole',
    },
  );
  await house.ledger.campaigns.forget(campaign);
  expect(await house.ledger.campaigns.find(campaign)).toBeNull();
  const kept = await house.campaign({ people: 1 });
  await house.ledger.campaigns.forget(kept);
  expect(await house.states(kept)).toEqual(['waiting']);
});

describe('the variables that go to the service', () => {
  const given = { phone: 'x', plan: 'gold', note: '' };
  it.each([
    ['not kept twice where the input holds it', given, { plan: 'gold', note: '' }, ['phone']],
    ['kept where it differs from the input', { ...given, plan: ' gold' }, { plan: 'gold', note: '' }, null],
    ['kept where it has another name', { phone: 'x', 'variables.name': 1 }, { name: 1 }, null],
    ['nothing', { phone: 'x' }, {}, null],
    [
      'a value of any type',
      { phone: 'x', vip: true, at: { a: [1] } },
      { vip: true, at: { a: [1] } },
      ['phone'],
    ],
  ])('is %s', async (_how, input, variables, kept) => {
    const { house, campaign } = await books.campaign();
    for (const round of ['first', 'again']) {
      await house.add(campaign, [person(1, { name: round, input, variables })], { mode: 'more' });
      const [row] = await books.sql(
        'select input, variables from carillon.recipients where campaign_id = $1',
        [campaign],
      );
      expect(row).toEqual({ input, variables: kept ?? variables });
    }
    const [id] = await house.plan(campaign);
    expect((await house.ledger.attempts.load(id!))!.variables).toEqual(variables);
  });
});
