import type { ReactNode } from 'react';
import { classes } from './words.ts';

/** Facts of a thing: the name of each beside its words, and on a phone above them. */
type FactsProps = { children: ReactNode; names?: 'narrow' | 'plain' | 'wide' };

// On a phone a name stands nearer to its words than to those before it.
const apart = 'gap-x-6 max-sm:gap-y-0 max-sm:[&>dt]:pt-2';
const columns = {
  narrow: 'grid-cols-[6rem_minmax(0,1fr)] gap-x-3 text-sm',
  plain: `${apart} sm:grid-cols-[9rem_minmax(0,1fr)]`,
  wide: `${apart} sm:grid-cols-[12rem_minmax(0,1fr)]`,
};

export function Facts({ children, names = 'plain' }: FactsProps) {
  return <dl className={classes('grid gap-y-1.5', columns[names])}>{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
