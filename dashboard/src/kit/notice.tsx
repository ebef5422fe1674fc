import type { ReactNode } from 'react';
import { classes } from './words.ts';

/** What one must know before one goes on: what is so, what follows, and the act that settles it. */
export type NoticeProps = {
  tone?: 'warn' | 'bad';
  title?: ReactNode;
  /** It came while one looked. */
  isAlert?: boolean;
  act?: ReactNode;
  children?: ReactNode;
};

export const Notice = ({ tone = 'warn', title, isAlert = false, act, children }: NoticeProps) => (
  <div
    role={isAlert ? 'alert' : undefined}
    className={classes(
      'mb-4 flex flex-wrap items-start justify-between gap-3 rounded-lg border px-4 py-2.5',
      tone === 'warn' ? 'border-warn bg-warn-soft' : 'border-bad bg-bad-soft',
    )}
  >
    <div className="min-w-0 flex-1 basis-64">
      {title && <p className="font-semibold">{title}</p>}
      {children}
    </div>
    {act}
  </div>
);
