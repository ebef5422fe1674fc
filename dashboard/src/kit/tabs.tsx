import { Link } from './router.tsx';
import { classes, count } from './words.ts';

/** Parts of one page, each with an address of its own, so that Back and a shared link lead there. */
export type TabItem = { id: string; label: string; count?: number | undefined };

type TabsProps = { label: string; tabs: readonly TabItem[]; current: string };

export const Tabs = ({ label, tabs, current }: TabsProps) => (
  <nav
    aria-label={label}
    className="-mx-4 mb-5 flex gap-5 overflow-x-auto border-b border-line px-4 text-sm [scrollbar-width:none] lg:-mx-6 lg:px-6"
  >
    {tabs.map((tab) => (
      <Link
        key={tab.id}
        search={(before) => ({ ...before, tab: tab.id })}
        aria-current={tab.id === current ? 'page' : undefined}
        className={classes(
          'border-b-2 py-2.5 whitespace-nowrap outline-offset-[-2px]',
          tab.id === current ? 'border-text font-medium' : 'border-transparent text-quiet hover:text-text',
        )}
      >
        {tab.label}
        {tab.count !== undefined && (
          <span className="ml-1.5 font-normal text-quiet" aria-hidden="true">
            {count(tab.count)}
          </span>
        )}
      </Link>
    ))}
  </nav>
);
