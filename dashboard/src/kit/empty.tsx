import type { ReactNode } from 'react';
import type { Problem } from '../api/ask.ts';
import { Button } from './button.tsx';
import { Commands } from './commands.tsx';
import { Command } from './copy.tsx';

/** The words where there is nothing: what this is, the act that fills it, and below it the command that does so too. */
type EmptyProps = { title: string; children?: ReactNode; act?: ReactNode; command?: string };

export const Empty = ({ title, children, act, command }: EmptyProps) => (
  <div className="mb-6 rounded-lg border border-line px-4 py-8 text-center">
    <p className="font-medium">{title}</p>
    {children && <div className="mx-auto mt-1 max-w-prose text-balance text-quiet">{children}</div>}
    {act && <div className="mt-4 flex justify-center gap-2">{act}</div>}
    {command && (
      <div className="mx-auto mt-4 max-w-prose text-left text-sm text-quiet">
        In a terminal: <Command>{command}</Command>
      </div>
    )}
  </div>
);

/** The words where something could not be read: what happened, and what to do. */
export const Trouble = ({ problem, retry }: { problem: Problem; retry?: (() => void) | undefined }) => (
  <div
    role="alert"
    className="rounded-lg border border-line border-l-[3px] border-l-bad-fill bg-bad-soft px-4 py-3"
  >
    <p className="font-medium text-bad">{problem.message}</p>
    {problem.remedy && (
      <p>
        <Commands text={problem.remedy} />
      </p>
    )}
    {retry && (
      <Button small className="mt-2" onClick={retry}>
        Try again
      </Button>
    )}
  </div>
);

/** Stands for what is being read. It takes the room that the content will need. */
export const Loading = ({ lines = 3 }: { lines?: number }) => (
  <div role="status" aria-label="Loading" className="space-y-2">
    {Array.from({ length: lines }, (_, nth) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
      <div key={nth} className="h-5 rounded-sm bg-sunken" />
    ))}
  </div>
);

/** An answer as soon as it is there; until then its outline, or why it could not be read; without children only these. */
type ReadProps<T> = {
  of: { data: T | undefined; error: Problem | null; refetch(): unknown };
  lines?: number;
  children?(data: T): ReactNode;
};

export function Read<T>({ of: { data, error, refetch }, lines = 4, children }: ReadProps<T>) {
  if (data !== undefined) return children?.(data);
  return error ? <Trouble problem={error} retry={() => void refetch()} /> : <Loading lines={lines} />;
}
