import { Component, type ReactNode } from 'react';
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
      <Guard>{bare ? children : <Card>{children}</Card>}</Guard>
    </section>
  );
}

/** A value that nobody foresaw takes one panel with it, and not the page. */
class Guard extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? 'unknown' };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return <Card className="text-quiet">This part cannot be shown. The browser said: {String(error)}</Card>;
  }
}

export function Card({ children, className }: { children: ReactNode; className?: string }) {
  return <div className={classes('rounded-lg border border-line bg-card p-4', className)}>{children}</div>;
}
