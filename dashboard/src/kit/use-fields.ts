import { useState } from 'react';
import type { Problem } from '../api/ask.ts';
import { issueAt } from './field.tsx';

/** What is typed into the fields of a form, by the API's names, each with what the API says is wrong with it. */
export function useFields<Typed extends Record<string, string>>(initial: Typed, problem: Problem | null) {
  const [typed, setTyped] = useState(initial);
  type Name = keyof Typed & string;
  const set = (change: Partial<Typed>) => setTyped((before) => ({ ...before, ...change }));
  const put = (name: Name, value: string) => set({ [name]: value } as unknown as Partial<Typed>);
  const chosen = (name: Name) => typed[name]?.split(' ').filter(Boolean) ?? [];
  return {
    typed,
    set,
    field: (name: Name) => ({
      name: name as string,
      value: typed[name],
      error: issueAt(problem, name),
      onChange: ({ target }: { target: { value: string } }) => put(name, target.value),
    }),
    chosen,
    /** The props of a box, one of those that a name has or its only one. */
    box: (name: Name, value = 'yes') => ({
      checked: chosen(name).includes(value),
      onChange: ({ target }: { target: { checked: boolean } }) => {
        const others = chosen(name).filter((each) => each !== value);
        put(name, [...others, ...(target.checked ? [value] : [])].join(' '));
      },
    }),
    /** Those that say something, as the API takes them. */
    given(): Partial<Typed> {
      const set = Object.entries(typed).map(([name, value]) => [name, value.trim()] as const);
      return Object.fromEntries(set.filter(([, value]) => value !== '')) as Partial<Typed>;
    },
  };
}

/** The fields of an act, and what its `FormDialog` needs to know of it. */
export function useForm<Typed extends Record<string, string>>(
  initial: Typed,
  { isPending, error }: { isPending: boolean; error: Problem | null },
) {
  const frame = { busy: isPending, problem: error, fields: Object.keys(initial) };
  return { ...useFields(initial, error), frame };
}
