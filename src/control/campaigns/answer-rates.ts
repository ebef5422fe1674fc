import { z } from 'zod';
import type { Sums } from '../../ledger/tallies/tallies.ts';

/**
 * How well calls are answered, in two figures that are the same everywhere: answered calls of ended calls, and people
 * reached of people called. A person who waits for a retry has been called.
 */
const share = z.number().nullable();

export const callAnswers = {
  calls: z.int().describe('Calls that have ended.'),
  connect_rate: share.describe(
    'The share of ended calls that were answered, from 0 to 1; null without a call.',
  ),
};

export const peopleAnswers = {
  people_called: z
    .int()
    .describe('People who had a call that has ended, even if they now wait for another attempt.'),
  people_reached: z.int().describe('How many of them answered a call, the last one or an earlier one.'),
  reach_rate: share.describe(
    'The share of people called who were reached, from 0 to 1; null while nobody was called.',
  ),
};

export const answersShape = z
  .object({ ...callAnswers, answered: z.int().describe('Calls that were answered.'), ...peopleAnswers })
  .meta({ id: 'Answers' });

export function showCallAnswers(
  calls: number,
  answered: number,
): { calls: number; connect_rate: number | null } {
  return { calls, connect_rate: rateOf(answered, calls) };
}

export function showPeopleAnswers({ called, reached }: Sums['answers']) {
  return { people_called: called, people_reached: reached, reach_rate: rateOf(reached, called) };
}

export function showAnswers(answers: Sums['answers']): z.output<typeof answersShape> {
  const { calls, answered } = answers;
  return { ...showCallAnswers(calls, answered), answered, ...showPeopleAnswers(answers) };
}

function rateOf(part: number, whole: number): number | null {
  return whole > 0 ? Math.round((part / whole) * 1e6) / 1e6 : null;
}
