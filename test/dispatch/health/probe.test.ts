import { describe, expect, it } from 'vitest';
import { person, persons } from '../../ledger/support.ts';
import { type Stage, shareHall } from '../support.ts';

const hall = await shareHall();

/** A key that lost its credit while a person was dialled. */
async function broke(stage: Stage) {
  const { campaign, id } = await stage.onePlanned({ people: 4 });
  await stage.dial(id);
  expect(stage.lane.state).toBe('out_of_credit');
  return { campaign, id };
}
const due = (stage: Stage) => stage.ledger.lanes.probeNow();

describe('the probe', () => {
  it('sends one create when it is due, and none before', () =>
    hall.with({ simulator: { credits: 0 } }, async (stage) => {
      const { id } = await broke(stage);
      await stage.stations.probe();
      expect(await stage.jobs('dial')).toEqual([]);
      await due(stage);
      await stage.stations.probe();
      await stage.stations.probe();
      expect(await stage.jobs('dial')).toEqual([id]);
      expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect((await stage.attempt(id)).state).toBe('parked');
    }));

  it('reports when the next one is due, so that it need not wait for the next round', () =>
    hall.with({ simulator: { credits: 0 } }, async (stage) => {
      expect(await stage.stations.probe()).toBeNull();
      await broke(stage);
      const [lane] = await stage.ledger.lanes.list();
      const left = lane!.probeAt!.getTime() - stage.clock.now();
      const reported = (await stage.stations.probe())!;
      expect(reported).toBeGreaterThan(0);
      expect(reported).toBeLessThanOrEqual(Math.ceil(left));
    }));

  it('takes a waiting row when nobody is parked, of the first campaign that may call now', () =>
    hall.with({ simulator: { credits: 0 } }, async (stage) => {
      const { campaign, id } = await broke(stage);
      await stage.ledger.attempts.skip(id, 'x');
      await stage.ledger.campaigns.pause([campaign], 'x');
      // The first in line has its window closed.
      const minute = new Date(stage.clock.now()).getUTCHours() * 60;
      const hours = [
        { from: (minute + 180) % 1_440, to: (minute + 240) % 1_440, days: [1, 2, 3, 4, 5, 6, 7] },
      ];
      const closed = await stage.campaign({ times: { hours } });
      await stage.add(closed, [person(50, { place: 'UTC' })]);
      const open = await stage.campaign();
      await stage.add(open, persons(2, 60));
      await due(stage);
      await stage.stations.probe();
      expect(await stage.states(closed)).toEqual(['waiting']);
      expect(await stage.states(open)).toEqual(['queued', 'waiting']);
      expect(await stage.jobs('dial')).toHaveLength(1);
      stage.sim.control({ credits: 5 });
      const [probe] = await stage.jobs('dial');
      expect(await stage.dial(probe!)).toEqual({ kind: 'done' });
      expect(stage.lane.state).toBe('open');
    }));

  it('learns from the ledger what others learned about a key', () =>
    hall.with({}, async (stage) => {
      await stage.ledger.lanes.deny(stage.lane.id, 'revoked elsewhere');
      expect(stage.lane.state).toBe('open');
      await stage.stations.probe();
      expect(stage.lane.state).toBe('denied');
      await stage.ledger.lanes.open(stage.lane.id);
      await stage.stations.probe();
      expect(stage.lane.state).toBe('open');
    }));
});
