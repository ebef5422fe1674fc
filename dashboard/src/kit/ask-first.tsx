import { type ReactNode, useState } from 'react';
import type { Problem } from '../api/ask.ts';
import { Button } from './button.tsx';
import { Confirm } from './dialog.tsx';

/** A button whose act loses something: it asks once, says there what went wrong, and closes when it is done. */
type AskFirstProps = {
  words: string;
  /** The button's name where others beside it have the same words. */
  label?: string;
  look?: { small?: boolean; kind?: 'risk' };
  title: string;
  act: string;
  of: { isPending: boolean; error: Problem | null };
  onAct(): Promise<unknown>;
  children: ReactNode;
};

export function AskFirst({ words, label, look, of, onAct, ...dialog }: AskFirstProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button onClick={() => setOpen(true)} aria-label={label} {...look}>
        {words}
      </Button>
      <Confirm
        {...dialog}
        open={open}
        onClose={close}
        danger
        busy={of.isPending}
        problem={of.error}
        onAct={() => void onAct().then(close, () => undefined)}
      />
    </>
  );
}
