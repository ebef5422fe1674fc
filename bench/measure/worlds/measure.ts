import { setImmediate } from 'node:timers/promises';
import { peers } from '../../peers/worlds.ts';
import { keep, say } from '../../support/report.ts';
import { drawWorld, type World } from './draw.ts';
import {
  type ChangeFigures,
  changesOf,
  costOf,
  type Group,
  groupOf,
  groupsOf,
  isPlain,
  orNever,
  percent,
  type Row,
} from './figures.ts';
import { carillon } from './ours.ts';
import { type ClientMaker, play } from './play.ts';
import { score } from './score.ts';

/** Unpublished limits of every kind, drawn by seed: how much of each is used, and how often it refuses. */
export type WorldsOptions = {
  worlds: number;
  from: number;
  /** Words, one of which a world's name must contain, or `plain`, separated by commas; none for all worlds. */
  kinds: string;
  minutes: number;
  peers: boolean;
};

const worst = 20;

export async function measureWorlds(options: WorldsOptions, signal: AbortSignal): Promise<void> {
  const kinds = options.kinds.split(',').filter((word) => word !== '');
  const worlds = range(options.from, options.worlds)
    .map((seed) => ({ ...drawWorld(seed), minutes: options.minutes }))
    .filter((world) => kinds.length === 0 || kinds.some((word) => isOf(world, word)));
  if (worlds.length === 0) throw new Error(`no world is called ${kinds.join(' or ')}: use other --kinds`);
  const began = performance.now();
  const rows = await playAll(worlds, carillon, signal);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const all = groupOf('all', rows);
  const groups = groupsOf(rows);
  const changes = changesOf(rows);
  say(`${rows.length} worlds of ${options.minutes} virtual minutes, played in ${seconds} s\n`);
  printGroups([...all, ...groups]);
  printChanges(changes);
  printWorst(rows);
  const others = options.peers ? await playPeers(worlds, signal) : [];
  keep('worlds', { how: options, all: all[0], groups, changes, peers: others, worlds: rows.map(rowOf) });
}

/** `plain` selects worlds without a cap, a quota, several limits or keys, and strangers. */
function isOf(world: World, word: string): boolean {
  return word === 'plain' ? isPlain(world) : world.name.includes(word);
}

async function playAll(worlds: readonly World[], maker: ClientMaker, signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = [];
  for (const world of worlds) {
    if (signal.aborted) throw new Error('interrupted');
    rows.push({ world, score: score(world, play(world, maker)) });
    // An interrupt is noticed between two worlds.
    await setImmediate();
  }
  return rows;
}

async function playPeers(worlds: readonly World[], signal: AbortSignal): Promise<Group[]> {
  say('\nPeers in the same worlds: models of their published algorithms, one client a key.');
  const found: Group[] = [];
  for (const [name, maker] of Object.entries(peers)) {
    const [group] = groupOf(name, await playAll(worlds, maker, signal));
    if (found.length === 0) say(headline);
    say(lineOf(group!));
    found.push(group!);
  }
  return found;
}

const headline = `${''.padEnd(24)}worlds   used median     5th     1st   429 median    95th    99th, all in %`;

function lineOf({ name, worlds, used, refused }: Group): string {
  const cells = [percent(used.p50).padStart(14), percent(used.p5).padStart(8), percent(used.p1).padStart(8)];
  const no = [refused.p50, refused.p95, refused.p99].map((share, i) =>
    percent(share, 2).padStart(i === 0 ? 13 : 8),
  );
  return [name.padEnd(24), String(worlds).padStart(6), ...cells, ...no].join('');
}

function printGroups(groups: readonly Group[]): void {
  say(headline);
  for (const group of groups) say(lineOf(group));
  say('');
}

function printChanges(changes: readonly ChangeFigures[]): void {
  for (const { name, changes: count, settled, used, refused } of changes) {
    const [p50, p90] = [settled.p50, settled.p90].map((at) => (at === null ? 'never' : `${at} s`));
    say(
      `${count} ${name}: 90 % used after ${p50}, nine of ten after ${p90}; in 75 s used ${percent(used.p50)} % (a tenth below ${percent(used.p10)}), 429 ${percent(refused.p50, 2)} % (a tenth above ${percent(refused.p90, 2)})`,
    );
  }
}

function printWorst(rows: readonly Row[]): void {
  say(`\nThe worst: far from 98 % used, or far from 0.5 % refused`);
  const sorted = [...rows].sort((a, b) => costOf(b.score) - costOf(a.score));
  for (const {
    world,
    score: { used, refused },
  } of sorted.slice(0, worst)) {
    const { seed, name, processes, keys, rttMs, jitterMs, retryAfter, maxCalls, callSeconds } = world;
    say(
      [
        String(seed).padStart(6),
        percent(used).padStart(7),
        percent(refused, 2).padStart(7),
        ` ${name}; ${processes} processes, round trip ${rttMs.toFixed(0)} ms, jitter ${jitterMs.toFixed(0)} ms`,
        keys > 1 ? `, ${keys} keys` : '',
        retryAfter === 'none' ? '' : `, Retry-After ${retryAfter}`,
        maxCalls === null ? '' : `, ${maxCalls} calls of ${callSeconds} s`,
      ].join(''),
    );
  }
}

function rowOf({ world, score: { used, refused, changes } }: Row) {
  const told = changes.map((change) => ({ ...change, settled: orNever(change.settled) }));
  return { seed: world.seed, name: world.name, used, refused, changes: told };
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}
