import { createStore } from './store.ts';

/** When Carillon was heard last, while it does not answer; null while it does. What is shown is of that time, and nothing acts. */
export const silence = createStore<number | null>(null);

export const offWords = 'Carillon does not answer: only Stop everything can be asked for.';
