import type { ComponentProps, ReactNode } from 'react';
import { classes } from './words.ts';

/** A button; `kind` says how much weight the act has, and `busy` that it runs now. */
type ButtonKind = 'plain' | 'main' | 'danger' | 'quiet';
type ButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
  kind?: ButtonKind;
  small?: boolean;
  busy?: boolean;
  children: ReactNode;
};

const kinds: Record<ButtonKind, string> = {
  plain: 'border-line-strong bg-card hover:bg-quiet-soft',
  main: 'border-transparent bg-accent-ground text-on-accent hover:brightness-110',
  danger: 'border-bad text-bad bg-card hover:bg-bad-soft',
  quiet: 'border-transparent text-quiet hover:text-text hover:bg-quiet-soft',
};

export function buttonClasses(kind: ButtonKind = 'plain', small = false): string {
  return classes(
    'inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none disabled:opacity-55',
    small ? 'min-h-7 px-2 text-sm' : 'min-h-9 px-3',
    kinds[kind],
  );
}

export function Button({ kind, small, busy, className, disabled, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={classes(buttonClasses(kind, small), className)}
    >
      {children}
    </button>
  );
}
