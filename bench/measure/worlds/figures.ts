import type { World } from './draw.ts';
import type { Score } from './score.ts';

/** The figures of many worlds: of all, of groups that have something in common, and after changes. */
export type Row = { world: World; score: Score };

export type Quantiles = {
  used: Record<'p50' | 'p5' | 'p1', number>;
  refused: Record<'p50' | 'p95' | 'p99', number>;
};
export type Group = Quantiles & { name: string; worlds: number };
export type ChangeFigures = {
  name: string;
  changes: number;
  /** Seconds until 90 % of the new limit is used; null when it never was. */
  settled: { p50: number | null; p90: number | null };
  /** The share used in the first 75 s. */
  used: { p50: number; p10: number };
  refused: { p50: number; p90: number };
};

const special = ['cap', 'operations', 'two', 'account', 'quota', 'strangers'];
const specialOf = ({ name }: World) => special.find((word) => name.includes(word));
/** A world with a single difficulty: no cap, no quota, no other clients. */
export const isPlain = (world: World) => specialOf(world) === undefined;
const isWindow = ({ limits: [main] }: World) => main!.kind !== 'bucket' && main!.kind !== 'leaky';
const isTiny = ({ limits: [main] }: World) => main!.kind === 'bucket' && main!.rate * main!.seconds < 2;

const groups: Record<string, (world: World) => boolean> = {
  still: (world) => isPlain(world) && world.name.includes('stands'),
  moving: (world) => isPlain(world) && !world.name.includes('stands'),
  'long windows': (world) => isPlain(world) && isWindow(world) && world.limits[0]!.seconds >= 10,
  slow: (world) => isPlain(world) && world.limits[0]!.rate < 2,
  'tiny buckets': (world) => isPlain(world) && isTiny(world),
  jitter: (world) => isPlain(world) && world.jitterMs > 100,
  strangers: (world) => world.strangers !== null,
  caps: (world) => world.maxCalls !== null,
  'limits by operation': (world) => world.name.includes('operations'),
  'two limits': (world) => world.name.includes('two'),
  account: (world) => world.keys > 1,
  quota: (world) => world.quota !== null,
};

export function groupsOf(rows: readonly Row[]): Group[] {
  return Object.entries(groups).flatMap(([name, belongs]) =>
    groupOf(
      name,
      rows.filter(({ world }) => belongs(world)),
    ),
  );
}

export function groupOf(name: string, rows: readonly Row[]): Group[] {
  if (rows.length === 0) return [];
  const used = rows.map(({ score }) => score.used);
  const refused = rows.map(({ score }) => score.refused);
  return [
    {
      name,
      worlds: rows.length,
      used: { p50: quantile(used, 0.5), p5: quantile(used, 0.05), p1: quantile(used, 0.01) },
      refused: { p50: quantile(refused, 0.5), p95: quantile(refused, 0.95), p99: quantile(refused, 0.99) },
    },
  ];
}

export function changesOf(rows: readonly Row[]): ChangeFigures[] {
  const changes = rows.flatMap(({ score }) => score.changes);
  const figuresOf = (name: string, moved: (factor: number) => boolean): ChangeFigures[] => {
    const these = changes.filter(({ factor }) => moved(factor));
    if (these.length === 0) return [];
    const settled = these.map((change) => change.settled);
    const used = these.map((change) => change.used);
    const refused = these.map((change) => change.refused);
    return [
      {
        name,
        changes: these.length,
        settled: { p50: orNever(quantile(settled, 0.5)), p90: orNever(quantile(settled, 0.9)) },
        used: { p50: quantile(used, 0.5), p10: quantile(used, 0.1) },
        refused: { p50: quantile(refused, 0.5), p90: quantile(refused, 0.9) },
      },
    ];
  };
  return [
    ...figuresOf('rises by half or more', (factor) => factor > 1.5),
    ...figuresOf('falls by a third or more', (factor) => factor < 0.67),
  ];
}

/** The distance from 98 % used or from 0.5 % refused, whichever is worse. */
export function costOf({ used, refused }: Score): number {
  return Math.max((0.98 - used) / 0.08, (refused - 0.005) / 0.025);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

export function percent(share: number, digits = 1): string {
  return (100 * share).toFixed(digits);
}

export function orNever(seconds: number): number | null {
  return Number.isFinite(seconds) ? seconds : null;
}
