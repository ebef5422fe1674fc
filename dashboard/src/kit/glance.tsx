import type { ReactNode } from 'react';
import { Mark } from './badge.tsx';
import { classes } from './words.ts';

/** A page at a glance: whether all is fine, or what to watch, or that something wants a person, or that nothing proved it yet; then what follows. */
export type Level = 'fine' | 'watch' | 'act' | 'untried';

const looks = {
  fine: ['check', 'bg-good-soft text-good', 'Fine.'],
  watch: ['up', 'bg-warn-soft text-warn', 'Watch.'],
  act: ['up', 'bg-bad-soft text-bad', 'Act.'],
  untried: ['dash', 'bg-quiet-soft text-quiet', 'Not tried yet:'],
} as const;

type GlanceProps = { level: Level; title: ReactNode; children?: ReactNode; acts?: ReactNode };

export function Glance({ level, title, children, acts }: GlanceProps) {
  const [shape, tone, word] = looks[level];
  return (
    <div className={classes('mt-1 mb-6 flex gap-3.5', children || acts ? 'items-start' : 'items-center')}>
      <span className={classes('grid size-11 shrink-0 place-items-center rounded-full', tone)}>
        <Mark shape={shape} size={20} />
      </span>
      <div className="min-w-0 max-w-4xl">
        <p className="text-xl font-semibold tracking-[-0.01em]">
          {level === 'untried' ? word : <span className="sr-only">{word}</span>} {title}
        </p>
        {children && <div className="text-quiet">{children}</div>}
        {acts && <div className="mt-2.5 flex flex-wrap gap-2">{acts}</div>}
      </div>
    </div>
  );
}
