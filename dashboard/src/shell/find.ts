import type { FoundPerson } from '../api/description.ts';
import { useAsk, usePages } from '../data/queries.ts';
import { groupsOf } from '../kit/groups.ts';

/**
 * Finds people by what someone typed: a phone in any form or a part of it, a part of a name, the id of a call or an attempt,
 * or `variable:value`.
 */
const variable = /^[^:\s]+:.+/;

/** Whether it may find somebody: an index of trigrams knows no shorter parts. */
export const isComplete = (asked: string): boolean => asked.replace(/[\s()+./-]/g, '').length >= 3;

export function useFind(asked: string, limit: number) {
  const isVariable = variable.test(asked);
  const enabled = asked !== '';
  const byVariable = useAsk(
    'GET /api/calls',
    { variable: [asked], limit },
    { enabled: enabled && isVariable },
  );
  const byText = useAsk('GET /api/find', { q: asked, limit }, { enabled: enabled && !isVariable });
  return isVariable ? byVariable : byText;
}

const atOnce = 100;

/** The same, a page at a time, of one state and outcome or of all; of nothing typed, those to whom something happened last. */
export function useFindAll(asked: string, only?: { state?: string; outcome?: string }) {
  const isLatest = asked === '';
  const inCalls = isLatest || variable.test(asked);
  const page = { limit: atOnce, ...only };
  const calls = usePages(
    'GET /api/calls',
    { ...(isLatest ? page : { variable: [asked], ...page }) },
    { enabled: inCalls, ...(isLatest ? { everyMs: 5_000 } : {}) },
  );
  const byText = usePages('GET /api/find', { q: asked, ...page }, { enabled: !inCalls });
  return inCalls ? calls : byText;
}

/** The rows of each person, by the phone; one whose phone is hidden or erased stands alone. */
export function byPerson<Row extends Parameters<typeof personAddress>[0]>(rows: readonly Row[]): Row[][] {
  return [...groupsOf(rows, ({ phone, id }) => phone || id).values()];
}

/** When the last call ended, or began; empty of one who was never called. */
export const calledAt = ({ ended_at: at, attempts }: Pick<FoundPerson, 'ended_at' | 'attempts'>) =>
  at ?? attempts.at(-1)?.dialed_at ?? '';

/** The address of a person: by the phone, or by a row where the phone is hidden or erased. */
export const personAddress = ({ phone: number, id }: { phone: string | null; id: string }): string =>
  `/people/${encodeURIComponent(number || id)}`;
/** The same, with what one of the campaigns did in sight. */
export const personHref = (row: Parameters<typeof personAddress>[0]) => `${personAddress(row)}?row=${row.id}`;
