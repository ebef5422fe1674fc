import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { openSpool } from '../../src/dispatch/disk/spool.ts';
import { createQueues } from '../../src/queues/queues.ts';
import { inSeconds, person } from '../ledger/support.ts';
import { log, type Stage, shareHall } from './support.ts';

const spoolOf = (home: string, dialer: string) => openSpool({ home, dialer, clock: systemClock, log });

const hall = await shareHall();

/** Moves an attempt's dialling back, as if its dialer had died that long ago. */
const dialledAgo = (id: string, seconds: number) =>
  hall.books.sql(
    `update carillon.attempts set expires_at = expires_at - make_interval(secs => $2) where id = $1`,
    [id, seconds],
  );

const entry = (id: string, callId: string) => ({
  id,
  callId,
  status: 'queued',
  nextPollAt: inSeconds(3),
  deadlineAt: inSeconds(3_600),
});

const kinds = async (id: string) => {
  const { recipientId } = (await hall.books.ledger.reports.attempt(id))!;
  return (await hall.books.ledger.calls.history(recipientId, 100)).map((event) => event.kind);
};

describe('the reconciler', () => {
  it('makes the jobs that the queue has lost', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 3 });
      const [placed, ...planned] = await stage.plan(campaign);
      await stage.call(placed!);
      expect(await stage.jobs('dial')).toEqual([]);
      await stage.stations.reconcile.start();
      expect(await stage.jobs('dial')).toEqual([...planned].sort());
      expect(await stage.jobs('track')).toEqual([placed]);
      // Existing jobs are not doubled.
      await stage.stations.reconcile.start();
      expect(await stage.jobs('dial')).toHaveLength(2);
      expect(await stage.jobs('track')).toHaveLength(1);
    }));

  it('after its start takes up only calls whose poll is overdue', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 2 });
      const [late, due] = await stage.plan(campaign);
      await stage.call(late!);
      await stage.call(due!);
      await hall.books.sql(
        `update carillon.attempts set next_poll_at = now() - interval '1 minute' where id = $1`,
        [late],
      );
      await stage.stations.reconcile.round();
      expect(await stage.jobs('track')).toEqual([late]);
    }));

  it('asks at once for a call whose job was put off by a process with a wrong clock', () =>
    hall.with({}, async (stage) => {
      const [late] = await stage.plan(await stage.campaign({ people: 1 }));
      await stage.call(late!);
      await hall.books.sql(
        `update carillon.attempts set next_poll_at = now() - interval '1 minute' where id = $1`,
        [late],
      );
      const queue = stage.stations.queues.queue(stage.lane.bucket, 'track');
      await stage.stations.queues.addLater(stage.lane.bucket, 'track', late!, 3_600_000);
      expect(await queue.getDelayedCount()).toBe(1);
      await stage.stations.reconcile.round();
      expect([await queue.getDelayedCount(), await queue.getWaitingCount()]).toEqual([0, 1]);
    }));

  it('leaves the plans of a resting campaign without jobs until it continues', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 2 });
      await stage.plan(campaign);
      await stage.ledger.campaigns.pause([campaign], 'x');
      await stage.stations.reconcile.round();
      expect(await stage.jobs('dial')).toEqual([]);
      await stage.ledger.campaigns.resume(campaign);
      await stage.stations.reconcile.round();
      expect(await stage.jobs('dial')).toHaveLength(2);
    }));

  it('skips people who can never be called after a change of the order', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 0 });
      await stage.add(campaign, [
        person(1, { place: 'America/New_York' }),
        person(2, { place: '' }),
        person(3, { place: 'Asia/Kamchatka,Europe/Kaliningrad' }),
      ]);
      await stage.stations.reconcile.round();
      expect(await stage.states(campaign)).toEqual(['waiting', 'waiting', 'waiting']);
      const order = await stage.ledger.campaigns.get(campaign);
      const times = { hours: [{ from: 9 * 60, to: 15 * 60, days: [1, 2, 3, 4, 5] }] };
      await stage.ledger.campaigns.change(campaign, { ...order, times });
      await stage.stations.reconcile.round();
      const people = await stage.people(campaign);
      expect(people.map((each) => each.state)).toEqual(['waiting', 'skipped', 'skipped']);
      expect(people[1]!.reason).toMatch(/^can never be called: its number belongs to no place/);
      expect(people[2]!.reason).toMatch(/^can never be called: .* all 2 time zones/);
    }));

  it('marks what a dialer left behind as unknown, but not before the request can have ended', () =>
    hall.with({ requestTimeoutMs: 1 }, async (stage) => {
      const campaign = await stage.campaign({ people: 3 });
      const [dead, alive, patient] = await stage.plan(campaign);
      await stage.admit(dead!, { timeoutMs: 30_000 });
      await stage.admit(alive!, { timeoutMs: 60_000 });
      await stage.admit(patient!, { timeoutMs: 600_000 });
      await dialledAgo(dead!, 46);
      await dialledAgo(alive!, 46);
      await dialledAgo(patient!, 600);
      await stage.stations.reconcile.round();
      expect((await stage.attempt(dead!)).state).toBe('unknown');
      expect((await stage.attempt(alive!)).state).toBe('dialing');
      expect((await stage.attempt(patient!)).state).toBe('dialing');
      expect(await stage.jobs('dial')).toEqual([]);
    }));

  it('reports kept call ids to the ledger before it marks anything as unknown', () =>
    hall.with({ requestTimeoutMs: 0 }, async (stage) => {
      const campaign = await stage.campaign({ people: 1 });
      const [id] = await stage.plan(campaign);
      await stage.admit(id!);
      await dialledAgo(id!, 300);
      spoolOf(stage.home, 'a-dialer-that-died').keep(entry(id!, 'call-kept'));
      await stage.stations.reconcile.start();
      expect(await stage.attempt(id!)).toMatchObject({ state: 'placed', callId: 'call-kept' });
      expect(await kinds(id!)).toEqual(['planned', 'dialing', 'placed']);
      expect(await stage.jobs('track')).toEqual([id]);
    }));

  it('records a kept call id whose attempt was freed in the meantime', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 1 });
      const [id] = await stage.plan(campaign);
      await stage.admit(id!);
      await stage.ledger.attempts.lose({ id: id!, reason: 'lost', detail: 'x' });
      await stage.free(id!);
      const spool = spoolOf(stage.home, 'dialer-1');
      spool.keep(entry(id!, 'call-kept'));
      await stage.stations.reconcile.round();
      spool.keep(entry(id!, 'call-kept'));
      await stage.stations.reconcile.round();
      expect(await kinds(id!)).toEqual(['planned', 'dialing', 'unknown', 'dropped', 'resolved', 'late-call']);
    }));

  it('continues with the rest when the ledger refuses a kept call id, and keeps it', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 2 });
      const [planned, dialled] = await stage.plan(campaign);
      await stage.admit(dialled!);
      const spool = spoolOf(stage.home, 'dialer-1');
      spool.keep(entry('no uuid at all', 'call-1'));
      spool.keep(entry(dialled!, 'call-2'));
      await stage.stations.reconcile.round();
      expect(await stage.attempt(dialled!)).toMatchObject({ state: 'placed', callId: 'call-2' });
      expect(await stage.jobs('dial')).toEqual([planned]);
      expect(readdirSync(join(stage.home, 'spool'))).toHaveLength(1);
    }));

  it('moves plans that crossed with the closing of their key', () =>
    hall.with({ keys: ['a', 'b'] }, async (stage) => {
      const [a, b] = stage.lanes;
      const campaign = await stage.campaign({ people: 2 });
      await stage.planOn(a!.id, campaign, 2);
      await stage.ledger.lanes.deny(a!.id, 'revoked');
      a!.state = 'denied';
      await stage.stations.reconcile.round();
      expect(await stage.jobs('dial', b)).toHaveLength(2);
      expect(await stage.jobs('dial', a)).toEqual([]);
    }));

  it('plans parked attempts again when their key already has credit', () =>
    hall.with({}, async (stage) => {
      const { campaign, id } = await stage.onePlanned();
      await stage.admit(id);
      await stage.ledger.attempts.park(id, stage.lane.id, 'no credit');
      await hall.books.sql(`update carillon.lanes set state = 'open', probe_at = null where id = $1`, [
        stage.lane.id,
      ]);
      await stage.stations.reconcile.round();
      expect(await stage.states(campaign)).toEqual(['queued']);
      expect(await stage.jobs('dial')).toEqual([id]);
    }));

  it('of a run takes back plans for a key that is no longer set', () =>
    hall.with({}, async (stage) => {
      const campaign = await stage.campaign({ people: 3, driver: 'run', state: 'draft' });
      await stage.runs(campaign);
      await stage.plan(campaign, 1, null, 'a key of yesterday');
      await stage.plan(campaign, 1);
      expect(await stage.states(campaign)).toEqual(['queued', 'queued', 'waiting']);
      await stage.stations.reconcile.start();
      expect(await stage.states(campaign)).toEqual(['waiting', 'queued', 'waiting']);
      expect(await stage.jobs('dial')).toHaveLength(1);
    }));

  it('of the background clears the queues of a killed run, and no others', () =>
    hall.with({}, async (stage) => {
      const [left, alive] = [
        await stage.campaign({ people: 1, driver: 'run', state: 'draft' }),
        await stage.campaign({ people: 1, driver: 'run', state: 'draft' }),
      ];
      const jobs = async (campaign: string) => {
        const queues = createQueues(hall.engine, campaign);
        const counts = await queues.queue(stage.lane.bucket, 'dial').getJobCounts('waiting', 'delayed');
        await queues.close();
        return counts.waiting! + counts.delayed!;
      };
      for (const campaign of [left, alive]) {
        await stage.ledger.campaigns.take(campaign, randomUUID());
        const queues = createQueues(hall.engine, campaign);
        await queues.addLater(stage.lane.bucket, 'dial', randomUUID(), 60_000);
        await queues.close();
      }
      await stage.stations.reconcile.round();
      expect([await jobs(left), await jobs(alive)]).toEqual([1, 1]);
      await hall.books.sql(
        `update carillon.campaigns set run_seen_at = now() - interval '2 minutes' where id = any($1)`,
        [[left, alive]],
      );
      // One was given to the background; the other may be started again by its run.
      await stage.ledger.campaigns.resume(left);
      await stage.stations.reconcile.round();
      expect([await jobs(left), await jobs(alive)]).toEqual([0, 1]);
    }));

  it('of the background ends campaigns with nobody left', () =>
    hall.with({}, async (stage) => {
      const { campaign, id } = await stage.onePlanned();
      await stage.call(id);
      await stage.settle(id);
      await stage.stations.reconcile.round();
      expect((await stage.ledger.campaigns.get(campaign)).state).toBe('done');
    }));
});

