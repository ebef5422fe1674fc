import type { Journal, Request } from '../../support/independent.ts';
import type { World } from './worlds.ts';

/** The figures of one run from the service's own journal: how much was used, how much was refused, how soon. */
export type PhaseFigures = {
  from: number;
  rate: number | null;
  used: number;
  refused: number;
  requests: number;
  /** Polls for each create. */
  polls: number;
  /** Seconds until nine tenths are used; null when they never were. */
  settled: number | null;
};

const spanMs = 5_000;
const enough = 0.9;
const wasLet = ({ status }: Request) => status !== 429 && status !== 401;

export function judgeRun(world: World, journal: Journal): PhaseFigures[] {
  return world.phases.map(({ from, rate }, i) => {
    const next = world.phases[i + 1];
    const begin = changeOf(journal, i) ?? from * 1_000;
    const end = next ? (changeOf(journal, i + 1) ?? next.from * 1_000) : world.seconds * 1_000;
    return judgePhase(world, journal, { rate, begin, end });
  });
}

function changeOf({ rates }: Journal, phase: number): number | undefined {
  return rates[phase]?.from;
}

type Phase = { rate: number | null; begin: number; end: number };

function judgePhase(world: World, journal: Journal, { rate, begin, end }: Phase): PhaseFigures {
  const start = begin + world.learnSeconds * 1_000;
  const seen = within(journal.requests, start, end);
  const creates = seen.filter(({ kind }) => kind === 'create');
  const placed = creates.filter(wasLet).length;
  return {
    from: begin / 1_000,
    rate,
    used: usedOf(world, journal, rate, start, end),
    refused: (seen.length - seen.filter(wasLet).length) / Math.max(1, seen.length),
    requests: seen.length,
    polls: seen.filter(({ kind, status }) => kind === 'read' && status === 200).length / Math.max(1, placed),
    settled: settledAfter(world, journal, rate, begin, end),
  };
}

/** The share of what was allowed to us: the part of other clients is not ours to use. */
function usedOf(world: World, journal: Journal, rate: number | null, from: number, to: number): number {
  const seconds = (to - from) / 1_000;
  if (world.judged === 'calls') {
    const busy = journal.calls.reduce(
      (sum, call) => sum + Math.max(0, Math.min(to, call.to) - Math.max(from, call.from)),
      0,
    );
    const ofCalls = busy / (seconds * 1_000 * world.calls!);
    const ofRate =
      rate === null ? 0 : within(journal.requests, from, to).filter(wasLet).length / (rate * seconds);
    return Math.max(ofCalls, ofRate);
  }
  const seen = within(journal.requests, from, to).filter(wasLet);
  const ours = world.judged === 'creates' ? seen.filter(({ kind }) => kind === 'create') : seen;
  const strangers = journal.strangers.filter((at) => at >= from && at < to).length;
  return ours.length / Math.max(1, rate! * seconds - strangers);
}

/** The time from the change to the first span in which nine tenths of the limit are used. */
function settledAfter(world: World, journal: Journal, rate: number | null, begin: number, end: number) {
  for (let from = begin; from + spanMs <= end; from += 250) {
    if (usedOf(world, journal, rate, from, from + spanMs) >= enough) return (from - begin) / 1_000;
  }
  return null;
}

function within(requests: readonly Request[], from: number, to: number): Request[] {
  return requests.filter(({ at }) => at >= from && at < to);
}
