import { Link } from '@tanstack/react-router';
import { classes } from './words.ts';

/** Parts of one page, each with an address of its own, so that Back and a shared link lead there. */
export type TabItem = { id: string; label: string; count?: number | undefined };

export function Tabs({ label, tabs, current }: { label: string; tabs: readonly TabItem[]; current: string }) {
  return (
    <nav aria-label={label} className="mb-4 flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map((tab) => (
        <Link
          key={tab.id}
          to="."
          // Each page has tabs of its own; the router knows only all of them together.
          search={((before: object) => ({ ...before, tab: tab.id })) as never}
          aria-current={tab.id === current ? 'page' : undefined}
          className={classes(
            '-mb-px border-b-2 px-3 py-2 whitespace-nowrap',
            tab.id === current
              ? 'border-accent font-medium'
              : 'border-transparent text-quiet hover:text-text',
          )}
        >
          {tab.label}
          {tab.count !== undefined && <span className="ml-1.5 text-xs text-quiet">{tab.count}</span>}
        </Link>
      ))}
    </nav>
  );
}
