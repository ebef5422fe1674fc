import type { Random } from '../../src/base/clock.ts';

/**
 * The simulated time of one schedule, and what is to happen in it. One event happens at a time, and the next one only
 * when nothing of the one before has anything left to do: so the seed alone decides what meets what.
 */
export type Owner = {
  readonly name: string;
  alive: boolean;
  /** It is suspended until then: messages for it wait. */
  sleepsUntil: number;
  /** How far its clock is ahead. */
  skewMs: number;
};

type Happening = {
  at: number;
  tie: number;
  owner: Owner | null;
  what: string;
  run(): unknown;
};

export type World = ReturnType<typeof createWorld>;

export const never = new Promise<never>(() => undefined);

export function createWorld(random: Random, startsAt: number, digest: Digest) {
  const heap: Happening[] = [];
  let now = startsAt;
  let steps = 0;
  /** The process whose code runs; timers that it sets are its own. */
  let current: Owner | null = null;

  const at = (time: number, owner: Owner | null, what: string, run: () => unknown): Happening => {
    const made = { at: Math.max(now, Math.ceil(time)), tie: random(), owner, what, run };
    push(heap, made);
    return made;
  };

  const isAwake = (owner: Owner) => owner.alive && owner.sleepsUntil <= now;

  return {
    now: () => now,
    steps: () => steps,
    random,
    at,
    isAwake,
    /** Notes what happened, for the digest and for a person who replays it. */
    note(owner: Owner | null, words: string) {
      digest.add(`${now - startsAt} ${owner?.name ?? '-'} ${words}`);
    },
    current: () => current,
    /**
     * Something outside is asked: it happens there after `reachMs`, whatever becomes of the asker, and the answer comes
     * after `backMs`, if the asker still lives.
     */
    ask<T>(
      owner: Owner,
      what: string,
      effect: () => T | Promise<T>,
      reachMs: number,
      backMs: number,
    ): Promise<T> {
      if (!owner.alive) return never;
      return new Promise<T>((resolve, reject) => {
        at(now + reachMs, null, `(${owner.name}) ${what}`, async () => {
          let tell: () => void;
          try {
            const value = await effect();
            tell = () => resolve(value);
          } catch (error) {
            tell = () => reject(error);
          }
          if (backMs === 0 && isAwake(owner)) {
            current = owner;
            tell();
          } else if (owner.alive) at(now + backMs, owner, `answer to ${what}`, tell);
        });
      });
    },
    sleep(owner: Owner, ms: number, signal?: AbortSignal): Promise<void> {
      if (signal?.aborted || ms <= 0) return Promise.resolve();
      if (!owner.alive) return never;
      return new Promise((resolve) => {
        const over = () => {
          signal?.removeEventListener('abort', over);
          resolve();
        };
        at(now + ms, owner, 'timer', over);
        signal?.addEventListener('abort', over, { once: true });
      });
    },
    /** Lets the next event happen; false when there is none before `until`. */
    async step(until: number): Promise<boolean> {
      for (;;) {
        const next = heap[0];
        if (!next || next.at > until) {
          now = Math.max(now, until);
          return false;
        }
        pop(heap);
        now = Math.max(now, next.at);
        const { owner } = next;
        if (owner && !owner.alive) continue;
        if (owner && owner.sleepsUntil > now) {
          at(owner.sleepsUntil, owner, next.what, next.run);
          continue;
        }
        steps += 1;
        current = owner;
        if (next.what !== 'timer') digest.add(`${now - startsAt} ${owner?.name ?? '-'} ${next.what}`);
        await next.run();
        await settled();
        current = null;
        return true;
      }
    },
    settled,
  };
}

function push(heap: Happening[], item: Happening): void {
  heap.push(item);
  let i = heap.length - 1;
  while (i > 0) {
    const up = (i - 1) >> 1;
    if (!isBefore(heap[i]!, heap[up]!)) return;
    [heap[i], heap[up]] = [heap[up]!, heap[i]!];
    i = up;
  }
}

function pop(heap: Happening[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  heap[0] = last;
  for (let i = 0; ; ) {
    const left = 2 * i + 1;
    const right = left + 1;
    let least = i;
    if (left < heap.length && isBefore(heap[left]!, heap[least]!)) least = left;
    if (right < heap.length && isBefore(heap[right]!, heap[least]!)) least = right;
    if (least === i) return;
    [heap[i], heap[least]] = [heap[least]!, heap[i]!];
    i = least;
  }
}

/** Two events of one moment happen in an order that the seed draws. */
function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.tie < b.tie);
}

/** The course of events, in short, and the last steps in words. */
export type Digest = { add(line: string): void; value(): string; last(): string[] };

export function createDigest(keep: number): Digest {
  let hash = 0x811c9dc5;
  let other = 0x1234567;
  let lines: string[] = [];
  return {
    add(line) {
      for (let i = 0; i < line.length; i++) {
        const code = line.charCodeAt(i);
        hash = Math.imul(hash ^ code, 0x01000193);
        other = Math.imul(other + code, 0x5bd1e995) ^ (other >>> 13);
      }
      lines.push(line);
      if (lines.length > 2 * keep) lines = lines.slice(-keep);
    },
    value: () => (hash >>> 0).toString(16).padStart(8, '0') + (other >>> 0).toString(16).padStart(8, '0'),
    last: () => lines.slice(-keep),
  };
}

let soon = 0;
const realImmediate = globalThis.setImmediate;
const immediate = () => new Promise<void>((resolve) => realImmediate(resolve));

/** Until nothing waits for its turn in this process: promises, and what was put off to the next round of the loop. */
async function settled(): Promise<void> {
  do await immediate();
  while (soon > 0);
}

/** Counts what is put off, so that `settled` knows; called once. */
export function countImmediates(): void {
  globalThis.setImmediate = ((work: (...args: unknown[]) => void, ...args: unknown[]) => {
    soon += 1;
    return realImmediate(() => {
      soon -= 1;
      work(...args);
    });
  }) as typeof setImmediate;
}
