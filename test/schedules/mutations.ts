import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { applyTo, type Change, fence, mutations } from '../chaos/mutations.ts';

/** The safeguards that the chaos runs remove, removed here: how soon does a schedule fail? */
type Tried = { name: string; changes: readonly Change[] };

const root = join(import.meta.dirname, '..', '..');

/** Those of the chaos runs that no schedule can meet, and why. */
export const outOfReach: ReadonlyMap<string, string> = new Map([
  [
    'the compare-and-set is removed',
    'the attempt has its phone already, so that a second opening of it is refused; without that too, below, it is found',
  ],
  [
    'silence still frees',
    'a dialer must end, or lose an answer, between intent and note just before the copy: where history is lost, nothing else goes wrong',
  ],
  [
    'stalled jobs run again',
    'the engine’s own setting: the queue is simulated, and delivers jobs twice in any case',
  ],
]);

export function reasonOf(name: string): string | null {
  for (const [words, why] of outOfReach) if (name.includes(words)) return why;
  return null;
}

/** Safeguards that only schedules can remove in reach of a test that lasts minutes. */
const changesOf = (words: string): readonly Change[] =>
  mutations.find(({ name }) => name.includes(words))!.changes;
export const own: readonly Tried[] = [
  {
    name: 'an attempt is opened twice: no check of its state is left, and its phone may be taken twice',
    changes: [
      ...changesOf('the compare-and-set is removed with the check before it'),
      ...changesOf('a phone may be live twice'),
    ],
  },
  {
    name: 'a paused campaign is still admitted at the fence',
    changes: [
      { file: fence, from: "when campaign.state <> 'running' then 'paused'", to: "when false then 'paused'" },
    ],
  },
  {
    name: 'a suppression is not asked at the fence',
    changes: [
      {
        file: fence,
        from: 'and exists (select from carillon.barring(j.phone, j.campaign_id)));',
        to: 'and false);',
      },
    ],
  },
  {
    name: 'a create is sent again under another key',
    changes: [
      {
        file: 'src/dispatch/repeat.ts',
        from: 'JSON.parse(sent) as',
        to: 'JSON.parse(sent.replaceAll(doubt.id, ticket)) as',
      },
    ],
  },
  {
    name: 'the limit of a run is not kept at the fence',
    changes: [{ file: fence, from: 'if by_run is not null and', to: 'if false and' }],
  },
  {
    name: 'one row that cannot be written fails the round for all',
    changes: [{ file: 'src/base/asides.ts', from: 'typeof code === ', to: 'false && typeof code === ' }],
  },
  {
    name: 'an unknown attempt is redialled before its own expiry',
    changes: [
      {
        file: 'src/ledger/attempts/repairs.sql',
        from: '    and a.expires_at < clock_timestamp() and (',
        to: '    and (',
      },
    ],
  },
];

const most = 1_000_000;

/** How long each is tried, and where. */
export type Trial = { server: string; jobs: number; first: number; minutes: number };

/** Prints a table: which schedule found it, after how long, and by which rule. */
export async function runMutations(
  say: (line: string) => void,
  only: string | null,
  how: Trial,
): Promise<boolean> {
  let all = true;
  say('| safeguard removed | found | by |');
  say('|---|---|---|');
  for (const { name, changes } of [...mutations, ...own]) {
    if (only && !name.includes(only)) continue;
    const why = reasonOf(name);
    if (why) {
      say(`| ${name} | out of reach | ${why} |`);
      continue;
    }
    const { found, by } = await tryOne(changes, how);
    all &&= found !== null;
    say(`| ${name} | ${found ?? 'no'} | ${by} |`);
  }
  return all;
}

/** Whether a seed keeps the rules with every safeguard in place. */
async function holds(seed: string, server: string): Promise<boolean> {
  const args = [
    ...process.execArgv,
    join('test', 'schedules', 'main.ts'),
    '--server',
    server,
    '--seed',
    seed,
  ];
  return promisify(execFile)(process.execPath, args, { cwd: root, timeout: 60_000 }).then(
    () => true,
    () => false,
  );
}

async function tryOne(
  changes: readonly Change[],
  { server, jobs, first, minutes }: Trial,
): Promise<{ found: string | null; by: string }> {
  const copy = mkdtempSync(join(tmpdir(), 'carillon-sim-mutant-'));
  try {
    for (const name of ['src', 'workers', 'test/schedules', 'package.json', 'tsconfig.json'])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    applyTo(copy, changes);
    const began = performance.now();
    const flags = Object.entries({ server, jobs, first, minutes, schedules: most }).flatMap(
      ([name, value]) => [`--${name}`, String(value)],
    );
    const args = [...process.execArgv, join('test', 'schedules', 'main.ts'), ...flags, '--until-failure'];
    const run = promisify(execFile)(process.execPath, args, { cwd: copy, timeout: (minutes + 1) * 60_000 });
    const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error);
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    const failed = /seed (\d+) FAILED: (.+)/.exec(stdout);
    if (failed && !(await holds(failed[1]!, server)))
      return { found: null, by: `seed ${failed[1]} fails without the change too: ${failed[2]}` };
    if (failed) return { found: `schedule ${Number(failed[1]) - first + 1}, ${seconds} s`, by: failed[2]! };
    const last = stdout.trim().split('\n').at(-1) || stderr.slice(-300);
    return { found: null, by: last };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
