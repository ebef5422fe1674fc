import { once } from 'node:events';
import { systemClock } from '../../src/base/clock.ts';
import { withLock } from '../../src/embedded/lock.ts';

/** A process of its own that holds the starters' lock until it is told to let go. */
await withLock(process.argv[2]!, systemClock, 10_000, async () => {
  process.stdout.write(`${JSON.stringify({ held: true })}\n`);
  await once(process.stdin, 'data');
});
process.stdin.destroy();
