import { errorLine } from '../../base/errors.ts';
import { followHangUps, type HangUpWait, type HungUp } from '../../control/stopping/hang-ups.ts';
import type { Cli } from '../command-io.ts';
import { count } from './summary.ts';

/** One line about calls in progress that were to be hung up. */
export function tellHungUp({ calls, hung_up, ended, refused, waiting, refusals }: HungUp): string {
  if (calls === 0) return 'No call was in progress.';
  const words = refusals.length > 0 ? `: ${refusals.join('; ')}` : '';
  const parts = [
    `Hung up ${count(hung_up)} of ${count(calls)}`,
    ended > 0 ? `${count(ended)} had ended` : null,
    waiting > 0 ? `${count(waiting)} will be hung up by the workers when the service answers` : null,
    refused > 0 ? `${count(refused)} refused${words}` : null,
  ];
  return `${parts.filter((part) => part !== null).join('; ')}.`;
}

/** Opens the service only when there is a call to hang up: a stop must work without it. */
export function waitFor(cli: Cli): HangUpWait {
  return async (calls) => {
    if (calls.length === 0) return none;
    const wait = cli.withApp((app) => followHangUps(app.service({ note: cli.note }), calls));
    return wait.catch((error: unknown) => {
      // The stop itself is committed, and so is what is left to do.
      cli.note(`carillon: ${errorLine(error)}`);
      return { ...none, calls: calls.length, waiting: calls.length };
    });
  };
}

const none: HungUp = { calls: 0, hung_up: 0, ended: 0, refused: 0, waiting: 0, refusals: [] };
