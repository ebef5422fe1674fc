import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button } from '../kit/button.tsx';
import { Toasts } from '../kit/toast.tsx';
import { useLink, useLive } from '../live/use-live.ts';
import { HelpDialog } from './help.tsx';
import { listenForKeys } from './keys.ts';
import { Login, logOut } from './login.tsx';
import { isEnough, useMe } from './me.ts';
import { navigation } from './navigation.ts';
import { SearchDialog } from './search.tsx';
import { LinkState, Staleness } from './staleness.tsx';
import { StopEverything } from './stop-everything.tsx';
import { ThemeSwitch } from './theme.tsx';

/** The frame of every page: the navigation, the search, the stop button, and whether what is shown is up to date. */
export function Shell() {
  const me = useMe();
  const link = useLink();
  // Every page follows something, so that each can tell whether Carillon is there.
  useLive('GET /api/alerts', {}, { everyMs: 30_000, on: ['alert.'], enabled: me.data !== undefined });
  const router = useRouter();
  const [dialog, setDialog] = useState<'search' | 'help' | null>(null);
  const seesPeople = isEnough(me.data, 'read_people');
  useEffect(
    () =>
      listenForKeys({
        search: () => seesPeople && setDialog('search'),
        help: () => setDialog('help'),
        go(letter) {
          const item = navigation.find(({ key }) => key === letter);
          if (item) void router.navigate({ to: item.to });
        },
      }),
    [router, seesPeople],
  );
  if (link.state === 'login' || me.error?.status === 401) return <Login />;

  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[13rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2"
      >
        To the content
      </a>
      <Sidebar role={me.data?.role} />
      <div className="min-w-0">
        <header className="sticky top-0 z-20 border-b border-line bg-card">
          <div className="flex items-center gap-2 px-4 py-2">
            <NarrowNavigation role={me.data?.role} />
            {seesPeople && (
              <button
                type="button"
                onClick={() => setDialog('search')}
                className="flex min-h-9 min-w-0 flex-1 items-center justify-between gap-2 rounded-md border border-line-strong bg-ground px-3 text-quiet sm:max-w-xs"
              >
                <span className="truncate">Find a person</span>
                <kbd className="font-mono text-xs max-sm:hidden">/</kbd>
              </button>
            )}
            <div className="ml-auto flex items-center gap-2">
              <LinkState />
              {isEnough(me.data, 'operate') && <StopEverything />}
              {me.data && !isEnough(me.data, 'operate') && (
                <span className="rounded-sm bg-quiet-soft px-2 py-1 text-xs whitespace-nowrap text-quiet">
                  read-only
                </span>
              )}
            </div>
          </div>
          <Staleness />
        </header>
        <main id="content" className="mx-auto max-w-[90rem] p-4 pb-16 lg:p-6">
          <Outlet />
        </main>
      </div>
      <Toasts />
      {dialog === 'search' && <SearchDialog onClose={() => setDialog(null)} />}
      {dialog === 'help' && <HelpDialog onClose={() => setDialog(null)} />}
    </div>
  );
}

type Role = NonNullable<ReturnType<typeof useMe>['data']>['role'];

function Sidebar({ role }: { role: Role | undefined }) {
  return (
    <aside className="sticky top-0 flex h-dvh flex-col gap-4 overflow-y-auto border-r border-line bg-card px-3 py-4 max-lg:hidden">
      <p className="px-2 text-lg font-semibold">Carillon</p>
      <Links role={role} />
      <Foot />
    </aside>
  );
}

function NarrowNavigation({ role }: { role: Role | undefined }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="lg:hidden">
      <Button kind="quiet" aria-expanded={open} onClick={() => setOpen(!open)} className="px-2">
        <svg viewBox="0 0 16 16" width="18" height="18" fill="currentColor" aria-hidden="true">
          <path d="M1 3h14v2H1ZM1 7h14v2H1ZM1 11h14v2H1Z" />
        </svg>
        <span className="sr-only">Menu</span>
      </Button>
      {open && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a click on a link in it closes it.
        // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to its links.
        <div
          onClick={() => setOpen(false)}
          className="absolute inset-x-0 top-full flex flex-col gap-4 border-b border-line bg-card p-3 shadow-lg"
        >
          <Links role={role} />
          <Foot />
        </div>
      )}
    </div>
  );
}

function Links({ role }: { role: Role | undefined }) {
  const me = useMe();
  const shown = navigation.filter((item) => !item.role || (role && isEnough(me.data, item.role)));
  return (
    <nav aria-label="Pages">
      <ul className="max-lg:columns-2">
        {shown.map(({ to, label }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: to === '/' }}
              className="block rounded-md px-2 py-1.5 text-quiet hover:bg-quiet-soft hover:text-text"
              activeProps={{
                className: 'block rounded-md px-2 py-1.5 bg-accent-soft text-text font-medium',
                'aria-current': 'page',
              }}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Foot() {
  const { data: me } = useMe();
  return (
    <div className="mt-auto space-y-2 px-2 text-sm">
      <ul className="flex flex-wrap gap-x-3">
        <li>
          <a href="/queues" className="link">
            Queue board
          </a>
        </li>
        <li>
          <a href="/api/docs" className="link">
            API
          </a>
        </li>
      </ul>
      <div className="flex items-center justify-between gap-2">
        <span className="truncate text-xs text-quiet" title={me && `${me.name}: ${me.role}`}>
          {me?.name === 'loopback' ? 'this machine' : me?.name}
        </span>
        <ThemeSwitch />
      </div>
      {me?.login && (
        <Button small onClick={() => void logOut()}>
          Log out
        </Button>
      )}
    </div>
  );
}
