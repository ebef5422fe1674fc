import type { ReactNode } from 'react';
import { OutcomeMark } from './badge.tsx';
import { classes, count } from './words.ts';

/** Filters of one press each, with how many each finds. */
export const Chips = ({ label, children }: { label: string; children: ReactNode }) => (
  <fieldset className="my-4 flex max-w-full min-w-0 flex-wrap items-center gap-2 max-sm:flex-nowrap max-sm:overflow-x-auto">
    <legend className="sr-only">{label}</legend>
    {children}
  </fieldset>
);

/** `mark` is the state whose sign stands before the words. */
type ChipProps = {
  on: boolean;
  onClick(): void;
  mark?: string | undefined;
  label: ReactNode;
  n?: number | undefined;
};

export const Chip = ({ on, onClick, mark, label, n }: ChipProps) => (
  <button
    type="button"
    aria-pressed={on}
    onClick={onClick}
    className={classes(
      'inline-flex h-7 items-center gap-1.5 rounded-full border px-2.5 text-sm whitespace-nowrap max-sm:h-9',
      on ? 'border-accent/55 bg-accent-soft text-text' : 'border-line text-quiet hover:bg-quiet-soft',
    )}
  >
    {mark && <OutcomeMark state={mark} />}
    {label}
    {n !== undefined && <span className="font-medium text-text">{count(n)}</span>}
  </button>
);
