/**
 * Finds caller numbers that people answer less than before, and less than the other numbers of the same campaigns: a
 * sequential test, which says how sure it is after each call. Pure.
 *
 * Shiryaev and Roberts: R sums, over every call at which the number may have turned, how much likelier what came since is
 * if it did. While the number is as before, R grows by one a call on average, so that R stays below a bound for as many
 * calls. With a chance per call that a number turns, R also gives the odds that it has.
 */
/** Ended calls, the answered ones, and of those the ones that were not short. */
export type NumberCounts = { calls: number; answered: number; long: number };
/** What ended in one campaign since the last look, and what others of its numbers did lately. */
export type NumberCalls = NumberCounts & { others: Recent };
/** Calls of a campaign lately: many, and the last ones, which show at once when everyone is answered less. */
type Recent = { many: NumberCounts; last: NumberCounts };

/** What came of calls, and what would have come of them from the other numbers of their campaigns at the time. */
type Compared = { found: number; expected: number };
export type NumberWatch = {
  /** How the number's own calls ended, the older ones counting less, and how they compare with those of the others. */
  past: NumberCounts & { toAnswers: Compared; toLong: Compared };
  /** R for each way to turn: of being answered, and of answered calls that last. */
  answers: number[];
  short: number[];
};
type NumberVerdict = { watch: NumberWatch; why: 'answers' | 'short' | null; sure: number };

/** A number that turned keeps this part of its share: half of it, or next to nothing. */
const turns = [0.5, 0.1];
/** The chance that a number turns at one of its calls, and how sure it must be that it has. */
const turnsPerCall = 1e-4;
const sureEnough = 0.999;
/** How many calls the own past and the two of a campaign hold, and how many each must have to judge by. */
const pastCalls = 3_000;
const manyCalls = 1_000;
const lastCalls = 250;
const leastCalls = 100;
const leastLast = 30;
/** What came of fewer is no past to compare with. */
const leastFound = 30;
/** Estimates are taken this many deviations low: what is only uncertain is no evidence. */
const caution = 1.5;
/** R at which a number rests. One that returned by itself is on trial: half of the way is behind it at the start. */
const limit = sureEnough / (1 - sureEnough) / turnsPerCall;
const trial = Math.sqrt(limit);
/** Evidence beyond this changes nothing. */
const most = 1e15;

const none: Compared = { found: 0, expected: 0 };
const nothing: NumberCounts = { calls: 0, answered: 0, long: 0 };
export const noRecent: Recent = { many: nothing, last: nothing };
const all = (odds: number): number[] => turns.map(() => odds);

export function newWatch(): NumberWatch {
  return {
    past: { ...nothing, toAnswers: none, toLong: none },
    answers: all(0),
    short: all(0),
  };
}

/** The watch of a number that rests: when it returns by itself, less is needed to rest it again. */
export function onTrial({ past }: NumberWatch): NumberWatch {
  return { past, answers: all(trial), short: all(trial) };
}

/** What the ledger keeps of a watch; of a number that a person returned, only its past. */
export function readWatch(kept: Partial<NumberWatch> | null): NumberWatch {
  return { ...newWatch(), ...kept };
}

/** The calls of a campaign from one of its numbers: since the last look, and lately. */
export type NumberTally = {
  campaign: string;
  name: string;
  rests: boolean;
  fresh: NumberCounts;
  recent: Recent;
};

/** Looks at what ended in some campaigns. `tallies` has all numbers of each; their recent calls are brought up to date. */
export function lookAtNumbers(
  tallies: readonly NumberTally[],
  watchOf: (name: string) => NumberWatch,
): { tallies: NumberTally[]; verdicts: Map<string, NumberVerdict> } {
  const campaigns = new Map<string, { awake: number; sum: Recent }>();
  for (const { campaign, rests } of tallies) {
    const of = campaigns.get(campaign) ?? { awake: 0, sum: noRecent };
    campaigns.set(campaign, rests ? of : { ...of, awake: of.awake + 1 });
  }
  const moved = tallies.map((tally) => {
    const of = campaigns.get(tally.campaign)!;
    const part = 1 / Math.max(1, of.awake);
    const recent = {
      many: fade(tally.recent.many, tally.fresh, manyCalls * part),
      last: fade(tally.recent.last, tally.fresh, lastCalls * part),
    };
    // The calls of a number that rests say nothing about the others.
    if (!tally.rests) of.sum = addRecent(of.sum, recent, 1);
    return { ...tally, recent };
  });
  const seen = new Map<string, NumberCalls[]>();
  for (const { campaign, name, rests, fresh, recent } of moved) {
    if (rests || fresh.calls <= 0) continue;
    const others = addRecent(campaigns.get(campaign)!.sum, recent, -1);
    seen.set(name, [...(seen.get(name) ?? []), { ...fresh, others }]);
  }
  const verdicts = new Map([...seen].map(([name, calls]) => [name, watchNumber(watchOf(name), calls)]));
  return { tallies: moved, verdicts };
}

