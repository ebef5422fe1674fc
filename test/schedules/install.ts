import crypto from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Readable } from 'node:stream';
import timers from 'node:timers/promises';
import { countImmediates, type Owner, type World } from './world.ts';

/**
 * The things that the product asks of the process itself, answered by the world that is played: timers by its time, ids
 * by its seed. A process plays one world at a time.
 */
let played: World | null = null;
let ids = 0;

export function enter(world: World): void {
  played = world;
  ids = 0;
}

export function leave(): void {
  played = null;
}

export function install(): void {
  countImmediates();
  const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  const faked = new Set<object>();
  globalThis.setTimeout = ((work: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    if (!played) return real.setTimeout(work, ms, ...args);
    const world = played;
    const timer = {
      live: true,
      unref: () => timer,
      ref: () => timer,
      hasRef: () => true,
      refresh: () => timer,
    };
    faked.add(timer);
    const run = () => {
      faked.delete(timer);
      if (timer.live) work(...args);
    };
    world.at(world.now() + ms, world.current() as Owner | null, 'timer', run);
    return timer;
  }) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((timer: { live: boolean } | undefined) => {
    if (timer && faked.delete(timer)) timer.live = false;
    else real.clearTimeout(timer as unknown as NodeJS.Timeout);
  }) as typeof clearTimeout;
  crypto.randomUUID = () => {
    ids += 1;
    const tail = ids.toString(16).padStart(12, '0');
    return `00000000-0000-4000-8000-${tail}` as `${string}-${string}-${string}-${string}-${string}`;
  };
  // A journal is read at once: the disk's own time is not simulated.
  fs.createReadStream = ((path: string) =>
    Readable.from(
      (function* () {
        yield fs.readFileSync(path, 'utf8');
      })(),
    )) as unknown as typeof fs.createReadStream;
  // The moment that a batch gathers: one turn of the loop.
  timers.setTimeout = (<T>(_ms?: number, value?: T) =>
    new Promise<T>((resolve) => {
      setImmediate(() => resolve(value as T));
    })) as typeof timers.setTimeout;
  syncBuiltinESMExports();
}
