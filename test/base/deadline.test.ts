import { expect, it } from 'vitest';
import { untilAborted, withDeadline } from '../../src/base/deadline.ts';

const never = new Promise<string>(() => undefined);

it('returns what the work returns', async () => {
  expect(await withDeadline(Promise.resolve('done'), 60_000, () => 'late')).toBe('done');
});

it('returns the fallback for work that is late, or throws its error', async () => {
  expect(await withDeadline(never, 1, () => 'late')).toBe('late');
  const fail = () => {
    throw new Error('no answer');
  };
  await expect(withDeadline(never, 1, fail)).rejects.toThrow('no answer');
});

it('passes on what the work throws in time', async () => {
  await expect(withDeadline(Promise.reject(new Error('broken')), 60_000, () => 'late')).rejects.toThrow(
    'broken',
  );
});

it('leaves no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await withDeadline(Promise.resolve(), 60_000, () => undefined);
  expect(timers()).toBe(before);
});

it('answers undefined at once when a signal fires, before the wait or in it', async () => {
  expect(await untilAborted(never, AbortSignal.abort())).toBeUndefined();
  const controller = new AbortController();
  const answer = untilAborted(never, controller.signal);
  controller.abort();
  expect(await answer).toBeUndefined();
  expect(await untilAborted(Promise.resolve('done'), new AbortController().signal)).toBe('done');
});
