/** The people who are shown: found by what was typed, or those of a state. */
export const peopleStates = ['waiting', 'calling', 'done', 'skipped', 'unknown', 'parked'] as const;
export type PeopleSearch = { phone?: string; state?: (typeof peopleStates)[number] };

/** A phone, but also all else that the search understands. */
export function readPeopleSearch({ phone, state }: Record<string, unknown>): PeopleSearch {
  const found = typeof phone === 'string' || typeof phone === 'number' ? String(phone).trim() : '';
  const known = peopleStates.find((each) => each === state);
  return { ...(found === '' ? {} : { phone: found }), ...(known ? { state: known } : {}) };
}
