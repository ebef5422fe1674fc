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
      className={classes('min-w-0 xl:sticky xl:top-18 xl:border-l xl:border-line xl:pl-6', className)}
    >
      <Button kind="quiet" onClick={onClose} className="mb-2 xl:hidden">
        Back to the list
      </Button>
      {children}
    </section>
  );
}
