import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { classes } from './words.ts';

/** The detail beside a list; on a narrow page it takes the list's place, and leads back to it. */
type SidePanelProps = {
  label: string;
  className?: string | undefined;
  onClose(): void;
  children: ReactNode;
};

export function SidePanel({ label, className, onClose, children }: SidePanelProps) {
  return (
    <section
      aria-label={label}
      className={classes(
        'min-w-0 xl:sticky xl:top-18 xl:-mb-10 xl:flex xl:h-[calc(100dvh-4.5rem)] xl:flex-col xl:border-l xl:border-line xl:pl-6',
        className,
      )}
    >
      <Button kind="quiet" onClick={onClose} className="mb-2 xl:hidden">
        Back to the list
      </Button>
      {children}
    </section>
  );
}

/** What is decided stands at the foot of the window, from edge to edge, however long the panel is. */
export function SideFoot({ children }: { children: ReactNode }) {
  return (
    <div className="-mx-4 border-t border-line bg-sunken px-4 py-3 max-xl:sticky max-xl:mt-4 max-lg:bottom-14 lg:-mx-6 lg:bottom-0 lg:px-6">
      {children}
    </div>
  );
}
