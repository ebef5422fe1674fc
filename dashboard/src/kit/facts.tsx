import type { ReactNode } from 'react';
import { classes, learnedText } from './words.ts';

/** Facts of a thing: the name of each beside its words, and where they are `wide` on a phone above them. */
export function Facts({ children, wide }: { children: ReactNode; wide?: boolean }) {
  // On a phone a name stands nearer to its words than to those before it.
  const columns = wide
    ? 'gap-x-6 max-sm:gap-y-0 max-sm:[&>dt]:pt-2 sm:grid-cols-[12rem_minmax(0,1fr)]'
    : 'grid-cols-[6rem_minmax(0,1fr)] gap-x-3 text-sm';
  return <dl className={classes('grid gap-y-1.5', columns)}>{children}</dl>;
}

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-quiet">{name}</dt>
    <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
  </>
);

export const FactRows = ({ of }: { of: readonly (readonly [name: string, words: string])[] }) => (
  <Facts>
    {of.map(
      ([name, words]) =>
        words && (
          <Fact key={name} name={name}>
            {words}
          </Fact>
        ),
    )}
  </Facts>
);

/** Names and values in words: `opt_out: false` as `opt out`, `no`; those of evidence by a `text` of their own. */
export const Fields = ({ of, text = learnedText }: { of: object; text?: (value: unknown) => string }) => (
  <FactRows
    of={Object.entries(of).map(([name, value]) => [name.replaceAll('_', ' '), text(value) || '–'] as const)}
  />
);

export const Stat = ({ name, children, note }: { name: string; children: ReactNode; note: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-quiet">{name}</dt>
    <dd className="truncate font-medium">{children}</dd>
    {note && <dd className="text-xs text-quiet">{note}</dd>}
  </div>
);
