import { type ReactNode, useEffect, useId } from 'react';
import type { Problem } from '../api/ask.ts';
import { Button } from './button.tsx';
import { FormProblem } from './field.tsx';
import { useModal } from './modal.ts';
import { offWords, silence } from './silence.ts';
import { showToast } from './toast.tsx';
import { classes } from './words.ts';

/** A dialog on the browser's own element: it holds the focus, and Escape closes it. */
export type DialogProps = {
  onClose(): void;
  title: string;
  children: ReactNode;
  /** The buttons, the main one last; unless they are told, one that closes it. */
  acts?: ReactNode;
  wide?: boolean;
  /** What it asks for can be asked for while nothing answers. */
  always?: boolean;
  /** Escape does not close it while something runs. */
  locked?: boolean;
};

export function Dialog({ onClose, title, children, acts, wide, always, locked }: DialogProps) {
  const element = useModal();
  const isSilent = silence.use() !== null;
  const id = useId();
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!locked) onClose();
      }}
      className={classes(
        'm-auto max-h-[calc(100dvh-2rem)] w-[calc(100%-2rem)] overflow-y-auto rounded-xl border border-line bg-raised p-5 text-left text-base whitespace-normal shadow-float backdrop:bg-black/25',
        wide ? 'max-w-3xl' : 'max-w-lg',
      )}
    >
      <h2 id={id} className="mb-2 text-xl font-semibold tracking-tight">
        {title}
      </h2>
      {children}
      <p role="status" className="mt-3 text-bad empty:hidden">
        {isSilent && !always && offWords}
      </p>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        {acts ?? (
          <Button kind="main" onClick={onClose}>
            Close
          </Button>
        )}
      </div>
    </dialog>
  );
}

/** Asks once before an act; its text names how many people it concerns. */
type ConfirmProps = Pick<DialogProps, 'onClose' | 'title' | 'children' | 'always'> & {
  /** The act's own verb: `Pause`, `Cancel 3 campaigns`; and the words of what closes it. */
  act: ReactNode;
  keep?: string;
  onAct(): void;
  danger?: boolean;
  /** Why there is nothing to ask any more: it closes, and says so. */
  over?: string | false | undefined;
  /** The act while it runs, and what went wrong with it, unless that is told elsewhere. */
  of?: { isPending: boolean; error?: Problem | null };
};

export function Confirm({ act, onAct, danger, over, of, children, ...dialog }: ConfirmProps) {
  const { onClose, keep = 'Keep as it is' } = dialog;
  const busy = of?.isPending ?? false;
  useEffect(() => {
    if (!over || busy) return;
    showToast({ kind: 'done', text: over });
    onClose();
  });
  return (
    <Dialog
      {...dialog}
      locked={busy}
      acts={
        <>
          <Button onClick={onClose} disabled={busy}>
            {keep} <kbd className="key-in-button max-sm:hidden">Esc</kbd>
          </Button>
          <Button kind={danger ? 'danger' : 'main'} acts={!dialog.always} onClick={onAct} busy={busy}>
            {act}
          </Button>
        </>
      }
    >
      {children}
      <FormProblem problem={of?.error ?? null} fields={[]} />
    </Dialog>
  );
}
