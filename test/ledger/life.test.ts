import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readOrder } from '../../src/control/order/order.ts';
import { tookCall, whys } from '../../src/control/unknowns/show.ts';
import { takeRunLock } from '../../src/run/prepare.ts';
import { until } from '../support/until.ts';
import { type House, person, persons, shareBooks, suppress } from './support.ts';

const books = await shareBooks();

const events = async (recipient: number) =>
  (await books.ledger.calls.history(recipient, 100)).map(({ kind, detail }) => ({ kind, detail }));

describe('a call id', () => {
  it('is the one that the ledger says it took, when two come at the same moment', async () => {
    const { house, id } = await books.planned();
    await house.admit(id);
    const calls = Array.from({ length: 6 }, () => randomUUID());
    const taken = await Promise.all(calls.map((call) => house.place(id, call)));
    expect(taken.filter((each) => each)).toHaveLength(1);
    expect((await house.attempt(id)).callId).toBe(calls[taken.indexOf(true)]);
  });

  it('is not a late call when the attempt already has it', async () => {
    const { house, campaign, id } = await books.planned();
    const call = await house.call(id);
    await house.ledger.attempts.late(id, call);
    const [who] = await house.people(campaign);
    expect((await events(who!.id)).map((event) => event.kind)).toEqual(['planned', 'dialing', 'placed']);
  });
});

