import { useState } from 'react';
import type { Problem } from '../api/ask.ts';
import { issueAt } from './field.tsx';

/** What is typed into the fields of a form, by the API's names, each with what the API says is wrong with it. */
type Changed = { target: { value: string } };

export function useFields<Typed extends Record<string, string>>(initial: Typed, problem: Problem | null) {
  const [typed, setTyped] = useState(initial);
  const set = (change: Partial<Typed>) => setTyped((before) => ({ ...before, ...change }));
  return {
    typed,
    set,
    /** The props of a field. */
    field: <Name extends keyof Typed & string>(name: Name) => ({
      name,
      value: typed[name],
      error: issueAt(problem, name),
      onChange: ({ target }: Changed) => set({ [name]: target.value } as unknown as Partial<Typed>),
    }),
    /** Those that say something, as the API takes them. */
    given(): Partial<Typed> {
      const set = Object.entries(typed).map(([name, value]) => [name, value.trim()] as const);
      return Object.fromEntries(set.filter(([, value]) => value !== '')) as Partial<Typed>;
    },
  };
}
