import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { World } from './draw.ts';
import { percent, quantile } from './figures.ts';
import { drawKeyring, type Manner } from './keyrings.ts';
import { strangers, withKeyring } from './ours.ts';
import type { Finding } from './ours-keyring.ts';
import { type Played, play } from './play.ts';
import { allowedOf } from './score.ts';

/** Keys of one account, and keys that only look like it: which are found to share a limit, and what that changes. */
export type AccountsOptions = { worlds: number; from: number; verbose: boolean; folder: string };

type Used = { used: number; refused: number };
export type KeyringRow = {
  seed: number;
  name: string;
  rate: number;
  keys: number;
  /** Each key for itself, and with what was found; the whole time. */
  before: Used;
  after: Used;
  /** Minutes until two keys, and all of them, were found to share the limit. */
  first: number | null;
  all: number | null;
  /** The time after all were found, as it is and as it would have been. */
  since: Used | null;
  sinceBefore: Used | null;
  /** A budget fell apart again. */
  fellApart: boolean;
};

const say = (line: string) => process.stdout.write(`${line}\n`);
/** Half a minute for the new budget to find its pace, and enough left to judge. */
const settleSeconds = 30;
const leastJudged = 300;

export async function measureAccounts(options: AccountsOptions, signal: AbortSignal): Promise<void> {
  const found: Record<string, KeyringRow[]> = {};
  for (const manner of ['account', 'apart'] as const) {
    const rows: KeyringRow[] = [];
    for (let seed = options.from; seed < options.from + options.worlds; seed++) {
      if (signal.aborted) throw new Error('interrupted');
      const row = playKeyring(seed, manner);
      rows.push(row);
      if (options.verbose) say(lineOf(row));
      await setImmediate();
    }
    found[manner] = rows;
    say(`\n${manner === 'account' ? 'keys of one account' : 'keys with limits of their own'}`);
    for (const [name, of] of Object.entries(groups)) printGroup(name, rows.filter(of));
  }
  mkdirSync(options.folder, { recursive: true });
  const path = join(options.folder, 'accounts.json');
  writeFileSync(path, `${JSON.stringify(found, null, 1)}\n`);
  say(`\nWritten to ${path}`);
}

/** One world, played with keys that know nothing of each other, and as Carillon plays it. */
export function playKeyring(seed: number, manner: Manner): KeyringRow {
  const world = drawKeyring(seed, manner);
  const findings: Finding[] = [];
  const [without, played] = [
    play(world, strangers),
    play(
      world,
      withKeyring((each) => findings.push(each)),
    ),
  ];
  const size = ({ budgets }: Finding) => Math.max(0, ...budgets.map((lanes) => lanes.length));
  const all = findings.find((each) => size(each) === world.keys);
  const seconds = world.minutes * 60;
  const from = all ? Math.ceil(all.at / 1_000) + settleSeconds : seconds;
  const isJudged = seconds - from >= leastJudged;
  const minutesOf = (each: Finding | undefined) => (each ? each.at / 60_000 : null);
  return {
    seed,
    name: world.name,
    rate: world.limits[0]!.rate,
    keys: world.keys,
    before: usedOf(world, without, 0),
    after: usedOf(world, played, 0),
    first: minutesOf(findings[0]),
    all: minutesOf(all),
    since: isJudged ? usedOf(world, played, from) : null,
    sinceBefore: isJudged ? usedOf(world, without, from) : null,
    fellApart: findings.some((each, i) => i > 0 && size(each) < size(findings[i - 1]!)),
  };
}

/** A key that has nobody to call counts as one that could: that is the same for both ways to play. */
function usedOf(world: World, { accepted, refused, pollsPerCall }: Played, from: number): Used {
  const parts = world.apart?.map(({ share, scale }) => ({
    ...world,
    scale,
    limits: world.limits.map((spec) => ({ ...spec, rate: spec.rate * share })),
  })) ?? [world];
  let [all, passed, no] = [0, 0, 0];
  for (let second = from; second < world.minutes * 60; second++) {
    for (const part of parts) all += allowedOf(part, second, pollsPerCall);
    passed += accepted[second]!;
    no += refused[second]!;
  }
  return { used: passed / Math.max(1e-9, all), refused: no / Math.max(1, passed + no) };
}

const spans = /over (10|60) s/;
const groups: Record<string, (row: KeyringRow) => boolean> = {
  all: () => true,
  'two keys': ({ keys }) => keys === 2,
  'three or four keys': ({ keys }) => keys > 2,
  '2 a second or more, windows of a second': ({ rate, name }) => rate >= 2 && !spans.test(name),
  'less than 2 a second': ({ rate }) => rate < 2,
  'windows of 10 or 60 s': ({ name }) => spans.test(name),
};

function printGroup(name: string, rows: readonly KeyringRow[]): void {
  if (rows.length === 0) return;
  const judged = rows.filter((row) => row.since !== null);
  const all = rows.filter((row) => row.all !== null);
  const cells = (used: readonly (Used | null)[]) => {
    const known = used.filter((each) => each !== null);
    if (known.length === 0) return '-';
    const shares = known.map((each) => each.used);
    const no = known.map((each) => each.refused);
    return `${percent(quantile(shares, 0.5))} (${percent(quantile(shares, 0.1))}) / ${percent(quantile(no, 0.5), 2)} (${percent(quantile(no, 0.9), 2)})`;
  };
  say(
    [
      `${name}: ${rows.length} worlds`,
      `found ${rows.filter((row) => row.first !== null).length}, all keys ${all.length}`,
      all.length > 0
        ? `after ${quantile(
            all.map((row) => row.all!),
            0.5,
          ).toFixed(1)} min`
        : '',
      `fell apart ${rows.filter((row) => row.fellApart).length}`,
      `each for itself ${cells(rows.map((row) => row.before))}`,
      `Carillon ${cells(rows.map((row) => row.after))}`,
      judged.length > 0 ? `once found ${cells(judged.map((row) => row.since))}` : '',
      judged.length > 0 ? `instead of ${cells(judged.map((row) => row.sinceBefore))}` : '',
      `median change of what was used ${percent(
        quantile(
          rows.map((row) => row.after.used / row.before.used - 1),
          0.5,
        ),
        2,
      )} %`,
    ]
      .filter((part) => part !== '')
      .join('; '),
  );
}

function lineOf({ seed, name, before, after, first, all, since, fellApart }: KeyringRow): string {
  const shares = ({ used, refused }: Used) => `${percent(used)} / ${percent(refused, 2)}`;
  const minutes = (at: number | null) => (at === null ? '-' : at.toFixed(1));
  return [
    String(seed).padStart(5),
    shares(before).padEnd(14),
    shares(after).padEnd(14),
    `found ${minutes(first)} all ${minutes(all)}${fellApart ? ' fell apart' : ''}`.padEnd(22),
    since ? `since ${shares(since)}` : '',
    name,
  ].join('  ');
}
