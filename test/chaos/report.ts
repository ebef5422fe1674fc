import type { Comeback } from './diary.ts';
import type { Rule } from './judge.ts';
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
    `round ${plan.seed}  ${plan.service === 'standard' ? '' : `${plan.service}, `}${plan.engine}, ${plan.mode}, ${plan.keys} key${plan.keys > 1 ? 's' : ''}, ${plan.people} people${plan.mostAttempts > 1 ? `, ${plan.mostAttempts} attempts each` : ''}${plan.policy ? ', contact rules' : ''}${plan.extras.names.map((name) => `, ${name}`).join('')}`,
  );
  const line = (name: string, text: string) => say(`  ${name.padEnd(22)}${text}`);
  line('seconds', verdict.seconds.toFixed(1));
  line('people', states);
  line('creates, calls', `${tally.creates}, ${tally.calls}`);
  line('SIGKILLs', String(tally.kills));
  line('called twice', String(tally.twice));
  line(
    'ever unknown',
    `${tally.doubts.called} called, ${tally.doubts.refused} not, ${tally.doubts.unsent} never sent, ${tally.doubts.freed} freed by a journal, ${tally.doubts.lost} as history was lost, ${tally.doubts.stale} stale, ${tally.doubts.needless} without a reason`,
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
  line(
    'bit',
    Object.entries(verdict.bites)
      .map(([what, n]) => `${n} x ${what}`)
      .join('; '),
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
  const rules = plan.policy ? '--policy' : plan.sharing > 1 ? `--sharing ${plan.sharing}` : '';
  const words = [
    `npm run chaos -- --rounds 1 --seed ${plan.seed} --people ${plan.people} --engine ${plan.engine}`,
    `--seconds ${Math.ceil(plan.strikeMs / 1_000)} --processes ${plan.workers}`,
    `--with ${plan.extras.names.join() || 'none'}`,
    plan.service === 'standard' ? '' : `--service ${plan.service}`,
    rules,
    plan.numbers > 1 ? `--numbers ${plan.numbers}` : '',
    plan.pool === null ? '' : `--pool ${plan.pool}`,
    plan.budget === null ? '' : `--budget ${plan.budget}`,
    '--keep',
  ];
  return words.filter((word) => word).join(' ');
}

export function printTotals(verdicts: readonly Verdict[], failures: readonly string[], say: Say): void {
  say('');
  say(`${verdicts.length} rounds, ${sumOf(verdicts, (each) => each.seconds).toFixed(0)} s`);
  for (const what of ['worker', 'crew', 'queue', 'ledger', 'last'] as const) {
    const all = verdicts.flatMap((each) => each.pace.after[what] ?? []);
    if (all.length > 0) say(`  after ${nameOf(what)}: ${tellRecoveries(all)}`);
  }
  printSums(verdicts, say);
  const broken = verdicts.filter((each) => each.violations.length > 0);
  for (const each of broken)
    say(
      `  BROKEN ${each.plan.seed} ${each.plan.engine}: ${each.violations.map((one) => one.rule).join('; ')}`,
    );
  for (const failure of failures) say(`  FAILED ${failure}`);
  if (broken.length + failures.length === 0)
    say('  SOUND: no number called twice, no row lost, every unknown shown');
}

/** One table of all rounds, by engine: what was done, what was found, what was noticed. */
function printSums(verdicts: readonly Verdict[], say: Say): void {
  const engines = [...new Set(verdicts.map((each) => each.plan.engine))];
  const columns = [...engines.map((one) => verdicts.filter((each) => each.plan.engine === one)), verdicts];
  const found = (rule: Rule) => (each: Verdict) =>
    each.violations.find((violation) => violation.rule === rule)?.count ?? 0;
  const lost = (each: Verdict) =>
    found('a row is lost, or is in two states')(each) +
    found('the service made a call that is not in the ledger')(each);
  const rows: [string, (verdict: Verdict) => number][] = [
    ['rounds', () => 1],
    ['people', (each) => each.tally.people],
    ['creates', (each) => each.tally.creates],
    ['calls', (each) => each.tally.calls],
    ['SIGKILLs', (each) => each.tally.kills],
    ['other faults', otherFaults],
    ['times history was lost', ({ bites }) => bites['lost history: noticed'] ?? 0],
    ['called twice', (each) => each.tally.twice],
    ['lost', lost],
    ['overlaps', found('two calls to one phone overlapped')],
    ['caps exceeded', found('a phone was called more often or sooner than the contact rules allow')],
    ['dialled after a stop', dialledAfterStop],
    ['ever unknown', ({ tally: { doubts } }) => Object.values(doubts).reduce((sum, n) => sum + n, 0)],
    ['  of these never sent', ({ tally }) => tally.doubts.unsent],
    ['  of these freed by a journal', ({ tally }) => tally.doubts.freed],
    ['  of these as history was lost', ({ tally }) => tally.doubts.lost],
    ['  of these given up as stale', ({ tally }) => tally.doubts.stale],
    ['unknown, not ambiguous', (each) => each.tally.doubts.needless],
    ['rounds that did not finish', found('the campaign did not finish')],
  ];
  const cell = (text: string) => text.padStart(10);
  say(`  ${''.padEnd(28)}${[...engines, 'all'].map(cell).join('')}`);
  for (const [name, of] of rows)
    say(`  ${name.padEnd(28)}${columns.map((column) => cell(String(sumOf(column, of)))).join('')}`);
  const bites = [...new Set(verdicts.flatMap((each) => Object.keys(each.bites)))].sort();
  for (const what of bites) {
    const played = verdicts.filter((each) => each.bites[what] !== undefined);
    const bit = played.filter((each) => each.bites[what]! > 0).length;
    const times = sumOf(played, (each) => each.bites[what]!);
    say(`  bit ${String(times).padStart(6)} times, in ${bit} of ${played.length} rounds: ${what}`);
  }

  function dialledAfterStop(each: Verdict): number {
    return (
      found('somebody was dialled after a suppression')(each) +
      found('somebody was dialled after a cancel, a pause or the end of the window')(each)
    );
  }
}

function sumOf(verdicts: readonly Verdict[], of: (verdict: Verdict) => number): number {
  return verdicts.reduce((total, each) => total + of(each), 0);
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
