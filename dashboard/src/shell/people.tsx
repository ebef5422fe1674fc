import { useEffect } from 'react';
import type { FoundPerson } from '../api/ask.ts';
import { useAsk, usePages } from '../data/queries.ts';
import { Button, Icon } from '../kit/basics.tsx';
import { usePageKeys } from '../kit/keys.ts';
import { Link, navigate, useLocation } from '../kit/router.tsx';
import { count, groupsOf } from '../kit/words.ts';

/** Finding people, and walking from one to the next. */

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

/** The list that led to a person: its name, its own address, and the addresses of its people in order. */
type Walk = { of: string; from: string; people: readonly string[] };
let walk: Walk | null = null;

/** Stands beside a list of people: whoever opens one of them can walk to the next. */
export function Walks({ of, people }: Pick<Walk, 'of' | 'people'>) {
  const all = people.join('\n');
  // Only of a list that changed: one that is left for a person of the search must not come back.
  useEffect(
    () => keepWalk(of, all.split('\n'), window.location.pathname + window.location.search),
    [of, all],
  );
  return null;
}

export function keepWalk(of: string, people: readonly string[], from: string): void {
  if (people.length > 1) walk = { of, from, people: [...new Set(people)] };
}

const pathOf = (address: string) => decodeURIComponent(address.split('?')[0]!);

/** On a person's page: the one before and the one after, by `k` and `j` too, and the way back to the list. */
export function Walker() {
  const { pathname } = useLocation();
  const at = walk?.people.findIndex((address) => pathOf(address) === decodeURIComponent(pathname)) ?? -1;
  const goTo = (nth: number) => {
    const to = at >= 0 && walk?.people[nth];
    if (to) void navigate({ to, replace: true });
  };
  usePageKeys({ j: () => goTo(at + 1), k: () => goTo(at - 1) });
  if (!walk || at < 0) return null;
  const step = (nth: number, label: string, turn: string) => (
    <Button
      small
      kind="quiet"
      disabled={!walk?.people[nth]}
      aria-label={label}
      onClick={() => goTo(nth)}
      className={walk?.people[nth] ? '' : 'opacity-0'}
    >
      <Icon name="open" className={turn} />
    </Button>
  );
  return (
    <nav aria-label="People of the list" className="flex items-center text-sm whitespace-nowrap text-quiet">
      {step(at - 1, 'The person before (K)', 'rotate-90')}
      <Link to={walk.from} className="hover:underline">
        {count(at + 1)} of {count(walk.people.length)} <span className="max-sm:sr-only">{walk.of}</span>
      </Link>
      {step(at + 1, 'The next person (J)', '-rotate-90')}
    </nav>
  );
}
