import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { type EngineKind, results, root } from './stage.ts';
import type { Run, SystemName } from './systems.ts';

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The figures stay in a file, with the machine that they are of. */
export function keep(name: string, figures: object): void {
  const path = join(results, `${name}.json`);
  writeFileSync(path, `${JSON.stringify({ machine: describeMachine(), ...figures }, null, 2)}\n`);
  say(`\nWritten to ${path}`);
}

/** Summarises runs: median, least, most, and the ratio of each pair. */
export type Machine = {
  cpu: string;
  cores: number;
  memory: string;
  system: string;
  versions: Record<string, string>;
};

export function describeMachine(): Machine {
  const versionOf = (name: string) =>
    (
      JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
        version: string;
      }
    ).version;
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory: `${(totalmem() / 2 ** 30).toFixed(1)} GiB`,
    system: `${type()} ${release()}`,
    versions: {
      node: process.versions.node,
      ...Object.fromEntries(['bullmq', 'ioredis', 'pg', 'undici'].map((name) => [name, versionOf(name)])),
    },
  };
}

export function machineLine({ cores, cpu, memory, versions }: Machine): string {
  return `${cores} x ${cpu}, ${memory}, node ${versions.node}`;
}

export type Spread = { median: number; least: number; most: number };
export type Summary = {
  engine: EngineKind;
  steady: Partial<Record<SystemName, Spread>>;
  whole: Partial<Record<SystemName, Spread>>;
  /** Carillon's steady rate divided by each peer's, pair by pair. */
  ratios: { peer: SystemName; pairs: number[]; spread: Spread }[];
};

export function summarise(engine: EngineKind, systems: readonly SystemName[], runs: readonly Run[]): Summary {
  const of = (system: SystemName) => runs.filter((run) => run.engine === engine && run.system === system);
  const spreads = (what: 'steady' | 'whole') =>
    Object.fromEntries(systems.map((system) => [system, spread(of(system).map((run) => run[what]))]));
  const ratios = systems
    .filter((system) => system !== 'carillon')
    .map((peer) => {
      const pairs = of('carillon').map((run, i) => run.steady / of(peer)[i]!.steady);
      return { peer, pairs, spread: spread(pairs) };
    });
  return { engine, steady: spreads('steady'), whole: spreads('whole'), ratios };
}

export type SpreadLine = [name: string, values: Spread, digits: number];

export function printSpreads(title: string, lines: readonly SpreadLine[]): void {
  const row = (cells: string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(44) : cell.padStart(10))).join('');
  say('');
  say(row([title, 'median', 'min', 'max']));
  for (const [name, { median, least, most }, digits] of lines)
    say(row([name, ...[median, least, most].map((value) => value.toFixed(digits))]));
}

export function printTable({ engine, steady, whole, ratios }: Summary): void {
  printSpreads(`queue in ${engine}`, [
    ...Object.entries(steady).map(([system, each]): SpreadLine => [`${system}, calls/s steady`, each, 0]),
    ...Object.entries(whole).map(([system, each]): SpreadLine => [`${system}, calls/s whole`, each, 0]),
    ...ratios.map(({ peer, spread }): SpreadLine => [`carillon to ${peer}, steady`, spread, 2]),
  ]);
  for (const { peer, pairs } of ratios)
    say(`${peer}, by pair: ${pairs.map((ratio) => ratio.toFixed(2)).join('  ')}`);
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
  return { median, least: sorted[0]!, most: sorted.at(-1)! };
}

export function median(values: readonly number[]): number {
  return spread(values).median;
}