describe('the spool', () => {
  const told = async (stage: Stage, refuse: string[] = []) => {
    const seen: string[] = [];
    const count = await spoolOf(stage.home, 'reader')
      .replay(async (item) => {
        if (refuse.includes(item.callId)) throw new Error('not now');
        seen.push(item.callId);
      })
      .catch((error: Error) => error.message);
    return { seen: seen.sort(), count };
  };

  it('reports the call ids that every process kept, and forgets accepted ones', () =>
    hall.with({}, async (stage) => {
      expect(await told(stage)).toEqual({ seen: [], count: 0 });
      spoolOf(stage.home, 'one').keep(entry('a', 'call-1'));
      spoolOf(stage.home, 'one').keep(entry('a', 'call-2'));
      spoolOf(stage.home, 'two').keep(entry('a', 'call-3'));
      expect(await told(stage)).toEqual({ seen: ['call-1', 'call-2', 'call-3'], count: 3 });
      expect(await told(stage)).toEqual({ seen: [], count: 0 });
      expect(readdirSync(join(stage.home, 'spool'))).toEqual([]);
    }));

  it('keeps what could not be reported, and still reports the others', () =>
    hall.with({}, async (stage) => {
      spoolOf(stage.home, 'one').keep(entry('a', 'call-1'));
      spoolOf(stage.home, 'one').keep(entry('a', 'call-2'));
      spoolOf(stage.home, 'two').keep(entry('a', 'call-3'));
      expect(await told(stage, ['call-1'])).toEqual({ seen: ['call-2', 'call-3'], count: 'not now' });
      expect(await told(stage)).toEqual({ seen: ['call-1'], count: 1 });
    }));

  it('sets aside what it cannot read, and leaves drafts and files of others', () =>
    hall.with({}, async (stage) => {
      const folder = join(stage.home, 'spool');
      spoolOf(stage.home, 'one').keep(entry('a', 'call-1'));
      const [kept] = readdirSync(folder);
      const whole = readFileSync(join(folder, kept!), 'utf8');
      writeFileSync(join(folder, 'x.json'), whole.slice(0, 40));
      for (const name of ['notes.txt', 'two.part']) writeFileSync(join(folder, name), whole);
      expect(await told(stage)).toMatchObject({
        seen: ['call-1'],
        count: expect.stringContaining('cannot be read; it was kept as'),
      });
      expect(readdirSync(folder).sort()).toEqual(['notes.txt', 'two.part', 'x.json.unreadable']);
      expect(readFileSync(join(folder, 'x.json.unreadable'), 'utf8')).toBe(whole.slice(0, 40));
      expect(await told(stage)).toEqual({ seen: [], count: 0 });
    }));

  it('keeps what is added while it is read', () =>
    hall.with({}, async (stage) => {
      const spool = spoolOf(stage.home, 'one');
      spool.keep(entry('a', 'call-1'));
      await spool.replay(async () => spool.keep(entry('a', 'call-2')));
      expect(await told(stage)).toEqual({ seen: ['call-2'], count: 1 });
    }));

  it('loses nothing when several processes keep and report at once', () =>
    hall.with({}, async (stage) => {
      const seen = new Set<string>();
      const names = Array.from({ length: 60 }, (_, i) => `call-${i}`);
      const work = async (dialer: string, own: string[]) => {
        const spool = spoolOf(stage.home, dialer);
        for (const name of own) {
          spool.keep(entry('a', name));
          await spool.replay(async (item) => {
            await new Promise(setImmediate);
            seen.add(item.callId);
          });
        }
      };
      await Promise.all(
        [0, 1, 2].map((n) =>
          work(
            `dialer-${n}`,
            names.filter((_, i) => i % 3 === n),
          ),
        ),
      );
      await told(stage);
      expect([...seen].sort()).toEqual([...names].sort());
      expect(readdirSync(join(stage.home, 'spool'))).toEqual([]);
    }));
});
