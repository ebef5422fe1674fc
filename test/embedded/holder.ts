import { once } from 'node:events';
import { systemClock } from '../../src/base/clock.ts';
import { withLock } from '../../src/embedded/lock.ts';

/** A process that holds the starters' lock until it is told to release it. */
await withLock(process.argv[2]!, systemClock, 10_000, async () => {
  process.stdout.write(`${JSON.stringify({ held: true })}\n`);
  await once(process.stdin, 'data');
});
process.stdin.destroy();
