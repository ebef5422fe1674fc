import { describe, expect, it } from 'vitest';
import { drive } from '../../src/run/drive.ts';
import { takeRunLock } from '../../src/run/prepare.ts';
import { describeService } from '../../src/voice/load-service.ts';
import { suppress, tally } from '../ledger/support.ts';
import { until } from '../support/until.ts';
import { log, type Stage, shareHall } from './support.ts';

/** For an owner who accepts that a person may be called twice: unknown attempts are freed, once for each person. */
const hall = await shareHall();

const age = (stage: Stage, seconds?: number) => stage.age(seconds);
const lose = { kind: 'reset', when: 'after' } as const;

describe('--on-unknown redial', () => {
  it('frees a person after the safe time and not before, even when only one attempt is allowed', () =>
    hall.with({ simulator: { faults: [{ ...lose, next: 1 }] }, timeoutMs: 5_000 }, async (stage) => {
      const { campaign, id: first } = await stage.onePlanned({ onUnknown: 'redial' });
      await stage.dial(first);
      // Its timeout of 5 s, a quarter of a minute for a slow process, and three minutes.
      await age(stage, 190);
      await stage.stations.reconcile.round();
      expect(await stage.states(campaign)).toEqual(['unknown']);
      await age(stage, 11);
      await stage.stations.reconcile.round();
      expect(await stage.states(campaign)).toEqual(['waiting']);
      expect(await stage.attempt(first)).toMatchObject({ state: 'dropped', reason: 'redialed' });
      expect(stage.nudges()).toBeGreaterThan(0);
      // The lost attempt stays counted: this is the second.
      const second = await stage.planOne(campaign);
      expect((await stage.ledger.attempts.load(second))!.number).toBe(2);
      await stage.call(second);
      await stage.settle(second, 'answered');
      expect((await stage.people(campaign))[0]).toMatchObject({ state: 'done', attempts: 2 });
      expect((await stage.ledger.reports.standing(campaign)).attempts).toBe(2);
    }));

  it('calls nobody a third time: a second lost attempt waits for a person', () =>
    hall.with({ simulator: { faults: [lose] } }, async (stage) => {
      const campaign = await stage.campaign({ people: 1, onUnknown: 'redial' });
      for (let round = 0; round < 2; round++) {
        await stage.dial(await stage.planOne(campaign));
        await age(stage);
        await stage.stations.reconcile.round();
      }
      expect(await stage.states(campaign)).toEqual(['unknown']);
      expect((await stage.ledger.reports.standing(campaign)).redials).toBe(0);
      expect([...stage.sim.journal({ method: 'POST' })]).toHaveLength(2);
    }));

  it.each([
    ['a call that the service took for another phone', 'other-phone'],
    ['a call that was surely made, as its 201 was cut off', 'cut'],
  ] as const)('leaves %s to a person', (_what, kind) =>
    hall.with({ simulator: { faults: [{ kind, on: 'create' }] } }, async (stage) => {
      const campaign = await stage.campaign({ people: 1, onUnknown: 'redial' });
      await stage.dial(await stage.planOne(campaign));
      await age(stage);
      await stage.stations.reconcile.round();
      expect(await stage.states(campaign)).toEqual(['unknown']);
      expect((await stage.ledger.reports.standing(campaign)).redials).toBe(0);
    }),
  );

  it('skips known calls, suppressed people, and campaigns that rest or hold', () =>
    hall.with({ simulator: { faults: [lose] } }, async (stage) => {
      const holds = await stage.campaign({ people: 1 });
      const rests = await stage.campaign({ people: 1, onUnknown: 'redial' });
      const stale = await stage.campaign({ people: 1, onUnknown: 'redial' });
      for (const campaign of [holds, rests]) await stage.dial(await stage.planOne(campaign));
      const id = await stage.planOne(stale);
      await stage.call(id);
      await stage.ledger.attempts.stale(id, 'no end');
      await stage.ledger.campaigns.pause([rests], 'x');
      await age(stage);
      await stage.stations.reconcile.round();
      for (const campaign of [holds, rests, stale]) expect(await stage.states(campaign)).toEqual(['unknown']);
      await stage.ledger.campaigns.resume(rests);
      const [who] = await stage.people(rests);
      await suppress(stage.ledger, [who!.phone], null);
      await stage.stations.reconcile.round();
      expect(await stage.states(rests)).toEqual(['unknown']);
      await stage.ledger.suppressions.remove([who!.phone]);
    }));

  it('keeps a late answer of the first attempt in the history, where a person sees both calls', () =>
    hall.with({ simulator: { faults: [lose] } }, async (stage) => {
      const { campaign, id } = await stage.onePlanned({ onUnknown: 'redial' });
      await stage.dial(id);
      await age(stage);
      await stage.stations.reconcile.round();
      expect(await stage.place(id, 'came-late')).toBe(false);
      await stage.ledger.attempts.late(id, 'came-late');
      expect(await stage.states(campaign)).toEqual(['waiting']);
    }));

  it('keeps a run active until its unknown were called again', () =>
    hall.with({ simulator: { faults: [{ ...lose, next: 1 }], shares: { busy: 1 } } }, async (stage) => {
      const campaign = await stage.campaign({ people: 1, onUnknown: 'redial', driver: 'run' });
      const runId = await stage.runs(campaign);
      await stage.dial(await stage.planOne(campaign));
      const runLock = (await until(
        () => takeRunLock(stage.ledger, campaign, 'people').catch(() => null),
        (taken) => taken !== null,
      ))!;
      const stop = new AbortController();
      let looks = 0;
      const ending = drive({
        ledger: stage.ledger,
        campaignId: campaign,
        runId,
        runLock,
        lanes: () => stage.lanes.map((lane) => lane.id),
        on402: 'wait',
        lagSeconds: null,
        signal: stop.signal,
        clock: { ...stage.clock, sleep: (_ms, signal) => stage.clock.sleep(20, signal) },
        log,
        completing: () => undefined,
        show: () => {
          looks += 1;
        },
      });
      await expect.poll(() => looks).toBeGreaterThan(3);
      await age(stage);
      await stage.stations.reconcile.round();
      const again = await stage.planOne(campaign);
      await stage.dial(again);
      await stage.settle(again, 'busy');
      expect(await ending).toEqual({ kind: 'done' });
      expect(tally(await stage.states(campaign))).toEqual({ done: 1 });
      await runLock.release();
    }));
});

it('a list that was not read to its end does not prove that a call was never made', async () => {
  const synthflow = describeService('synthflow');
  const query = { ...synthflow.list!.query, lead_phone_number: undefined };
  for (const [limit, state] of [
    [20, 'waiting'],
    [1, 'unknown'],
  ] as const) {
    const list = { ...synthflow.list!, query, limit, lag_seconds: 0, absence_proves: true };
    const faults = [{ kind: 'reset', on: 'create', when: 'before', next: 1 }] as const;
    const service = { ...synthflow, list };
    await hall.with({ service, simulator: { service: 'synthflow', faults } }, async (stage) => {
      const { campaign, id } = await stage.onePlanned();
      await stage.dial(id);
      for (let nth = 0; nth < 8; nth++)
        await stage.lane.client.create({
          agentId: 'agent-1',
          phone: `+1415555020${nth}`,
          stamp: `s-${nth}`,
        });
      await age(stage);
      await stage.stations.look();
      expect(await stage.states(campaign)).toEqual([state]);
      const looked = JSON.stringify(
        await stage.books.sql('select looked from carillon.attempts where id = $1', [id]),
      );
      if (state === 'unknown') expect(looked).toContain('not read to its end: it has more than 5 pages');
    });
  }
});
