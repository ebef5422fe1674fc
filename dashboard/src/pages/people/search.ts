/** The people who are shown: found by what was typed, or those of a state. */
export const peopleStates = ['waiting', 'calling', 'done', 'skipped', 'unknown', 'parked'] as const;
export type PeopleSearch = { phone?: string; state?: (typeof peopleStates)[number] };
