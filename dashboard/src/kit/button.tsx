import type { ComponentProps, ReactNode } from 'react';
import { offWords, silence } from './silence.ts';
import { classes } from './words.ts';

/**
 * A button; `kind` says how much weight the act has, and `busy` that it runs now. One in a view is `main`. A button that
 * `acts` is disabled while Carillon does not answer; one with `busy` acts unless it says otherwise.
 */
type ButtonKind = 'plain' | 'main' | 'danger' | 'quiet';
export type ButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
  kind?: ButtonKind;
  small?: boolean;
  busy?: boolean;
  acts?: boolean;
  children: ReactNode;
};

const kinds: Record<ButtonKind, string> = {
  plain: 'border-text/18 bg-card hover:bg-quiet-soft',
  main: 'border-text bg-text text-inverse hover:opacity-85',
  danger: 'border-transparent bg-danger text-white hover:opacity-90',
  quiet: 'border-transparent text-quiet hover:text-text hover:bg-quiet-soft',
};

export const buttonClasses = (kind: ButtonKind = 'plain', small = false): string =>
  classes(
    'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap text-sm leading-none select-none disabled:border-dashed disabled:border-text/18 disabled:bg-card disabled:text-quiet disabled:hover:opacity-100',
    small ? 'min-h-[26px] px-2 text-xs' : 'min-h-8 px-[11px] max-sm:min-h-10',
    // One of many, as in each row of a list, has a ground and no frame.
    small && kind === 'plain' ? 'border-transparent bg-quiet-soft hover:bg-track' : kinds[kind],
  );

export function Button({ kind, small, busy, acts = busy !== undefined, ...rest }: ButtonProps) {
  const isOff = silence.use() !== null && acts;
  const { className, disabled, title, children, ...button } = rest;
  return (
    <button
      type="button"
      {...button}
      title={isOff ? offWords : title}
      disabled={disabled || busy || isOff}
      aria-busy={busy || undefined}
      className={classes(buttonClasses(kind, small), className)}
    >
      {children}
      {isOff && <span className="sr-only">{offWords}</span>}
    </button>
  );
}
