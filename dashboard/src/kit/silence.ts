import { createStore } from './store.ts';

/**
 * The time of the last answer while Carillon does not answer, else null. The page then shows figures of that time, and
 * its buttons are disabled.
 */
export const silence = createStore<number | null>(null);

export const offWords = 'Carillon does not answer: only Stop everything can be asked for.';
