import { describe, expect, it } from 'vitest';
import { createLifecycle } from '../../src/base/lifecycle.ts';
import { createLog } from '../../src/base/log.ts';

const log = createLog('silent');

/** Starting and stopping alike: quiet, drain, deadline. */
describe('a lifecycle', () => {
  it('quiets every part before it closes the first, and closes them in reverse order', async () => {
    const seen: string[] = [];
    const lifecycle = createLifecycle(log);
    for (const name of ['ledger', 'engine', 'dialer']) {
      lifecycle.add({
        name,
        quiet: () => void seen.push(`quiet ${name}`),
        close: () => void seen.push(`close ${name}`),
      });
    }
    expect(await lifecycle.stop(60_000)).toEqual([]);
    expect(seen).toEqual([
      'quiet ledger',
      'quiet engine',
      'quiet dialer',
      'close dialer',
      'close engine',
      'close ledger',
    ]);
  });

  it('waits for a part before it closes the one that it depends on', async () => {
    const seen: string[] = [];
    const lifecycle = createLifecycle(log);
    lifecycle.add({ name: 'ledger', close: () => void seen.push('ledger closed') });
    lifecycle.add({
      name: 'dialer',
      async close() {
        await new Promise((resolve) => setImmediate(resolve));
        seen.push('dialer drained');
      },
    });
    await lifecycle.stop(60_000);
    expect(seen).toEqual(['dialer drained', 'ledger closed']);
  });

  it('leaves behind a part that hangs, names it, and closes the others', async () => {
    const seen: string[] = [];
    const lifecycle = createLifecycle(log);
    lifecycle.add({ name: 'ledger', close: () => void seen.push('ledger closed') });
    lifecycle.add({ name: 'engine', close: () => new Promise<void>(() => {}) });
    expect(await lifecycle.stop(150)).toEqual(['engine']);
    expect(seen).toEqual(['ledger closed']);
  });

  it('does not let a part that cannot be quieted keep the others from closing', async () => {
    const seen: string[] = [];
    const lifecycle = createLifecycle(log);
    lifecycle.add({
      name: 'hanging',
      quiet: () => new Promise<void>(() => {}),
      close: () => void seen.push('hanging'),
    });
    lifecycle.add({
      name: 'throwing',
      quiet() {
        throw new Error('no');
      },
      close: () => void seen.push('throwing'),
    });
    await lifecycle.stop(120);
    expect(seen).toEqual(['throwing', 'hanging']);
  });

  it('names a part whose close fails, at once or later, and continues', async () => {
    const seen: string[] = [];
    const lifecycle = createLifecycle(log);
    lifecycle.add({ name: 'first', close: () => void seen.push('first') });
    lifecycle.add({
      name: 'at once',
      close() {
        throw new Error('no');
      },
    });
    lifecycle.add({ name: 'later', close: () => Promise.reject(new Error('no')) });
    expect(await lifecycle.stop(60_000)).toEqual(['later', 'at once']);
    expect(seen).toEqual(['first']);
  });

  it('closes at once what is added while it stops or later, and only logs that this failed', async () => {
    const seen: string[] = [];
    const lifecycle = createLifecycle({ warn: (about: object) => void seen.push(JSON.stringify(about)) });
    const bad = (name: string) => ({
      name,
      close: () => Promise.reject(new Error('its server is gone')),
    });
    const told = (name: string) => JSON.stringify({ part: name, err: 'its server is gone' });
    const later = () => new Promise((resolve) => setImmediate(resolve));
    lifecycle.add({
      name: 'starter',
      async close() {
        lifecycle.add({ name: 'good', close: () => void seen.push('good closed') });
        lifecycle.add(bad('while'));
        await later();
        seen.push('starter closed');
      },
    });
    expect(await lifecycle.stop(60_000)).toEqual([]);
    lifecycle.add(bad('after'));
    lifecycle.add({
      name: 'throws',
      close() {
        throw new Error('its server is gone');
      },
    });
    await later();
    expect(seen.slice(0, 3)).toEqual(['good closed', told('while'), 'starter closed']);
    expect(new Set(seen.slice(3))).toEqual(new Set([told('after'), told('throws')]));
  });

  it('stops once, however often it is told', async () => {
    let closed = 0;
    const lifecycle = createLifecycle(log);
    lifecycle.add({ name: 'part', close: () => void closed++ });
    const [one, two] = await Promise.all([lifecycle.stop(60_000), lifecycle.stop(60_000)]);
    await lifecycle.stop(60_000);
    expect([one, two, closed]).toEqual([[], [], 1]);
  });

  it('returns what was added, so that it can be used at once', () => {
    const part = { name: 'part', close() {}, size: 3 };
    expect(createLifecycle(log).add(part)).toBe(part);
  });
});
