import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Ledger, openLedger } from '../../src/ledger/ledger.ts';
import { startDatabaseProxy } from '../support/proxy.ts';
import { canMountDisks, openSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { type Hall, openHall, type Stage, type StageOptions } from './support.ts';

/** A disk that is really full, while the ledger is away too. */
describe.runIf(canMountDisks('a full disk under the spool'))('a full disk', () => {
  let hall: Hall;
  let disk: SmallDisk;
  beforeAll(async () => {
    hall = await openHall();
    disk = openSmallDisk(1);
  });
  beforeEach(() => disk.free());
  afterAll(async () => {
    disk?.close();
    await hall?.close();
  });

  let homes = 0;
  const home = () => join(disk.path, `home-${++homes}`);
  const posted = (stage: Stage) => [...stage.sim.journal({ method: 'POST' })];
  const isFit = (stage: Stage, wanted: boolean) =>
    until(
      () => stage.stations.isFit(),
      (fit) => fit === wanted,
    );

  /** A ledger that goes, and a disk that fills, while the first create is on its way. */
  async function fails(work: (options: StageOptions, restore: () => Promise<void>) => Promise<void>) {
    const proxy = await startDatabaseProxy(hall.books.url);
    const away = await openLedger(proxy.url, 'http://unused.example/v1', undefined, 4);
    let cut = false;
    const placed: Ledger['attempts']['placed'] = async (item) => {
      if (!cut) {
        disk.fill();
        await proxy.cut();
      }
      cut = true;
      return away.attempts.placed(item);
    };
    const through = (ledger: Ledger): Ledger => ({ ...ledger, attempts: { ...ledger.attempts, placed } });
    try {
      await work({ home: home(), through }, proxy.restore);
    } finally {
      await away.close();
      await proxy.close();
    }
  }

  it('stops the dialling before a create leaves, and allows it again when there is room', async () => {
    await hall.with({ home: home() }, async (stage) => {
      const id = await stage.planOne(await stage.campaign({ people: 1 }));
      expect(stage.stations.isFit()).toBe(true);
      disk.fill();
      await isFit(stage, false);
      expect((await stage.dial(id)).kind).toBe('wait');
      expect(await stage.attempt(id)).toMatchObject({ state: 'planned' });
      expect(posted(stage)).toEqual([]);
      disk.free();
      await isFit(stage, true);
      expect(await stage.dial(id)).toEqual({ kind: 'done' });
      expect(await stage.attempt(id)).toMatchObject({ state: 'placed' });
      expect(readdirSync(join(stage.home, 'spool'))).toEqual([]);
    });
  });

  it('keeps a call id in memory that neither ledger nor disk takes, and calls nobody else meanwhile', async () => {
    await fails(async (options, restore) => {
      await hall.with(options, async (stage) => {
        const first = await stage.planOne(await stage.campaign({ people: 1 }));
        const second = await stage.planOne(await stage.campaign({ people: 1 }));
        let isDone = false;
        const dialled = stage.dial(first).finally(() => {
          isDone = true;
        });
        await isFit(stage, false);
        expect((await stage.dial(second)).kind).toBe('wait');
        expect(posted(stage)).toHaveLength(1);
        expect(isDone).toBe(false);
        // With room on the disk the call id goes there, though the ledger is still away.
        disk.free();
        expect(await dialled).toEqual({ kind: 'done' });
        const kept = readdirSync(join(stage.home, 'spool')).filter((name) => name.endsWith('.json'));
        expect(kept).toHaveLength(1);
        await restore();
        await stage.stations.reconcile.start();
        expect(await stage.attempt(first)).toMatchObject({ state: 'placed', callId: posted(stage)[0]!.call });
        await isFit(stage, true);
        expect(await stage.dial(second)).toEqual({ kind: 'done' });
        expect(posted(stage)).toHaveLength(2);
      });
    });
  });

  it('gives a call id to the ledger when that is back first', async () => {
    await fails(async (options, restore) => {
      await hall.with(options, async (stage) => {
        const id = await stage.planOne(await stage.campaign({ people: 1 }));
        const dialled = stage.dial(id);
        await isFit(stage, false);
        await restore();
        expect(await dialled).toEqual({ kind: 'done' });
        expect(await stage.attempt(id)).toMatchObject({ state: 'placed', callId: posted(stage)[0]!.call });
        // The disk is still full.
        await isFit(stage, false);
      });
    });
  });
});
