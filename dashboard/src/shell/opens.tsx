import { type ReactNode, useState } from 'react';
import type { Problem } from '../api/ask.ts';
import { Button } from '../kit/button.tsx';
import { Confirm } from '../kit/dialog.tsx';
import { Icon, type IconName } from '../kit/icon.tsx';
import { useMay } from './me.ts';

/** A button that opens a dialog, for those who may do what is in it. */
type Opener = {
  words: string;
  /** In the bar of a phone it stands without the words. */
  icon?: IconName | undefined;
  /** The button's name where others beside it have the same words. */
  label?: string | undefined;
  may: Parameters<typeof useMay>[0];
  kind?: 'plain' | 'main' | 'risk' | undefined;
  small?: boolean | undefined;
};

export function Opens(props: Opener & { children(close: () => void): ReactNode }) {
  const { words, icon, label, may: needed, kind = 'plain', small = false, children } = props;
  const may = useMay(needed);
  const [open, setOpen] = useState(false);
  if (!may) return null;
  return (
    <>
      <Button kind={kind} small={small} aria-label={label} onClick={() => setOpen(true)}>
        {icon && <Icon name={icon} />}
        {icon ? <span data-words>{words}</span> : words}
      </Button>
      {open && children(() => setOpen(false))}
    </>
  );
}

/** One whose act loses something: it asks once, says there what went wrong, and closes when it is done. */
type AskFirstProps = Opener & {
  title: string;
  act: string;
  of: { isPending: boolean; error: Problem | null };
  onAct(): Promise<unknown>;
  children: ReactNode;
};

export function AskFirst({ title, act, of, onAct, children, ...opener }: AskFirstProps) {
  return (
    <Opens {...opener}>
      {(close) => (
        <Confirm
          open
          onClose={close}
          title={title}
          act={act}
          danger
          busy={of.isPending}
          problem={of.error}
          onAct={() => void onAct().then(close, () => undefined)}
        >
          {children}
        </Confirm>
      )}
    </Opens>
  );
}
