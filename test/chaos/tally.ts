import { createAlibi } from './alibi.ts';
import type { Evidence } from './evidence.ts';
import type { Violation } from './judge.ts';
import { createForgiveness } from './losses.ts';

/** A round in figures: creates, calls, and the causes of unknown attempts. */
export type Tally = {
  people: number;
  creates: number;
  calls: number;
  twice: number;
  states: Record<string, number>;
  kills: number;
  /** All attempts that were ever unknown, by what really happened. */
  doubts: {
    /** The service made a call, and its answer was lost on the way or with the process. */
    called: number;
    /** The request arrived and made no call. */
    refused: number;
    /** No request arrived: its dialer died or was stopped before it was sent. */
    unsent: number;
    /** A journal proved later that it had never left: the person waited again by itself. */
    freed: number;
    /** The ledger lost its history, and these people were left to a person when it was confirmed. */
    lost: number;
    /** The call was made, and nobody heard of its end within its deadline. */
    stale: number;
    /** No request arrived although its dialer was alive: it should have known. */
    needless: number;
  };
};

export function tallyOf(evidence: Evidence, violations: readonly Violation[]): Tally {
  const made = evidence.creates.filter((entry) => entry.call !== null);
  const called = new Set(made.map((entry) => entry.phone));
  const asked = new Set(evidence.creates.map((entry) => entry.phone));
  const doubtful = new Set(
    evidence.moves.filter((move) => move.kind === 'unknown').map((move) => move.attempt),
  );
  const doubts = { called: 0, refused: 0, unsent: 0, freed: 0, lost: 0, stale: 0, needless: 0 };
  const forgotten = createForgiveness(evidence);
  const alibi = createAlibi({ ...evidence, troubles: [] });
  for (const attempt of evidence.attempts) {
    if (!doubtful.has(attempt.id)) continue;
    if (forgotten.wasMarked(attempt)) doubts.lost += 1;
    else if (attempt.reason === 'stale') doubts.stale += 1;
    // Before the phone's creates: the person was called by another attempt.
    else if (attempt.reason === 'unsent') doubts.freed += 1;
    else if (called.has(attempt.phone)) doubts.called += 1;
    else if (asked.has(attempt.phone)) doubts.refused += 1;
    else if (alibi.excuses(attempt)) doubts.unsent += 1;
    else doubts.needless += 1;
  }
  const states: Record<string, number> = {};
  for (const recipient of evidence.recipients) states[recipient.state] = (states[recipient.state] ?? 0) + 1;
  return {
    people: evidence.people.length,
    creates: evidence.creates.length,
    calls: made.length,
    twice: violations.find((each) => each.rule === 'a number was called twice')?.count ?? 0,
    states,
    kills: evidence.lives.filter((life) => life.killed).length,
    doubts,
  };
}