describe('a refusal', () => {
  it('of the order three times in a row pauses the campaign, and the people wait', async () => {
    const { house, campaign, ids } = await books.planned({ people: 4 }, 3);
    const answers = [];
    for (const id of ids) {
      await house.admit(id);
      answers.push(await house.ledger.attempts.refuseOrder(id, 'no such agent', 3));
    }
    expect(answers.map((each) => [each!.faults, each!.state])).toEqual([
      [1, 'running'],
      [2, 'running'],
      [3, 'paused'],
    ]);
    expect(await house.states(campaign)).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
    expect((await house.ledger.campaigns.get(campaign)).reason).toBe('no such agent');
    // People who were not tried yet come first.
    await house.ledger.campaigns.resume(campaign);
    const [next] = await house.plan(campaign, 1);
    expect((await house.attempt(next!)).row).toBe(5);
  });

  it('is forgotten when a create is accepted in between', async () => {
    const { house, ids } = await books.planned({ people: 6 });
    const faults = [];
    for (const [i, id] of ids.entries()) {
      await house.admit(id);
      if (i === 2) await house.place(id);
      else faults.push((await house.ledger.attempts.refuseOrder(id, 'no', 3))!.faults);
    }
    expect(faults).toEqual([1, 2, 1, 2, 3]);
  });

  it('of a single call ends only that call, and pauses nothing', async () => {
    const { house, campaign } = await books.campaign({ kind: 'calls' });
    const laneId = await house.lane();
    for (let i = 0; i < 4; i++) {
      const planned = await house.single(campaign, laneId, person(1).phone);
      await house.admit(planned);
      expect(await house.ledger.attempts.refuseOrder(planned, 'no such agent', 3)).toBeNull();
    }
    expect(await house.states(campaign)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    expect((await house.ledger.campaigns.get(campaign)).state).toBe('running');
  });
});

describe('the end of a call', () => {
  it('keeps the result', async () => {
    const { house, campaign, id } = await books.planned();
    const callId = await house.call(id);
    const structured_data = { 'k\0': 'v\0', half: '\ud83d', list: [1, null, '\\u0000'] };
    await house.ledger.attempts.asked({
      id: id,
      at: null,
      status: 'ringing',
      nextPollAt: new Date().toISOString(),
    });
    expect(
      await house.settle(id, 'answered', { transcript: 'a\0b \udc00', structured_data, cost: 0.5 }),
    ).toBe(true);
    const [line] = (await house.ledger.reports.results(campaign).next()).value!;
    expect(line).toMatchObject({
      state: 'done',
      outcome: 'answered',
      callId,
      duration: 12,
      cost: 0.5,
      transcript: 'ab \ufffd',
      structured_data: { k: 'v', half: '\ufffd', list: [1, null, '\\u0000'] },
    });
    const standing = await house.ledger.reports.standing(campaign);
    expect(standing).toMatchObject({
      attempts: 1,
      polls: 2,
      requests: 3,
      cost: 0.5,
      outcomes: { answered: 1 },
    });
    expect(await house.settle(id, 'busy')).toBe(false);
  });

  it('with a retry rule lets the person wait until then', async () => {
    const { house, campaign, id } = await books.planned({
      people: 1,
      maxAttempts: 2,
      retry: { busy: [600] },
    });
    await house.call(id);
    await house.settle(id, 'busy', { again: 600 });
    const [who] = await house.people(campaign);
    expect(who).toMatchObject({ state: 'waiting', outcome: 'busy', attempts: 1 });
    const waits = (who!.nextAt!.getTime() - Date.now()) / 1_000;
    expect(waits).toBeGreaterThan(590);
    expect(waits).toBeLessThanOrEqual(601);
    expect(await house.ledger.campaigns.nextDue(campaign)).toEqual(who!.nextAt);
  });

  it.each<[string, (house: House, campaign: string) => Promise<unknown>]>([
    ['the campaign was canceled', ({ ledger }, campaign) => ledger.campaigns.cancel(campaign)],
    [
      'the phone was suppressed',
      async (house, campaign) => suppress(house.ledger, [(await house.people(campaign))[0]!.phone]),
    ],
  ])('is the last, whatever the retry rule says, when %s meanwhile', async (_, happen) => {
    const { house, campaign, id } = await books.planned({ maxAttempts: 2, retry: { busy: [600] } });
    await house.call(id);
    await happen(house, campaign);
    await house.settle(id, 'busy', { again: 600 });
    const [who] = await house.people(campaign);
    expect(who).toMatchObject({ state: 'done', outcome: 'busy' });
    await house.ledger.suppressions.remove([who!.phone]);
  });

  it('does not hold up others in its batch when it cannot be written', async () => {
    const { house, campaign, ids } = await books.planned({ people: 12 });
    for (const id of ids) await house.call(id);
    const ends = await Promise.allSettled(
      ids.map((id, i) => house.settle(id, i === 4 ? 'vanished' : 'answered')),
    );
    expect(ends.map((end) => end.status)).toEqual(ids.map((_, i) => (i === 4 ? 'rejected' : 'fulfilled')));
    const states = await house.states(campaign);
    expect(states.filter((state) => state === 'done')).toHaveLength(11);
    expect(states.filter((state) => state === 'calling')).toHaveLength(1);
  });
});

describe('an unknown attempt', () => {
  it('may be a call that never ends', async () => {
    const { house, campaign, id } = await books.planned();
    const callId = await house.call(id);
    expect(await house.ledger.attempts.stale(id, 'too long')).toBe(true);
    expect((await house.ledger.unknowns.list(campaign))[0]).toMatchObject({ reason: 'stale', callId });
    const { counts, unknownPlaced } = await house.ledger.reports.standing(campaign);
    expect([counts.unknown, unknownPlaced]).toEqual([1, 1]);
    // The service has the call: nobody can say that there was none.
    expect(await house.free(id)).toBe(false);
    // It still settles if it ends after all.
    expect(await house.settle(id, 'answered')).toBe(true);
    expect((await house.people(campaign))[0]).toMatchObject({ state: 'done', attempts: 1 });
  });

  it('was placed for SQL where it was for the answers', async () => {
    for (const reason of Object.keys(whys) as (keyof typeof whys)[]) {
      for (const callId of [null, 'call-1']) {
        const [row] = await books.sql('select carillon.took_call($1, $2) as placed', [callId, reason]);
        expect(row, `${reason} ${callId}`).toEqual({ placed: tookCall({ callId, reason }) });
      }
    }
  });

  it('is settled by a person who names the call, unless it is another attempt’s', async () => {
    const { house, campaign } = await books.campaign({ people: 2 });
    const [taken, lost] = await house.plan(campaign);
    const callId = await house.call(taken!);
    await house.admit(lost!);
    await house.ledger.attempts.lose({ id: lost!, reason: 'lost', detail: 'reset' });
    expect(await house.ledger.unknowns.place(lost!, callId, 60)).toBeNull();
    expect((await house.attempt(lost!)).state).toBe('unknown');
    // Another service has its own ids.
    const abroad = books.house();
    const theirs = await abroad.campaign();
    await abroad.add(theirs, [person(9)]);
    const [far] = await abroad.plan(theirs);
    await abroad.admit(far!);
    await abroad.ledger.attempts.lose({ id: far!, reason: 'lost', detail: 'reset' });
    expect(await abroad.ledger.unknowns.place(far!, callId, 60)).toMatchObject({ id: far });
    expect(await house.ledger.unknowns.place(lost!, 'call-of-its-own', 60)).toMatchObject({ id: lost });
    expect(await house.attempt(lost!)).toMatchObject({ state: 'placed', callId: 'call-of-its-own' });
  });
});

describe('a campaign', () => {
  it('gives its plans back when its run ends', async () => {
    const { house, campaign, id: called } = await books.planned({ people: 3 }, 2);
    await house.call(called);
    expect(await house.ledger.attempts.release(campaign, 'the run ended')).toBe(1);
    expect(await house.states(campaign)).toEqual(['calling', 'waiting', 'waiting']);
  });

  it('calls nobody else after a cancel', async () => {
    const { house, campaign } = await books.campaign({ people: 3 });
    const [called, planned] = await house.plan(campaign, 2);
    await house.call(called!);
    await house.ledger.campaigns.cancel(campaign);
    expect(await house.states(campaign)).toEqual(['calling', 'skipped', 'skipped']);
    expect((await house.attempt(planned!)).state).toBe('dropped');
    expect(await house.ledger.campaigns.resume(campaign)).toBeNull();
    expect(await house.ledger.campaigns.take(campaign, randomUUID())).toBe(false);
  });

  it('keeps everything but its name when it is started over', async () => {
    const { house, campaign } = await books.campaign({ people: 3 });
    const { name } = await house.ledger.campaigns.get(campaign);
    const [called] = await house.plan(campaign, 2);
    await house.call(called!);
    await house.ledger.campaigns.supersede(campaign);
    expect(await house.ledger.campaigns.find(name)).toBeNull();
    expect(await house.states(campaign)).toEqual(['calling', 'skipped', 'skipped']);
    await house.settle(called!, 'answered');
    expect(await house.states(campaign)).toEqual(['done', 'skipped', 'skipped']);
    expect(await house.plan(campaign)).toEqual([]);
  });

  it('in the background is done when nobody is left, and rests when people are added', async () => {
    const { house, campaign } = await books.campaign({ people: 1 });
    const waiting = await house.campaign();
    await house.add(waiting, persons(1, 9));
    const [id] = await house.plan(campaign);
    await house.call(id!);
    expect(await house.ledger.campaigns.finish(house.baseUrl)).toEqual([]);
    await house.settle(id!);
    expect((await house.ledger.campaigns.finish(house.baseUrl)).map((each) => each.id)).toEqual([campaign]);
    await house.ledger.campaigns.wakeGrown(campaign);
    expect((await house.ledger.campaigns.get(campaign)).state).toBe('done');
    await house.add(campaign, persons(2), { mode: 'more' });
    await house.ledger.campaigns.wakeGrown(campaign);
    expect((await house.ledger.campaigns.get(campaign)).state).toBe('paused');
  });

  it('tells since when it is in its state, whatever of it changes meanwhile', async () => {
    const { house, campaign } = await books.campaign({ people: 1 });
    const since = async () => {
      const { state, since: at } = await house.ledger.campaigns.get(campaign);
      return { state, at: at.getTime() };
    };
    const began = await since();
    const [id] = await house.plan(campaign);
    await house.call(id!);
    await house.settle(id!);
    expect(await since()).toEqual(began);
    await house.ledger.campaigns.finish(house.baseUrl);
    const ended = await since();
    expect(ended.state).toBe('done');
    expect(ended.at).toBeGreaterThan(began.at);
    const order = await house.ledger.campaigns.get(campaign);
    await house.ledger.campaigns.change(campaign, { ...order, weight: 2 });
    expect(await since()).toEqual(ended);
  });

  it('is done when its last calls end after a person paused it, and not when it paused by itself', async () => {
    const house = books.house();
    const [byHand, byItself, untouched] = [
      await house.campaign({ people: 1 }),
      await house.campaign({ people: 1 }),
      await house.campaign({ people: 1 }),
    ];
    const calls = [];
    for (const campaign of [byHand, byItself]) {
      const [id] = await house.plan(campaign);
      await house.call(id!);
      calls.push(id!);
    }
    await house.ledger.campaigns.pause([byHand], 'paused by hand');
    await house.ledger.campaigns.pause([byItself], 'stop-at: 60 % of the last 5 calls failed');
    await house.ledger.campaigns.pause([untouched], 'paused by hand');
    expect(await house.ledger.campaigns.finish(house.baseUrl)).toEqual([]);
    for (const id of calls) await house.settle(id);
    expect((await house.ledger.campaigns.finish(house.baseUrl)).map((each) => each.id)).toEqual([byHand]);
  });

  it('belongs to the run that took it last', async () => {
    const house = books.house();
    const { campaigns } = house.ledger;
    const campaign = await house.campaign({ people: 1, driver: 'run', state: 'draft' });
    const [first, second] = [randomUUID(), randomUUID()];
    await campaigns.take(campaign, first);
    expect(await campaigns.seen(campaign, first)).toEqual({ callsLeft: null });
    // Its process has its lock as long as it lives.
    expect((await campaigns.get(campaign)).runLives).toBe(false);
    const lock = await takeRunLock(house.ledger, campaign, 'people');
    expect((await campaigns.get(campaign)).runLives).toBe(true);
    await lock.release();
    await campaigns.take(campaign, second, 3);
    expect(await campaigns.seen(campaign, second)).toEqual({ callsLeft: 3 });
    expect(await campaigns.seen(campaign, first)).toBeNull();
    await campaigns.rest(campaign, first, 'done', null);
    expect((await campaigns.get(campaign)).state).toBe('running');
    await campaigns.rest(campaign, second, 'paused', 'interrupted');
    expect(await campaigns.get(campaign)).toMatchObject({
      state: 'paused',
      reason: 'interrupted',
      runId: null,
    });
    // Resumed from elsewhere it belongs to the background workers.
    expect(await campaigns.resume(campaign)).toBe('background');
  });

  it('is made once when many processes use one name', async () => {
    const house = books.house();
    const name = `only one ${house.baseUrl}`;
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        house.ledger.campaigns.create({
          order: readOrder({ agent: 'a' }),
          name,
          baseUrl: house.baseUrl,
          state: 'draft',
          driver: 'run',
        }),
      ),
    );
    expect(made.filter((id) => id !== null)).toHaveLength(1);
  });
});

