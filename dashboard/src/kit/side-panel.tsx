import { type ReactNode, useEffect, useRef } from 'react';

/** The detail of the row that is open: beside the list, and on a narrow page above it. */
export function SidePanel({ label, children }: { label: string; children: ReactNode }) {
  const panel = useRef<HTMLElement>(null);
  // One that was chosen in the list below it is out of sight.
  useEffect(() => {
    if (panel.current!.getBoundingClientRect().top < 0) panel.current!.scrollIntoView();
  }, []);
  return (
    <section
      ref={panel}
      aria-label={label}
      className="min-w-0 scroll-mt-18 max-xl:order-first xl:sticky xl:top-18 xl:flex xl:h-[calc(100dvh-4.5rem)] xl:flex-col xl:border-l xl:border-line xl:pl-6"
    >
      {children}
    </section>
  );
}
