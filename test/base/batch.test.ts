import { array, assert, asyncProperty, integer, nat, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAsides } from '../../src/base/asides.ts';
import { createBatch } from '../../src/base/batch.ts';
import { createLog } from '../../src/base/log.ts';

/** Batching: single requests in, few round trips out, each answer to its caller. */
function gates() {
  const open: (() => void)[] = [];
  return {
    open,
    wait: () =>
      new Promise<void>((resolve) => {
        open.push(resolve);
      }),
  };
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await turn();
};

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a batch', () => {
  it('gives each caller its own answer, in groups that are never too large', async () => {
    await assert(
      asyncProperty(array(integer(), { maxLength: 60 }), integer({ min: 1, max: 7 }), async (items, most) => {
        const sizes: number[] = [];
        const batch = createBatch(
          async (group: number[]) => {
            sizes.push(group.length);
            await turn();
            return group.map((item) => `answer ${item}`);
          },
          { most },
        );
        expect(await Promise.all(items.map((item) => batch(item)))).toEqual(
          items.map((item) => `answer ${item}`),
        );
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(most);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(items.length);
      }),
    );
  });

  it('sends a single request at once, by itself', async () => {
    const groups: number[][] = [];
    const batch = createBatch(async (group: number[]) => {
      groups.push(group);
      return group;
    });
    expect(await batch(1)).toBe(1);
    expect(await batch(2)).toBe(2);
    expect(groups).toEqual([[1], [2]]);
  });

  it('lets one with patience wait for others, but no longer than that', async () => {
    const groups: number[][] = [];
    const batch = createBatch(async (group: number[]) => {
      groups.push(group);
      return group;
    });
    const patient = [batch(1, 60_000), batch(2, 90_000)];
    await turn();
    expect(groups).toEqual([]);
    expect(await Promise.all([...patient, batch(3)])).toEqual([1, 2, 3]);
    expect(await Promise.all([batch(4, 60_000), batch(5, 2)])).toEqual([4, 5]);
    expect(groups).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    // Enough company needs no more.
    await Promise.all(Array.from({ length: 8 }, (_, nth) => batch(nth, 60_000)));
    expect(groups).toHaveLength(3);
  });

  it('waits a moment for more when many come at once', async () => {
    const groups: number[] = [];
    const { open, wait } = gates();
    const batch = createBatch(async (group: number[]) => {
      groups.push(group.length);
      await wait();
      return group;
    });
    const first = Array.from({ length: 10 }, (_, i) => batch(i));
    await turn();
    const second = batch(10);
    open[0]!();
    await Promise.all(first);
    // Only one was waiting when the flush returned.
    const third = batch(11);
    await until(() => open.length === 2);
    open[1]!();
    expect(await Promise.all([second, third])).toEqual([10, 11]);
    expect(groups).toEqual([10, 2]);
  });

  it('gathers what arrives during a flush', async () => {
    const groups: number[][] = [];
    const { open, wait } = gates();
    const batch = createBatch(async (group: number[]) => {
      groups.push(group);
      await wait();
      return group;
    });
    const first = batch(1);
    await turn();
    const rest = [2, 3, 4].map(batch);
    await turn();
    expect(groups).toEqual([[1]]);
    open[0]!();
    await first;
    await turn();
    expect(groups).toEqual([[1], [2, 3, 4]]);
    for (const go of open) go();
    expect(await Promise.all(rest)).toEqual([2, 3, 4]);
  });

  it('fails every caller of a flush that fails, and continues with the next', async () => {
    let tries = 0;
    const batch = createBatch(async (group: number[]) => {
      tries += 1;
      if (tries === 1) throw new Error('the ledger is away');
      return group;
    });
    const failed = await Promise.allSettled([batch(1), batch(2)]);
    expect(failed.map((each) => each.status)).toEqual(['rejected', 'rejected']);
    expect(await batch(3)).toBe(3);
  });

  it('survives a flush that throws before it begins', async () => {
    let tries = 0;
    const batch = createBatch((group: number[]) => {
      tries += 1;
      if (tries === 1) throw new Error('no');
      return Promise.resolve(group);
    });
    await expect(batch(1)).rejects.toThrow('no');
    expect(await batch(2)).toBe(2);
  });
});

describe('one row that cannot be done', () => {
  const fault = (code: string) => Object.assign(new Error('value out of range'), { code });

  it('fails its own caller, and nobody else in its batch, however many there are', async () => {
    await assert(
      asyncProperty(
        uniqueArray(nat(200), { maxLength: 60 }),
        array(nat(200), { maxLength: 4 }),
        async (items, bad) => {
          const batch = createBatch(async (group: number[]) => {
            if (group.some((item) => bad.includes(item))) throw fault('22003');
            return group;
          });
          const done = await Promise.allSettled(items.map((item) => batch(item)));
          expect(done.map(({ status }) => status === 'fulfilled')).toEqual(
            items.map((item) => !bad.includes(item)),
          );
        },
      ),
    );
  });

  it('is not looked for when the ledger is away, or the statement is wrong', async () => {
    for (const code of ['57P01', '42703', 'ECONNRESET']) {
      let flushes = 0;
      const batch = createBatch(async () => {
        flushes += 1;
        throw fault(code);
      });
      const done = await Promise.allSettled([1, 2, 3].map((item) => batch(item)));
      expect(done.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      expect(flushes).toBe(1);
    }
  });

  it('rests longer each time, is forgotten when it is done or gone, and more than a hundred are not rows', async () => {
    let now = 0;
    const asides = createAsides({ clock: { monotonic: () => now }, log: createLog('silent') });
    let tries = 0;
    const fail = () =>
      asides.guard('planner', 'c1', async () => {
        tries += 1;
        throw fault('22003');
      });
    for (; now < 3_600_000; now += 1_000) await fail();
    expect(tries).toBeLessThan(14);
    expect(tries).toBeGreaterThan(8);
    expect(asides.list()).toEqual([{ loop: 'planner', id: 'c1', why: 'value out of range' }]);
    now += 600_000;
    expect(await asides.guard('planner', 'c1', () => 'done')).toBe('done');
    expect(asides.list()).toEqual([]);
    for (let id = 0; id < 100; id += 1) asides.fail('sweeper', `${id}`, fault('22003'));
    expect(() => asides.fail('sweeper', '100', fault('22003'))).toThrow();
    now += 2_000_000;
    expect(asides.list()).toEqual([]);
    await expect(asides.guard('planner', 'c1', () => Promise.reject(fault('57P01')))).rejects.toThrow();
  });
});