describe('the history', () => {
  it('shows every move of an attempt in order, and is append-only', async () => {
    const { house, campaign, id } = await books.planned();
    const lane = await house.lane();
    await house.admit(id);
    await house.ledger.attempts.withhold({ id, sent: true, detail: 'too many requests' });
    await house.admit(id);
    await house.ledger.attempts.park(id, lane, 'no credit');
    await house.ledger.lanes.open(lane);
    await house.admit(id);
    await house.ledger.attempts.lose({ id, reason: 'lost', detail: 'reset' });
    await house.place(id, 'call-1');
    await house.ledger.attempts.stale(id, 'too long');
    await house.settle(id, 'voicemail');
    const [who] = await house.people(campaign);
    expect(await events(who!.id)).toEqual([
      { kind: 'planned', detail: null },
      { kind: 'dialing', detail: null },
      { kind: 'planned', detail: 'too many requests' },
      { kind: 'dialing', detail: null },
      { kind: 'parked', detail: 'no credit' },
      { kind: 'planned', detail: null },
      { kind: 'dialing', detail: 'dialer-1' },
      { kind: 'unknown', detail: 'reset' },
      { kind: 'placed', detail: null },
      { kind: 'unknown', detail: 'too long' },
      { kind: 'done', detail: 'voicemail' },
    ]);
    const told = await house.ledger.calls.history(who!.id, 3);
    expect(told.map((event) => event.kind)).toEqual(['placed', 'unknown', 'done']);
    for (const change of [
      'delete from carillon.history',
      `update carillon.history set kind = 'x'`,
      'truncate carillon.history',
    ]) {
      await expect(books.sql(change)).rejects.toThrow('append-only');
    }
  });

  it('cannot hold a second live attempt of one person', async () => {
    const { house, campaign, id } = await books.planned();
    const second = `insert into carillon.attempts (campaign_id, recipient_id, lane_id, phone, number)
      select campaign_id, id, $2, phone, 2 from carillon.recipients where campaign_id = $1`;
    const lane = await house.lane();
    await expect(books.sql(second, [campaign, lane])).rejects.toThrow('attempts_recipient_id_key');
    await house.ledger.attempts.skip(id, 'gone');
    await books.sql(second, [campaign, lane]);
    await books.sql('delete from carillon.attempts where campaign_id = $1', [campaign]);
  });
});

