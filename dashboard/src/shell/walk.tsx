import { useEffect } from 'react';
import { Button, Icon } from '../kit/basics.tsx';
import { usePageKeys } from '../kit/keys.ts';
import { navigate, PageLink, useLocation } from '../kit/router.tsx';
import { count } from '../kit/words.ts';

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
      <PageLink to={walk.from} className="hover:underline">
        {count(at + 1)} of {count(walk.people.length)} <span className="max-sm:sr-only">{walk.of}</span>
      </PageLink>
      {step(at + 1, 'The next person (J)', '-rotate-90')}
    </nav>
  );
}
