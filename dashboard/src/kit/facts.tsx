import type { ReactNode } from 'react';
import { classes } from './words.ts';

/** Facts of a thing: the name of each beside its words, and on a phone above them. */
type FactsProps = { children: ReactNode; names?: 'narrow' | 'plain' | 'wide' };

const columns = {
  narrow: 'grid-cols-[6rem_minmax(0,1fr)] gap-x-3 text-sm',
  plain: 'gap-x-6 sm:grid-cols-[9rem_minmax(0,1fr)]',
  wide: 'gap-x-6 sm:grid-cols-[12rem_minmax(0,1fr)]',
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
