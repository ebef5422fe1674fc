import { classes } from './words.ts';

export const PartBar = ({ part, fill = 'bg-ink-3' }: { part: number; fill?: string }) => (
  <span aria-hidden="true" className="block h-1.5 overflow-hidden rounded-sm bg-track">
    <span
      className={classes('block h-full rounded-sm', part > 0 && 'min-w-0.5', fill)}
      style={{ width: `${Math.max(0, Math.min(1, part)) * 100}%` }}
    />
  </span>
);
