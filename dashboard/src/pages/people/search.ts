/** The people who are shown: found by what was typed, or those of a state; of those who are done, by how the last call ended. */
export const peopleOutcomes = ['answered', 'voicemail', 'no-answer', 'busy', 'failed', 'canceled'] as const;
export const peopleStates = [
  'calling',
  'waiting',
  'queued',
  ...peopleOutcomes,
  'unknown',
  'parked',
  'skipped',
  'rejected',
] as const;
export type PeopleState = (typeof peopleStates)[number];
export type PeopleSearch = { phone?: string; state?: PeopleState };

/** A phone, but also all else that the search understands. */
export function readPeopleSearch({ phone, state }: Record<string, unknown>): PeopleSearch {
  const found = typeof phone === 'string' || typeof phone === 'number' ? String(phone).trim() : '';
  const known = peopleStates.find((each) => each === state);
  return { ...(found === '' ? {} : { phone: found }), ...(known ? { state: known } : {}) };
}

type Outcome = (typeof peopleOutcomes)[number];
export const isOutcome = (state: PeopleState): state is Outcome =>
  (peopleOutcomes as readonly string[]).includes(state);
