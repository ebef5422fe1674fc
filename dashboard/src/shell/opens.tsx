import { type ReactNode, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { useMay } from './me.ts';

/** A button that opens a dialog, for those who may do what is in it. */
type OpensProps = {
  words: string;
  /** The button's name where others beside it have the same words. */
  label?: string;
  may: Parameters<typeof useMay>[0];
  kind?: 'plain' | 'main';
  small?: boolean;
  children(close: () => void): ReactNode;
};

export function Opens({ words, label, may: needed, kind = 'plain', small = false, children }: OpensProps) {
  const may = useMay(needed);
  const [open, setOpen] = useState(false);
  if (!may) return null;
  return (
    <>
      <Button kind={kind} small={small} aria-label={label} onClick={() => setOpen(true)}>
        {words}
      </Button>
      {open && children(() => setOpen(false))}
    </>
  );
}
