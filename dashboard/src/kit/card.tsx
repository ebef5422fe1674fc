import type { ReactNode } from 'react';
import { classes } from './words.ts';

/** A part of a page with its heading, and what may be done with it on the right. */
type SectionProps = { title: ReactNode; acts?: ReactNode; children: ReactNode; id?: string; bare?: boolean };

export function Section({ title, acts, children, id, bare }: SectionProps) {
  return (
    <section aria-labelledby={id} className="mb-6">
      <div className="mb-2 flex min-h-9 flex-wrap items-center justify-between gap-2">
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        {acts}
      </div>
      {bare ? children : <Card>{children}</Card>}
    </section>
  );
}

export function Card({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classes('rounded-lg border border-line bg-card p-4', className)}>{children}</div>;
}
