import { withDeadline } from './deadline.ts';
import type { Log } from './log.ts';

/** Everything long-lived starts and stops alike: it is quieted, it drains, and a deadline ends the wait. */
export type Stoppable = {
  name: string;
  /** Takes on nothing new; work in hand continues. */
  quiet?(): Promise<void> | void;
  /** Finishes the work in hand and releases every resource. */
  close(): Promise<void> | void;
};

export type Lifecycle = {
  add<T extends Stoppable>(part: T): T;
  /** Stops the parts in reverse order of their start. Resolves to the names that missed the deadline. */
  stop(deadlineMs: number): Promise<string[]>;
};

export function createLifecycle(log: Pick<Log, 'warn'>): Lifecycle {
  const parts: Stoppable[] = [];
  let stopping: Promise<string[]> | undefined;
  return {
    add(part) {
      if (stopping) closeNow(part, log);
      else parts.push(part);
      return part;
    },
    stop(deadlineMs) {
      stopping ??= stopAll(parts, deadlineMs);
      return stopping;
    },
  };
}

/** A part started while all else stops must not outlive it. Nobody waits for its end, so a failure is only logged. */
function closeNow(part: Stoppable, log: Pick<Log, 'warn'>): void {
  const close = async () => part.close();
  close().catch((error: Error) => {
    log.warn({ part: part.name, err: error.message }, 'a part that was started too late could not be closed');
  });
}

async function stopAll(parts: Stoppable[], deadlineMs: number): Promise<string[]> {
  const end = performance.now() + deadlineMs;
  const late: string[] = [];
  await Promise.allSettled(parts.map(async (part) => within(part.quiet?.(), end)));
  for (const part of [...parts].reverse()) {
    try {
      if (!(await within(part.close(), end))) late.push(part.name);
    } catch {
      late.push(part.name);
    }
  }
  return late;
}

/** True when the work ended before `end`; a part that hangs (a queue whose Redis is gone) is left behind. */
async function within(work: Promise<void> | void, end: number): Promise<boolean> {
  if (!work) return true;
  const left = Math.max(100, end - performance.now());
  return withDeadline(
    work.then(() => true),
    left,
    () => false,
  );
}
