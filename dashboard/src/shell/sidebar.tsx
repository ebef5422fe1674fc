import { useContext, useState } from 'react';
import type { Me } from '../api/ask.ts';
import { CarillonMark, Icon, type IconName, Mark } from '../kit/basics.tsx';
import { PageBar } from '../kit/page.tsx';
import { Link } from '../kit/router.tsx';
import { keep } from '../kit/store.ts';
import { classes, count } from '../kit/words.ts';
import { type Counts, useNeeds } from './needs.ts';
import { isEnough, logOut, roleText, useMe, useNobodyTold } from './reads.ts';

/** Light, dark, or as the system says; kept in this browser. /theme.js sets it before anything is drawn. */
const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];
const storeName = 'carillon-theme';

function stored(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function set(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  keep(storeName, theme === 'system' ? null : theme);
}

function ThemeSwitch() {
  const [theme, setTheme] = useState(stored);
  const following = themes[(themes.indexOf(theme) + 1) % themes.length]!;
  return (
    <button
      type="button"
      className="p-0.5 hover:text-text"
      aria-label={`Theme: ${theme}. Change to ${following}`}
      title={`Theme: ${theme}`}
      onClick={() => {
        set(following);
        setTheme(following);
      }}
    >
      <Icon name="theme" />
    </button>
  );
}

export function Sidebar({ isStopped }: { isStopped: boolean }) {
  const { open } = useContext(PageBar);
  return (
    <aside className="sticky top-0 flex h-dvh flex-col gap-3.5 overflow-y-auto border-r border-line px-2.5 py-3.5 max-lg:hidden">
      <p className="flex h-7 items-center gap-2.5 px-2 text-[15px] font-semibold tracking-[-0.01em]">
        <CarillonMark isStopped={isStopped} />
        Carillon
      </p>
      <button
        type="button"
        onClick={() => open('search')}
        className="flex h-8 items-center gap-2 rounded-md border border-line bg-card px-2 text-sm text-quiet"
      >
        <Icon name="search" />
        Search or act
        <kbd className="key ml-auto">Ctrl K</kbd>
      </button>
      <Links />
      <Foot />
    </aside>
  );
}

function Links() {
  const me = useMe();
  const { counts: told } = useNeeds();
  const isUntold = useNobodyTold();
  const counts = { ...told, unsentAlerts: told.unsentAlerts || Number(isUntold) };
  return (
    <nav aria-label="Pages" className="lg:mt-2">
      {navigation.map(({ title, items }) => {
        const shown = items.filter((item) => !item.role || isEnough(me.data, item.role));
        return (
          <section key={title} aria-label={title} className="mt-3.5 first:mt-0">
            <h2 className="mb-1 px-2 text-xs text-quiet">{title}</h2>
            <ul>
              {shown.map((item) => (
                <li key={item.to}>
                  <Link
                    to={item.to}
                    activeOptions={{ exact: item.to === '/' }}
                    className={classes(linkClasses, 'text-quiet hover:bg-text/5 hover:text-text')}
                    activeProps={{
                      className: classes(linkClasses, 'bg-text/8 font-medium text-text'),
                      'aria-current': 'page',
                    }}
                  >
                    <Icon name={item.icon} />
                    {item.label}
                    {item.count && <Beside of={item.count} n={counts[item.count]} />}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </nav>
  );
}

const linkClasses = 'flex h-[30px] items-center gap-2.5 rounded-md px-2 text-sm max-lg:h-10';

/** A sign tells that something is ill. */
const looks: Record<keyof Counts, [tone: string, words: string, shape?: 'query' | 'up']> = {
  calling: ['text-busy', 'in progress'],
  running: ['text-quiet', 'running'],
  toJudge: ['text-warn', 'to judge'],
  unknown: ['text-odd', 'unknown', 'query'],
  closedKeys: ['text-bad', 'closed', 'up'],
  noRules: ['text-warn', 'none in force', 'up'],
  downWebhooks: ['text-warn', 'down', 'up'],
  unsentAlerts: ['text-warn', 'do not arrive', 'up'],
  ill: ['text-warn', 'alerts', 'up'],
};

function Beside({ of, n }: { of: NonNullable<NavigationItem['count']>; n: number }) {
  if (n === 0) return null;
  const [tone, words, shape] = looks[of];
  return (
    <span className={classes('ml-auto flex items-center gap-1 text-xs', tone, shape && 'font-medium')}>
      {shape && <Mark shape={shape} size={10} />}
      {of !== 'noRules' && of !== 'unsentAlerts' && count(n)}
      <span className="sr-only"> {words}</span>
    </span>
  );
}

function Foot() {
  const { data: me } = useMe();
  const { open } = useContext(PageBar);
  return (
    <div className="mt-auto flex flex-wrap items-center gap-x-3 gap-y-1 px-2 text-xs text-quiet">
      <a href="/api/docs" className="hover:underline">
        API
      </a>
      {me?.login && (
        <button type="button" className="hover:underline" onClick={() => void logOut()}>
          Log out
        </button>
      )}
      <span className="flex w-full items-center gap-2">
        <span className="min-w-0 truncate text-2xs" title={me && `${me.name}: ${roleText(me.role)}`}>
          {me && (me.person ?? (me.name === 'loopback' ? 'this machine' : me.name))}
          {me && ` · ${roleText(me.role)}`}
        </span>
        <button
          type="button"
          className="key ml-auto"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts"
          onClick={() => open('help')}
        >
          ?
        </button>
        <ThemeSwitch />
      </span>
    </div>
  );
}

/** On a phone: the pages that one goes to, the search, and everything else behind More. */
export function Dock() {
  const [isOpen, setOpen] = useState(false);
  const { open } = useContext(PageBar);
  const { items } = useNeeds();
  return (
    <div className="lg:hidden">
      {isOpen && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a click on a link in it closes it.
        // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to its links.
        <div
          onClick={() => setOpen(false)}
          className="fixed inset-x-0 bottom-14 z-30 max-h-[80dvh] overflow-y-auto border-t border-line bg-card p-3 pb-5 shadow-float"
        >
          <Links />
          <div className="mt-4">
            <Foot />
          </div>
        </div>
      )}
      <nav
        aria-label="Most used"
        className="fixed inset-x-0 bottom-0 z-30 grid h-14 auto-cols-fr grid-flow-col border-t border-line bg-card pb-[env(safe-area-inset-bottom)]"
      >
        <DockLink to="/" icon="home" label="Overview" n={items.length} />
        <DockLink to="/live" icon="call" label="Live" />
        <DockLink to="/campaigns" icon="lines" label="Campaigns" />
        <button type="button" onClick={() => open('search')} className={dockClasses}>
          <Icon name="search" size={20} />
          Search
        </button>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} className={dockClasses}>
          <Icon name="more" size={20} />
          Menu
        </button>
      </nav>
    </div>
  );
}

const dockClasses = 'relative flex flex-col items-center justify-center gap-0.5 text-2xs text-quiet';

const DockLink = ({ to, icon, label, n = 0 }: { to: string; icon: IconName; label: string; n?: number }) => (
  <Link
    to={to}
    activeOptions={{ exact: to === '/' }}
    className={dockClasses}
    activeProps={{ className: classes(dockClasses, 'font-medium text-text'), 'aria-current': 'page' }}
  >
    <Icon name={icon} size={20} />
    {label}
    {n > 0 && (
      <span className="absolute top-0.5 left-1/2 ml-1.5 min-w-4 rounded-full bg-text px-1 text-center text-2xs font-medium text-inverse">
        {count(n)}
      </span>
    )}
  </Link>
);

/** The pages in the order of the navigation, in three groups. `key` opens one after `g`. */
export type NavigationItem = {
  to: string;
  label: string;
  key: string;
  icon: IconName;
  /** The least role that sees something there. */
  role?: Me['role'];
  /** The number beside it; a zero is not shown. */
  count?: keyof Counts;
};

export const navigation: readonly { title: string; items: readonly NavigationItem[] }[] = [
  {
    title: 'Work',
    items: [
      { to: '/', label: 'Overview', key: 'o', icon: 'home' },
      { to: '/live', label: 'Live calls', key: 'l', icon: 'call', count: 'calling' },
      { to: '/campaigns', label: 'Campaigns', key: 'c', icon: 'lines', count: 'running' },
      { to: '/people', label: 'People', key: 'p', icon: 'people', role: 'read_people' },
      { to: '/listen', label: 'Listen back', key: 'b', icon: 'ear', role: 'read_people', count: 'toJudge' },
    ],
  },
  {
    title: 'Safety',
    items: [
      { to: '/unknown', label: 'Unknown', key: 'u', icon: 'query', count: 'unknown' },
      { to: '/keys', label: 'Keys', key: 'k', icon: 'key', count: 'closedKeys' },
      { to: '/numbers', label: 'Numbers', key: 'm', icon: 'hash' },
      { to: '/suppressions', label: 'Suppressions', key: 's', icon: 'bar', role: 'read_people' },
      { to: '/policy', label: 'Contact rules', key: 'r', icon: 'scales', count: 'noRules' },
      { to: '/activity', label: 'Activity', key: 'a', icon: 'clock', role: 'operate' },
    ],
  },
  {
    title: 'Set-up',
    items: [
      { to: '/webhooks', label: 'Webhooks', key: 'w', icon: 'hook', role: 'operate', count: 'downWebhooks' },
      { to: '/alerts', label: 'Alerts', key: 'n', icon: 'bell', role: 'operate', count: 'unsentAlerts' },
      { to: '/tokens', label: 'Tokens', key: 't', icon: 'ticket', role: 'admin' },
      { to: '/jobs', label: 'Queues', key: 'q', icon: 'lanes' },
      { to: '/settings', label: 'Settings', key: 'e', icon: 'sliders', role: 'admin' },
      { to: '/health', label: 'Health', key: 'h', icon: 'pulse', count: 'ill' },
    ],
  },
];

export const allPages = navigation.flatMap(({ items }) => items);