describe('results', () => {
  it('come page by page in the order of the list, each person once', async () => {
    const { house, campaign } = await books.campaign();
    const rows = persons(2_300).map((each, i) => ({ ...each, row: ((i * 7_919) % 2_300) + 2 }));
    await house.add(campaign, rows);
    const seen: number[] = [];
    for await (const page of house.ledger.reports.results(campaign)) {
      expect(page.length).toBeLessThanOrEqual(1_000);
      seen.push(...page.map((line) => line.row));
    }
    expect(seen).toEqual(Array.from({ length: 2_300 }, (_, i) => i + 2));
    const page = await house.ledger.reports.page(campaign, { row: 100, id: 0 }, 2);
    expect(page.rows.map((line) => line.row)).toEqual([100, 101]);
  });

  it('show the attempt with a result: one that was taken back before a call is not shown', async () => {
    const { house, campaign } = await books.campaign({ people: 1, maxAttempts: 3, retry: { busy: [0] } });
    const [first] = await house.plan(campaign);
    const callId = await house.call(first!);
    await house.settle(first!, 'busy', { again: 0 });
    const [second] = await house.plan(campaign);
    await house.ledger.attempts.release(campaign, 'the run ended');
    expect((await house.attempt(second!)).state).toBe('dropped');
    const [line] = (await house.ledger.reports.results(campaign).next()).value!;
    expect(line).toMatchObject({ callId, outcome: 'busy', state: 'waiting', attempts: 1 });
  });
});

