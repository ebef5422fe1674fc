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

/** To the one before or after, if there is one. */
type StepProps<To> = { label: string; to: To | undefined; onGo(to: To): void; isBack?: boolean };

export const Step = <To,>({ label, to, onGo, isBack }: StepProps<To>) => (
  <Button
    small
    kind="quiet"
    disabled={!to}
    aria-label={label}
    onClick={() => to && onGo(to)}
    className={to ? '' : 'opacity-0'}
  >
    <Icon name="open" className={isBack ? 'rotate-90' : '-rotate-90'} />
  </Button>
);

/** On a person's page: the one before and the one after, by `k` and `j` too, and the way back to the list. */
export function Walker() {
  const { pathname } = useLocation();
  const at = walk?.people.findIndex((address) => pathOf(address) === decodeURIComponent(pathname)) ?? -1;
  const [before, next] = at < 0 ? [] : [walk?.people[at - 1], walk?.people[at + 1]];
  const goTo = (to: string | undefined) => to && void navigate({ to, replace: true });
  usePageKeys({ j: () => goTo(next), k: () => goTo(before) });
  if (!walk || at < 0) return null;
  return (
    <nav aria-label="People of the list" className="flex items-center text-sm whitespace-nowrap text-quiet">
      <Step label="The person before (K)" to={before} onGo={goTo} isBack />
      <Link to={walk.from} className="hover:underline">
        {count(at + 1)} of {count(walk.people.length)} <span className="max-sm:sr-only">{walk.of}</span>
      </Link>
      <Step label="The next person (J)" to={next} onGo={goTo} />
    </nav>
  );
}
