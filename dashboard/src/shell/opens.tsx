import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import type { ActName, AnswerOf, AskOf } from '../api/ask.ts';
import { type ActOptions, useAct } from '../data/queries.ts';
import { Button, type ButtonProps, Icon, type IconName } from '../kit/basics.tsx';
import { FormDialog } from '../kit/form.tsx';
import { navigate, useSearch } from '../kit/router.tsx';
import { useMay } from './reads.ts';

/** A button that opens a dialog, for those who may do what is in it. */
type Opener = {
  words: string;
  /** In the bar of a phone it stands without the words. */
  icon?: IconName | undefined;
  /** The button's name where others beside it have the same words. */
  label?: string | undefined;
  may: Parameters<typeof useMay>[0];
  kind?: 'plain' | 'main' | 'quiet' | undefined;
  small?: boolean | undefined;
};

export const Opens = ({ children, ...opener }: Opener & { children: Opened }) => useOpens(opener, children);

type Opened = (close: () => void) => ReactNode;

/** The button, and its dialog apart from it: one that fills a list outlives the button where the list was empty. */
export function useOpens(opener: Opener, opened: Opened): [button: ReactNode, dialog: ReactNode] {
  const { words, icon, label, may: needed, kind = 'plain', small = false } = opener;
  const may = useMay(needed);
  const [open, setOpen] = useState(false);
  return [
    may && (
      <Button
        key="button"
        acts={needed !== 'read'}
        kind={kind}
        small={small}
        aria-label={label}
        onClick={() => setOpen(true)}
      >
        {icon && <Icon name={icon} />}
        {icon ? <span data-words>{words}</span> : words}
      </Button>
    ),
    may && open && opened(() => setOpen(false)),
  ];
}

/** A button that acts at once, for those who may. */
export const ActButton = ({ may, ...button }: ButtonProps & Pick<Opener, 'may'>) =>
  useMay(may) && <Button acts {...button} />;

/** The same for one act of the API; `meanwhile` are its words while it runs. */
type ActProps<N extends ActName> = Omit<ButtonProps, 'name'> &
  Pick<ActOptions<N>, 'done' | 'onDone'> & {
    may: Opener['may'];
    name: N;
    asked: AskOf<N>;
    meanwhile?: string;
  };

export function Act<N extends ActName>(props: ActProps<N>) {
  const { name, asked, done, onDone, meanwhile, children, ...button } = props;
  const { run, isPending } = useAct(name, { done, onDone });
  return (
    <ActButton {...button} busy={isPending} onClick={() => run(asked)}>
      {isPending && meanwhile ? meanwhile : children}
    </ActButton>
  );
}

/** Asks once for one act of the API: the dialog says what went wrong, and goes when it is done. */
type ConfirmActProps<N extends ActName> = Omit<
  ComponentProps<typeof FormDialog>,
  'onSend' | 'busy' | 'problem'
> & {
  name: N;
  asked: AskOf<N>;
  done?: ActOptions<N>['done'];
  onDone?(answer: AnswerOf<N>): void;
};

export function ConfirmAct<N extends ActName>(props: ConfirmActProps<N>) {
  const { name, asked, done, onDone, ...confirm } = props;
  const close = (answer: AnswerOf<N>) => {
    confirm.onClose();
    onDone?.(answer);
  };
  const act = useAct(name, { done, onDone: close, quiet: true });
  const now = { busy: act.isPending, problem: act.error, onSend: () => act.run(asked) };
  return <FormDialog keep="Keep as it is" {...confirm} {...now} />;
}

/** A button whose act concerns many, or loses something unless it `isSafe`: it asks once. */
type AskFirstProps<N extends ActName> = Opener &
  Omit<ConfirmActProps<N>, 'onClose' | 'danger' | 'act'> & {
    /** The words of the act; those of the button where none are given. */
    act?: string;
    isSafe?: boolean;
  };

export function AskFirst<N extends ActName>(props: AskFirstProps<N>) {
  const { words, label, may, kind, small, act = words, isSafe = false, ...asks } = props;
  return (
    <Opens {...{ words, label, may, kind, small }}>
      {(close) => (
        <ConfirmAct<N> {...(asks as ConfirmActProps<N>)} act={act} danger={!isSafe} onClose={close} />
      )}
    </Opens>
  );
}

/** The act that the page's address asks for, as the search does: it asks its question once, and Back does not ask again. */
export function useAskedAct(ask: (act: string) => void): void {
  const { act } = useSearch();
  useEffect(() => {
    if (!act) return;
    ask(act);
    void navigate({ search: (before) => ({ ...before, act: undefined }), replace: true });
  });
}
