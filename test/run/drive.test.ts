import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { type DriveOptions, drive, type Look } from '../../src/run/drive.ts';
import { takeRunLock } from '../../src/run/prepare.ts';
import { delaySends, log, type Stage, shareHall } from '../dispatch/support.ts';
import { probeOf } from '../ledger/support.ts';
import { until } from '../support/until.ts';

const hall = await shareHall();
/** A run that does not end by itself fails its test, and must not hold up the others. */
const over = new AbortController();
afterAll(() => over.abort());

/** Whether any session holds a lock of this kind, as the server sees it. */
const locked = async () =>
  (
    await hall.books.sql(
      `select from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
    )
  ).length > 0;

/** Ends the connection that holds a campaign's run lock, as a network or a server may. */
async function breakWheel(): Promise<void> {
  await hall.books.sql(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
  );
  await until(locked, (held) => !held);
}

describe('the run lock', () => {
  it('is held by one at a time', async () => {
    const { ledger } = hall.books;
    const campaign = randomUUID();
    const runLock = await takeRunLock(ledger, campaign, 'people');
    await expect(takeRunLock(ledger, campaign, 'people')).rejects.toMatchObject({ code: 'campaign-busy' });
    const other = await takeRunLock(ledger, randomUUID(), 'others');
    await runLock.release();
    const next = await until(
      () => takeRunLock(ledger, campaign, 'people').catch(() => null),
      (taken) => taken !== null,
    );
    expect(await next!.keep()).toBe(true);
    await Promise.all([next!.release(), other.release()]);
  });

  it('is released when its holder’s connection dies, and taken by the next that asks', async () => {
    const { ledger } = hall.books;
    const campaign = randomUUID();
    const runLock = await takeRunLock(ledger, campaign, 'people');
    await breakWheel();
    // Until the holder has noticed that its connection is gone, it believes that it holds the lock.
    await until(
      async () => (await runLock.keep()) && (await locked()),
      (held) => held,
    );
    await expect(takeRunLock(ledger, campaign, 'people')).rejects.toMatchObject({ code: 'campaign-busy' });
    await breakWheel();
    const taken = await takeRunLock(ledger, campaign, 'people');
    expect(
      await until(
        () => runLock.keep(),
        (held) => !held,
      ),
    ).toBe(false);
    await taken.release();
    await runLock.release();
  });
});

describe('a run', () => {
  /** A run of one campaign, watched to its end. */
  async function watch(stage: Stage, campaign: string, more: Partial<DriveOptions> = {}, limit?: number) {
    const runId = await stage.runs(campaign, limit);
    // The server notices a little later that an earlier run is gone.
    const runLock = (await until(
      () => takeRunLock(stage.ledger, campaign, 'people').catch(() => null),
      (taken) => taken !== null,
    ))!;
    const looks: Look[] = [];
    const ending = drive({
      ledger: stage.ledger,
      campaignId: campaign,
      runId,
      runLock,
      lanes: () => stage.lanes.map((lane) => lane.id),
      on402: 'wait',
      lagSeconds: null,
      signal: over.signal,
      clock: { ...stage.clock, sleep: (_ms, signal) => stage.clock.sleep(20, signal) },
      log,
      show: (look) => looks.push(look),
      completing: () => undefined,
      ...more,
    }).finally(() => runLock.release());
    return { ending, looks, runId };
  }
  const list = (stage: Stage, people: number) => stage.campaign({ people, driver: 'run', state: 'draft' });

  it('is done when nobody is left', async () => {
    await hall.with({}, async (stage) => {
      const campaign = await list(stage, 1);
      const { ending, looks } = await watch(stage, campaign);
      const id = await stage.planOne(campaign);
      await stage.dial(id);
      await stage.settle(id);
      expect(await ending).toEqual({ kind: 'done' });
      expect(looks.at(-1)!.standing.counts.done).toBe(1);
    });
  });

  it('awaits what its service is known to add to the last records', async () => {
    await hall.with({ simulator: { shares: { answered: 1 } } }, async (stage) => {
      const campaign = await list(stage, 1);
      await stage.runs(campaign);
      const id = await stage.planOne(campaign);
      await stage.dial(id);
      await stage.settle(id);
      await hall.books.sql(
        `insert into carillon.late_fields (lane_id, outcome, field, late, vain) values ($1, 'answered', 'recording', 5, 0)`,
        [stage.lane.id],
      );
      await hall.books.sql(
        `insert into carillon.refreshes (attempt_id, lane_id, due_at, fields) values ($1, $2, now() + '10 s', '{recording}')`,
        [id, stage.lane.id],
      );
      let told = 0;
      const { ending, looks } = await watch(stage, campaign, { completing: () => told++ });
      await until(
        () => looks.length,
        (count) => count > 3,
      );
      expect(told).toBe(1);
      await hall.books.sql('update carillon.refreshes set tries = 1');
      expect(await ending).toEqual({ kind: 'done' });
    });
  });

  it('is stuck when what is left is unknown', async () => {
    await hall.with({ simulator: { faults: [{ kind: 'reset' }] } }, async (stage) => {
      const campaign = await list(stage, 1);
      const { ending } = await watch(stage, campaign);
      await stage.dial(await stage.planOne(campaign));
      expect(await ending).toMatchObject({ kind: 'stuck', why: 'unknown' });
    });
  });

  it('is stuck when every key is closed, with the service’s words', async () => {
    await hall.with({ keys: ['a', 'b'], simulator: { keys: ['none'] } }, async (stage) => {
      const campaign = await list(stage, 1);
      const { ending, looks } = await watch(stage, campaign);
      const [a, b] = stage.lanes;
      await stage.dial(await stage.planOne(campaign, a), a);
      await until(
        () => looks.length,
        (count) => count > 2,
      );
      const [id] = await stage.jobs('dial', b);
      await stage.dial(id!, b);
      const end = await ending;
      expect(end).toMatchObject({ kind: 'stuck', why: 'denied' });
      expect((end as { words: string }).words).toBeTruthy();
    });
  });

  it('is stuck when the service refuses its order', async () => {
    await hall.with({}, async (stage) => {
      const campaign = await stage.campaign({
        people: 5,
        driver: 'run',
        state: 'draft',
        agents: [{ id: 'agent-unknown', share: 1 }],
      });
      const { ending } = await watch(stage, campaign);
      for (let i = 0; i < 3; i++) await stage.dial(await stage.planOne(campaign));
      expect(await ending).toMatchObject({
        kind: 'stuck',
        why: 'refused',
        words: expect.stringMatching(/agent/i),
      });
    });
  });

  it('without credit leaves when that was requested, and waits when not', async () => {
    await hall.with({ simulator: { credits: 0 } }, async (stage) => {
      const campaign = await list(stage, 3);
      const { ending } = await watch(stage, campaign, { on402: 'exit' });
      await stage.dial(await stage.planOne(campaign));
      expect(await ending).toMatchObject({ kind: 'stuck', why: 'parked' });

      const stop = new AbortController();
      const patient = await watch(stage, campaign, { signal: stop.signal });
      await until(
        () => patient.looks.length,
        (count) => count > 3,
      );
      stop.abort();
      expect(await patient.ending).toEqual({ kind: 'interrupted' });
    });
  });

  it('without credit waits for the one probe that is sent during its check', async () => {
    await hall.with({ simulator: { credits: 0 } }, async (stage) => {
      const campaign = await list(stage, 3);
      const first = await watch(stage, campaign, { on402: 'exit' });
      await stage.dial(await stage.planOne(campaign));
      await first.ending;
      const { lanes, reports } = stage.ledger;
      await lanes.probeNow();
      let probe: string | null = null;
      let reading: Promise<unknown> | null = null;
      // The probe leaves after the campaign was counted, and before the keys are read.
      const ledger = {
        ...stage.ledger,
        reports: {
          ...reports,
          standing: (id: string) => {
            const read = reports.standing(id).then(async (standing) => {
              probe ??= await probeOf(stage.ledger, stage.lane.id, campaign);
              return standing;
            });
            reading = read;
            return read;
          },
        },
        lanes: {
          ...lanes,
          async list() {
            await reading;
            return lanes.list();
          },
        },
      };
      const { ending, looks } = await watch(stage, campaign, { on402: 'exit', ledger });
      await until(
        () => looks.at(-1)?.standing.counts.queued,
        (queued) => queued === 1,
      );
      await stage.dial(probe!);
      expect(await ending).toMatchObject({ kind: 'stuck', why: 'parked' });
    });
  });

  it('that leaves without credit follows its calls to their end first', async () => {
    await hall.with({ simulator: { credits: 1 } }, async (stage) => {
      const campaign = await list(stage, 3);
      const { ending, looks } = await watch(stage, campaign, { on402: 'exit' });
      const called = await stage.planOne(campaign);
      await stage.dial(called);
      await stage.dial(await stage.planOne(campaign));
      const before = looks.length;
      await until(
        () => looks.length,
        (count) => count > before + 3,
      );
      await stage.settle(called);
      expect(await ending).toMatchObject({ kind: 'stuck', why: 'parked' });
    });
  });

  it('that leaves without credit does not wait for a create that came back unsent after the 402', async () => {
    await hall.with({ simulator: { credits: 0 } }, async (stage) => {
      const campaign = await list(stage, 3);
      const { ending } = await watch(stage, campaign, { on402: 'exit' });
      // Its order was accepted before, so several creates are under way at once.
      await hall.books.sql('update carillon.campaigns set proved = true where id = $1', [campaign]);
      const [slow, broke] = await stage.planOn(stage.lane.id, campaign, 3);
      const held = delaySends(stage.lane);
      const back = stage.dial(slow!, held.lane);
      await held.reached;
      expect(await stage.dial(broke!)).toEqual({ kind: 'done' });
      held.release();
      expect(await back).toEqual({ kind: 'rest', ms: 1 });
      // Its job is dropped, as the key creates no calls.
      expect(await stage.dial(slow!)).toMatchObject({ kind: 'drop' });
      // A planner's round.
      await stage.stations.probe();
      expect(await stage.states(campaign)).toEqual(['parked', 'parked', 'parked']);
      expect(await ending).toMatchObject({ kind: 'stuck', why: 'parked' });
    });
  });

  it('that leaves without credit does not wait for what was planned on a key that is not accepted', async () => {
    await hall.with({ keys: ['a', 'b'], simulator: { keys: ['secret-of-b'], credits: 0 } }, async (stage) => {
      const [a, b] = stage.lanes;
      const campaign = await list(stage, 3);
      const { ending } = await watch(stage, campaign, { on402: 'exit' });
      const [first] = await stage.planOn(a!.id, campaign, 2);
      await stage.dial(await stage.planOne(campaign, b), b);
      await stage.dial(first!, a);
      expect(await stage.states(campaign)).toEqual(['waiting', 'waiting', 'parked']);
      expect(await ending).toMatchObject({ kind: 'stuck', why: 'parked' });
    });
  });

  it('ends at its limit of new calls', async () => {
    await hall.with({}, async (stage) => {
      const campaign = await list(stage, 3);
      const { ending } = await watch(stage, campaign, {}, 1);
      const id = await stage.planOne(campaign);
      await stage.dial(id);
      await stage.settle(id);
      expect(await ending).toEqual({ kind: 'limit' });
    });
  });

  it('ends when its campaign is canceled from elsewhere, after its last call', async () => {
    await hall.with({}, async (stage) => {
      const campaign = await list(stage, 2);
      const { ending, looks } = await watch(stage, campaign);
      const id = await stage.planOne(campaign);
      await stage.dial(id);
      await stage.ledger.campaigns.cancel(campaign);
      const before = looks.length;
      await until(
        () => looks.length,
        (count) => count > before + 3,
      );
      await stage.settle(id);
      expect(await ending).toEqual({ kind: 'canceled' });
    });
  });

  it('ends when another run took its campaign', async () => {
    await hall.with({}, async (stage) => {
      const campaign = await list(stage, 2);
      const { ending } = await watch(stage, campaign);
      await stage.ledger.campaigns.take(campaign, randomUUID());
      expect(await ending).toEqual({ kind: 'ousted' });
    });
  });

  it('continues while it is paused', async () => {
    await hall.with({}, async (stage) => {
      const campaign = await list(stage, 1);
      const { ending, looks } = await watch(stage, campaign);
      await stage.ledger.campaigns.pause([campaign], 'a person');
      await until(
        () => looks.at(-1)?.standing.state,
        (state) => state === 'paused',
      );
      const before = looks.length;
      await until(
        () => looks.length,
        (count) => count > before + 3,
      );
      expect(await stage.ledger.campaigns.resume(campaign)).toBe('run');
      const id = await stage.planOne(campaign);
      await stage.dial(id);
      await stage.settle(id);
      expect(await ending).toEqual({ kind: 'done' });
    });
  });

  it('outlives a ledger that is away for a moment', async () => {
    await hall.with({}, async (stage) => {
      const campaign = await list(stage, 1);
      const { ending, looks } = await watch(stage, campaign);
      await until(
        () => looks.length,
        (count) => count > 1,
      );
      await breakWheel();
      const before = looks.length;
      await until(
        () => looks.length,
        (count) => count > before + 2,
      );
      const id = await stage.planOne(campaign);
      await stage.dial(id);
      await stage.settle(id);
      expect(await ending).toEqual({ kind: 'done' });
    });
  });
});
