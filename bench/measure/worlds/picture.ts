import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capNow } from '../../../src/rules/limit/creates.ts';
import { drawWorld, type World } from './draw.ts';
import { percent } from './figures.ts';
import { lessons } from './lessons.ts';
import { carillon } from './ours.ts';
import { type Played, play } from './play.ts';
import { allowedOf, score } from './score.ts';
import { type Panel, svgOf } from './svg.ts';

/** Draws one world: what its limits allowed, what was accepted and refused, and what was believed. */
const bins = 360;
const perBin = 16;
const mostSlow = 10;

export function drawPictures(which: string | number, minutes: number, folder: string): void {
  mkdirSync(folder, { recursive: true });
  const chosen =
    which === 'all'
      ? Object.entries(lessons)
      : typeof which === 'string'
        ? [[which, lessons[which]!] as const]
        : [[`world-${which}`, { ...drawWorld(which), minutes }] as const];
  for (const [name, world] of chosen) {
    const path = join(folder, `${name}.svg`);
    const svg = pictureOf(world);
    writeFileSync(path, svg);
    process.stdout.write(`${path}, ${(svg.length / 1_024).toFixed(0)} KB\n`);
  }
}

/** The belief at the end of each second. */
type Believed = { limit: number | null; creates: number | null; cap: number | null; window: number | null };

function pictureOf(world: World): string {
  const seconds = world.minutes * 60;
  const seen: Believed[] = [];
  const played = play(world, carillon, ({ now, belief: { pace, creates } }) => {
    const second = Math.floor(now / 1_000);
    const limit = pace.limit ?? pace.rate;
    const own = creates.pace && (creates.pace.limit ?? creates.pace.rate);
    const window = pace.window && pace.window.turns > 0 ? pace.window.edge % 1e9 : null;
    seen[second] = { limit, creates: own, cap: capNow(creates), window };
  });
  const start: Believed = { limit: 2, creates: null, cap: null, window: null };
  const believed = Array.from({ length: seconds }, () => start);
  for (let i = 0; i < seconds; i++) believed[i] = seen[i] ?? believed[i - 1] ?? start;

  const { used, refused } = score(world, played);
  return svgOf({
    title: world.name,
    note: `${percent(used, 0)} % of the limit used, ${percent(refused, 1)} % of the requests refused`,
    seconds,
    edges: edgesOf(believed),
    panels: [requestsOf(world, played, believed), ...ownLimitsOf(world, played, believed)],
  });
}

/** The times at which a discovered rate window begins. */
function edgesOf(believed: readonly Believed[]): number[] {
  return believed.flatMap(({ window }, i) =>
    window !== null && window !== believed[i - 1]?.window ? [i] : [],
  );
}

function requestsOf(world: World, played: Played, believed: readonly Believed[]): Panel {
  const bin = binOf(world);
  const allowed = world.limits.some(({ scope }) => scope === 'all')
    ? rates(bin, believed.length, (i) => allRate(world, i))
    : rates(bin, believed.length, (i) => allowedOf(world, i, played.pollsPerCall));
  return {
    title: `requests a second${bin > 1 ? `, means of ${bin} s` : ''}`,
    bin,
    accepted: rates(bin, believed.length, (i) => played.accepted[i]!),
    refused: rates(bin, believed.length, (i) => played.refused[i]!),
    truth: allowed,
    belief: rates(bin, believed.length, (i) => believed[i]!.limit ?? 0),
  };
}

/** The rate that the limits of all requests leave to us, without limits for creates only. */
function allRate(world: World, second: number): number {
  const limits = world.limits.filter(({ scope }) => scope === 'all');
  return allowedOf({ ...world, limits, maxCalls: null }, second, 1);
}

function ownLimitsOf(world: World, played: Played, believed: readonly Believed[]): Panel[] {
  const bin = binOf(world);
  const own = world.limits.find(({ scope }) => scope === 'create');
  const panels: Panel[] = [];
  if (own) {
    panels.push({
      title: 'creates a second',
      bin,
      accepted: rates(bin, believed.length, (i) => played.creates[i]!),
      refused: [],
      truth: rates(bin, believed.length, (i) => own.rate * world.scale(i * 1_000)),
      belief: rates(bin, believed.length, (i) => believed[i]!.creates ?? Number.NaN),
    });
  }
  if (world.maxCalls !== null) {
    panels.push({
      title: 'calls at once',
      bin,
      accepted: rates(bin, believed.length, (i) => played.calls[i]!),
      refused: [],
      truth: rates(bin, believed.length, () => world.maxCalls!),
      belief: rates(bin, believed.length, (i) => believed[i]!.cap ?? Number.NaN),
    });
  }
  return panels;
}

/** Seconds that are drawn as one: enough to show the requests of a slow world. */
function binOf(world: World): number {
  const seconds = world.minutes * 60;
  const slow = Math.min(mostSlow, Math.ceil(perBin / allowedOf(world, 0, 1.6)));
  return Math.max(slow, Math.ceil(seconds / bins));
}

function rates(bin: number, seconds: number, of: (second: number) => number): number[] {
  return Array.from({ length: Math.floor(seconds / bin) }, (_, i) => {
    let sum = 0;
    for (let second = i * bin; second < (i + 1) * bin; second++) sum += of(second);
    return sum / bin;
  });
}