it('jobs should exist for planned attempts, and for calls whose poll is overdue', async () => {
  const { house, campaign } = await books.campaign({ people: 4 });
  const [placed, overdue, planned] = await house.plan(campaign, 3);
  await house.call(placed!);
  await house.call(overdue!);
  await books.sql(`update carillon.attempts set next_poll_at = now() - interval '1 minute' where id = $1`, [
    overdue,
  ]);
  const { attempts } = house.ledger;
  const found = async (campaignId: string | null, seconds: number) =>
    (await attempts.adrift(house.baseUrl, campaignId, seconds)).map((each) => each.id).sort();
  expect(await found(null, 20)).toEqual([overdue, planned].sort());
  expect(await found(null, -86_400)).toEqual([placed, overdue, planned].sort());
  await house.ledger.campaigns.pause([campaign], 'a person');
  expect(await found(null, 20)).toEqual([overdue]);
  // A run follows its own calls; the background follows those whose run is gone.
  await house.ledger.campaigns.resume(campaign);
  await house.ledger.campaigns.take(campaign, randomUUID());
  expect(await found(null, 20)).toEqual([]);
  expect(await found(campaign, 20)).toEqual([overdue, planned].sort());
  await books.sql(`update carillon.campaigns set run_seen_at = now() - interval '1 minute' where id = $1`, [
    campaign,
  ]);
  await until(
    () => found(null, 20),
    (ids) => ids.join() === overdue,
  );
});
