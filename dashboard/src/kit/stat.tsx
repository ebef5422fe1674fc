import type { ReactNode } from 'react';

/** One number with its name; `children` is the number, `note` what explains it. */
export const Stat = ({ name, children, note }: { name: string; children: ReactNode; note: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-quiet">{name}</dt>
    <dd className="truncate font-medium">{children}</dd>
    {note && <dd className="text-xs text-quiet">{note}</dd>}
  </div>
);
