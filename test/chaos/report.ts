import type { Comeback } from './diary.ts';
import type { Recovery } from './pace.ts';
import type { Verdict } from './round.ts';

/** The report of rounds: a table each, the totals, and the command that repeats a round. */
export type Say = (line: string) => void;

export function printRound(verdict: Verdict, say: Say): void {
  const { plan, tally, pace, violations } = verdict;
  const states = Object.entries(tally.states)
    .map(([state, n]) => `${n} ${state}`)
    .join(', ');
  say('');
  say(
    `round ${plan.seed}  ${plan.engine}, ${plan.mode}, ${plan.keys} key${plan.keys > 1 ? 's' : ''}, ${plan.people} people${plan.mostAttempts > 1 ? `, ${plan.mostAttempts} attempts each` : ''}${plan.policy ? ', contact rules' : ''}`,
  );
  const line = (name: string, text: string) => say(`  ${name.padEnd(22)}${text}`);
  line('seconds', verdict.seconds.toFixed(1));
  line('people', states);
  line('creates, calls', `${tally.creates}, ${tally.calls}`);
  line('SIGKILLs', String(tally.kills));
  line('called twice', String(tally.twice));
  line(
    'ever unknown',
    `${tally.doubts.called} called, ${tally.doubts.refused} not, ${tally.doubts.unsent} never sent, ${tally.doubts.needless} without a reason`,
  );
  line('creates a second', `${pace.before.toFixed(0)} before the faults`);
  for (const [what, list] of Object.entries(pace.after))
    line(`after ${nameOf(what as Comeback['what'])} `, tellRecoveries(list));
  line(
    'faults',
    Object.entries(verdict.faults)
      .map(([name, n]) => `${n} ${name}`)
      .join(', '),
  );
  for (const note of verdict.notes) line('', note);
  if (violations.length === 0) {
    say('  SOUND');
    return;
  }
  for (const { rule, count, examples } of violations) {
    say(`  BROKEN ${count} x ${rule}`);
    for (const example of examples) say(`         ${example}`);
  }
  say(`  evidence in ${verdict.folder}`);
  say(`  again: ${commandOf(verdict)}`);
}

export function commandOf({ plan }: Pick<Verdict, 'plan'>): string {
  return `npm run chaos -- --rounds 1 --seed ${plan.seed} --people ${plan.people} --engine ${plan.engine} --seconds ${Math.ceil(plan.strikeMs / 1_000)} --keep`;
}

export function printTotals(verdicts: readonly Verdict[], failures: readonly string[], say: Say): void {
  const sum = (of: (verdict: Verdict) => number) => verdicts.reduce((total, each) => total + of(each), 0);
  say('');
  say(`${verdicts.length} rounds, ${sum((each) => each.seconds).toFixed(0)} s`);
  say(
    `  people ${sum((each) => each.tally.people)}, creates ${sum((each) => each.tally.creates)}, calls ${sum((each) => each.tally.calls)}`,
  );
  say(`  SIGKILLs ${sum((each) => each.tally.kills)}, other faults ${sum(otherFaults)}`);
  say(`  called twice ${sum((each) => each.tally.twice)}`);
  for (const what of ['worker', 'crew', 'queue', 'ledger', 'last'] as const) {
    const all = verdicts.flatMap((each) => each.pace.after[what] ?? []);
    if (all.length > 0) say(`  after ${nameOf(what)}: ${tellRecoveries(all)}`);
  }
  const broken = verdicts.filter((each) => each.violations.length > 0);
  for (const each of broken)
    say(
      `  BROKEN ${each.plan.seed} ${each.plan.engine}: ${each.violations.map((one) => one.rule).join('; ')}`,
    );
  for (const failure of failures) say(`  FAILED ${failure}`);
  if (broken.length + failures.length === 0)
    say('  SOUND: no number called twice, no row lost, every unknown shown');
}

function otherFaults({ faults }: Verdict): number {
  return Object.entries(faults).reduce((sum, [name, n]) => (name.startsWith('kill') ? sum : sum + n), 0);
}

function nameOf(what: Comeback['what']): string {
  const names = {
    worker: 'a worker died',
    crew: 'all workers died',
    queue: 'the queue came back',
    ledger: 'the ledger came back',
    last: 'the last restart',
  };
  return names[what];
}

function tellRecoveries(list: readonly Recovery[]): string {
  const full = list.flatMap((each) => each.fullMs ?? []);
  const first = list.map((each) => each.firstMs);
  const fully = full.length > 0 ? `, full pace ${spread(full)} (${full.length} seen)` : '';
  return `first create ${spread(first)} (${first.length})${fully}`;
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)]!;
  return `${(median / 1_000).toFixed(2)} s, at most ${(sorted.at(-1)! / 1_000).toFixed(2)} s`;
}
