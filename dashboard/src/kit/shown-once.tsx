import type { ReactNode } from 'react';
import { Button, Command } from './basics.tsx';
import { Dialog } from './form.tsx';

/** A secret that was just made: it is shown now, and never again. */
type ShownOnceProps = { title: string; secret: string; onClose(): void; children: ReactNode };

export const ShownOnce = ({ title, secret, onClose, children }: ShownOnceProps) => (
  <Dialog
    // Only the button closes it: a text that is lost by a slip cannot be shown again.
    locked
    onClose={onClose}
    title={title}
    acts={
      <Button kind="main" onClick={onClose}>
        I have copied it
      </Button>
    }
  >
    <p className="font-medium text-warn">Copy it now: it is not shown again.</p>
    <Command>{secret}</Command>
    <p className="text-quiet">{children}</p>
  </Dialog>
);
