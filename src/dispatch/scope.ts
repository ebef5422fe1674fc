import type { Clock } from '../base/clock.ts';
import type { Attempt } from '../ledger/attempts/verbs.ts';

/** Whose campaigns a process works on: one `run` its own, background workers all the others. */
export type Scope = {
  /** The process as it stands in the ledger, on every attempt that it opens. */
  dialer: string;
  campaignId: string | null;
  runId: string | null;
};

export function mayDial(scope: Scope, attempt: Attempt): boolean {
  if (attempt.driver === 'run') return scope.runId !== null && attempt.runId === scope.runId;
  return scope.runId === null;
}

/** Calls that were placed are followed by the run that lives, else by the background. */
export function mayTrack(scope: Scope, attempt: Attempt): boolean {
  if (scope.campaignId) return scope.campaignId === attempt.campaignId;
  return attempt.driver === 'background' || !attempt.runLives;
}

/** What every station needs from the outside. */
export type Tools = {
  clock: Clock;
  /** Somebody's place has become free, or a lane has changed: plan at once. */
  nudge(): void;
};
