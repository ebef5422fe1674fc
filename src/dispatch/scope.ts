import type { Clock } from '../base/clock.ts';
import type { Attempt } from '../ledger/attempts/attempts.ts';

/** The campaigns that a process works on: a `run` its own, background workers all others. */
export type Scope = {
  /** The process's id in the ledger, on every attempt that it opens. */
  dialer: string;
  campaignId: string | null;
  runId: string | null;
};

export function mayDial(scope: Scope, attempt: Attempt): boolean {
  if (attempt.driver === 'run') return scope.runId !== null && attempt.runId === scope.runId;
  return scope.runId === null;
}

/** An active run follows its own placed calls; the background follows the others. */
export function mayTrack(scope: Scope, attempt: Attempt): boolean {
  if (scope.campaignId) return scope.campaignId === attempt.campaignId;
  return attempt.driver === 'background' || !attempt.runLives;
}

/** The tools that every station needs from outside. */
export type Tools = {
  clock: Clock;
  /** Headroom became free, or a lane changed: plan at once. */
  nudge(): void;
};
