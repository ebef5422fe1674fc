import { Component, type ReactNode } from 'react';

type SectionProps = {
  title: ReactNode;
  note?: ReactNode;
  acts?: ReactNode;
  children: ReactNode;
  id?: string;
  ruled?: boolean;
};

const boxed = 'border-t border-line pt-3';

export const Section = ({ title, note, acts, children, id, ruled }: SectionProps) => (
  <section aria-labelledby={id} className="mb-6 min-w-0">
    <div className="mb-1.5 flex min-h-7 flex-wrap items-center justify-between gap-x-3 gap-y-1">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {note && <span className="text-sm text-quiet">{note}</span>}
      </div>
      {acts}
    </div>
    <Guard failed={unshown}>{ruled ? <div className={boxed}>{children}</div> : children}</Guard>
  </section>
);

const unshown = (error: unknown) => (
  <p className={`${boxed} text-quiet`}>This part cannot be shown. The browser said: {String(error)}</p>
);

type GuardProps = { children: ReactNode; failed(error: unknown): ReactNode };

/** A value that nobody foresaw takes one panel with it, and not the page. */
export class Guard extends Component<GuardProps, { error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? 'unknown' };
  }

  override render() {
    const { error } = this.state;
    return error === null ? this.props.children : this.props.failed(error);
  }
}