/** Looks at the calls that ended since the last look. */
export function watchNumber(before: NumberWatch, seen: readonly NumberCalls[]): NumberVerdict {
  let watch = before;
  for (const { calls, answered, long, others } of seen) {
    const { past } = watch;
    const toAnswers = shareOf(others, ({ calls, answered }) => [calls, answered]);
    const toLong = shareOf(others, ({ answered, long }) => [answered, long]);
    watch = {
      past: {
        ...fade(past, { calls, answered, long }, pastCalls),
        toAnswers: compare(past.toAnswers, calls, answered, toAnswers),
        toLong: compare(past.toLong, answered, long, toLong),
      },
      answers: weigh(watch.answers, calls, answered, shareBefore(toAnswers, past.toAnswers)),
      short: weigh(watch.short, answered, long, shareBefore(toLong, past.toLong)),
    };
  }
  const [answers, short] = [sureOf(watch.answers), sureOf(watch.short)];
  const sure = Math.max(answers, short);
  const why = sure < sureEnough ? null : answers >= short ? 'answers' : 'short';
  return { watch, why, sure };
}

function addRecent(a: Recent, b: Recent, times: 1 | -1): Recent {
  return { many: add(a.many, b.many, times), last: add(a.last, b.last, times) };
}

function add(a: NumberCounts, b: NumberCounts, times: 1 | -1): NumberCounts {
  return {
    calls: a.calls + times * b.calls,
    answered: a.answered + times * b.answered,
    long: a.long + times * b.long,
  };
}

/** Adds what is new to counts that hold about so many calls: older ones weigh less. */
function fade(counts: NumberCounts, more: NumberCounts, holds: number): NumberCounts {
  const keep = Math.max(0, 1 - more.calls / holds);
  return {
    calls: counts.calls * keep + more.calls,
    answered: counts.answered * keep + more.answered,
    long: counts.long * keep + more.long,
  };
}

function compare(past: Compared, n: number, found: number, share: number | null): Compared {
  if (share === null || n <= 0) return past;
  const keep = Math.max(0, 1 - n / pastCalls);
  return { found: past.found * keep + found, expected: past.expected * keep + n * share };
}

/**
 * The share that a number has if it did not turn: that of the others, or less where its own past is below theirs. Null
 * where there is nothing to compare with.
 */
function shareBefore(others: number | null, { found, expected }: Compared): number | null {
  if (others === null || found < leastFound) return null;
  return others * Math.min(1, (found - caution * Math.sqrt(found)) / expected);
}

/** R after these calls, of which `hits` came to something. */
function weigh(odds: readonly number[], n: number, hits: number, before: number | null): number[] {
  if (before === null || n <= 0) return [...odds];
  const k = Math.min(n, Math.max(0, hits));
  return odds.map((each, i) => {
    const after = before * turns[i]!;
    const likelier = k * Math.log(turns[i]!) + (n - k) * Math.log((1 - after) / (1 - before));
    return Math.min(most, (1 + each) * Math.exp(likelier));
  });
}

/**
 * The share of the others: the lower end of that of many calls, or that of the last ones if it is lower. Null while there
 * are too few calls, or none counted.
 */
function shareOf(
  { many, last }: Recent,
  part: (of: NumberCounts) => [n: number, hits: number],
): number | null {
  const [n, hits] = part(many);
  const [nLast, hitsLast] = part(last);
  if (n < leastCalls || nLast < leastLast) return null;
  const share = Math.min(1, Math.max(0, hits / n));
  const low = Math.min(share - caution * Math.sqrt((share * (1 - share)) / n), hitsLast / nLast);
  return low > 0 ? Math.min(low, 0.999) : null;
}

/** How sure it is that the number has turned: each way is as likely as the other. */
function sureOf(odds: readonly number[]): number {
  const mean = odds.reduce((sum, each) => sum + each, 0) / odds.length;
  return mean / (mean + 1 / turnsPerCall);
}
