import { usePages } from '../data/pages.ts';
import { useAsk } from '../data/queries.ts';

/**
 * Finds people by what someone typed: a phone in any form or a part of it, a part of a name, the id of a call or an attempt,
 * or `variable:value`.
 */
const variable = /^[^:\s]+:.+/;

/** Whether it may find somebody: an index of trigrams knows no shorter parts. */
export function isComplete(asked: string): boolean {
  return asked.replace(/[\s()+./-]/g, '').length >= 3;
}

export function useFind(asked: string, limit: number) {
  const isVariable = variable.test(asked);
  const enabled = asked !== '';
  const byVariable = useAsk(
    'GET /api/calls',
    { query: { variable: [asked], limit } },
    { enabled: enabled && isVariable },
  );
  const byText = useAsk('GET /api/find', { query: { q: asked, limit } }, { enabled: enabled && !isVariable });
  return isVariable ? byVariable : byText;
}

const atOnce = 100;

/** Whether what is found can be narrowed to a state: the search by a part of a text cannot. */
export const canNarrow = (asked: string) => asked === '' || variable.test(asked);

/** The same, a page at a time; of nothing typed, those to whom something happened last. */
export function useFindAll(asked: string, state?: string) {
  const isLatest = asked === '';
  const inCalls = canNarrow(asked);
  const narrowed = { limit: atOnce, ...(state ? { state } : {}) };
  const calls = usePages(
    'GET /api/calls',
    { query: isLatest ? narrowed : { variable: [asked], ...narrowed } },
    { enabled: inCalls, ...(isLatest ? { everyMs: 5_000 } : {}) },
  );
  const byText = usePages('GET /api/find', { query: { q: asked, limit: atOnce } }, { enabled: !inCalls });
  return inCalls ? calls : byText;
}

/** The address of a person: by the phone, or by a row where the phone is hidden or erased. */
export function personAddress({ phone: number, id }: { phone: string | null; id: string }): string {
  return `/people/${encodeURIComponent(number || id)}`;
}
