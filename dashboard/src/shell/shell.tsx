import { useEffect, useMemo, useState } from 'react';
import { looksAs } from '../api/look.ts';
import { readAgain } from '../data/queries.ts';
import { Button, CarillonMark, Sign } from '../kit/basics.tsx';
import { listenForKeys } from '../kit/keys.ts';
import { PageBar, type ShellDialog } from '../kit/page.tsx';
import { navigate, Outlet } from '../kit/router.tsx';
import { silence } from '../kit/store.ts';
import { Toasts } from '../kit/toast.tsx';
import { useLink } from '../live/link.ts';
import { Banners, LinkState, stopEverything } from './banners.tsx';
import { leastRole } from './causes.ts';
import type { Need } from './need.ts';
import { KnownNeeds, useReadNeeds } from './needs.ts';
import { part, useRestOfPage } from './part.tsx';
import { isEnough, useMe } from './reads.ts';
import { allPages, Dock, Sidebar } from './sidebar.tsx';

/** Opened by few. */
const StopDialog = part(() => import('./stop-everything.tsx'), 'StopDialog');
const Search = part(() => import('./search.tsx'), 'SearchDialog');
const Login = part(() => import('./login.tsx'), 'Login');
const ResumeAll = part(() => import('./dialogs.tsx'), 'ResumeAll');
const ConfirmHistory = part(() => import('./dialogs.tsx'), 'ConfirmHistory');
const Looking = part(() => import('./dialogs.tsx'), 'Looking');
const HelpDialog = part(() => import('./dialogs.tsx'), 'HelpDialog');

/** The frame of every page: the navigation, the search, the stop button, and whether what is shown is up to date. */
export function Shell() {
  const me = useMe();
  const link = useLink();
  const needs = useReadNeeds();
  const [dialog, setDialog] = useState<ShellDialog | null>(null);
  const [title, setTitle] = useState<HTMLElement | null>(null);
  const [acts, setActs] = useState<HTMLElement | null>(null);
  const mayAct = isEnough(me.data, 'operate');
  // Before it is known who looks, as when nothing answers: the API refuses it to a reader.
  const mayStop = mayAct || !me.data;
  const isSilent = silence.use() !== null;
  const isOld = isSilent || link.state === 'failing';
  const { items } = needs;
  useRestOfPage();
  useEffect(() => (isSilent ? readAgain : undefined), [isSilent]);
  // At once: what is typed before the search is there is taken for keys of the page.
  useEffect(() => {
    void StopDialog.preload();
    void Search.preload();
  }, []);
  useEffect(() => {
    const go = (to: string) => void navigate({ to });
    const settle = (act: Need['act']) => {
      if (act && 'to' in act) go(act.to);
      else if (act && isEnough(me.data, leastRole[act.opens])) setDialog(act.opens);
    };
    const keys = {
      '/': () => setDialog('search'),
      '?': () => setDialog('help'),
      S: () => mayStop && setDialog('stop'),
      c: () => mayAct && go('/campaigns/new'),
      ...Object.fromEntries(items.map(({ act }, nth) => [nth + 1, () => settle(act)])),
    };
    return listenForKeys(keys, (letter) => {
      const page = allPages.find(({ key }) => key === letter);
      if (page) go(page.to);
    });
  }, [me.data, mayAct, mayStop, items]);
  const bar = useMemo(
    () => ({ title, acts, needs: items.length, open: setDialog }),
    [title, acts, items.length],
  );
  const needsLogin = link.state === 'login' || me.error?.status === 401;
  if (needsLogin && !me.data) return <Login />;
  const isStopped = items.some(({ all }) => all);
  const close = () => setDialog(null);

  return (
    <PageBar value={bar}>
      <KnownNeeds value={needs}>
        <div data-old={isOld || undefined} className="min-h-dvh lg:grid lg:grid-cols-[13.5rem_minmax(0,1fr)]">
          <a
            href="#content"
            className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2"
          >
            To the content
          </a>
          <Sidebar isStopped={isStopped} />
          <div className="min-h-dvh min-w-0 bg-card">
            <header className="sticky top-0 z-20 border-b border-line bg-card">
              <div className="flex min-h-14 flex-wrap items-center gap-x-2.5 gap-y-1.5 px-4 py-2 lg:px-6">
                <span className="lg:hidden">
                  <CarillonMark size={22} isStopped={isStopped} />
                </span>
                <div
                  ref={setTitle}
                  className="flex min-w-0 flex-1 items-center gap-x-2.5 max-sm:flex-col max-sm:items-start [&>*]:max-w-full"
                />
                <LinkState />
                <div
                  ref={setActs}
                  // On a phone the acts have a row of their own; one with a sign beside its words shows only the sign.
                  className="flex flex-wrap items-center gap-2 empty:hidden max-md:not-has-[[data-words]]:order-last max-md:not-has-[[data-words]]:w-full max-md:[&_[data-words]]:sr-only"
                />
                {mayStop ? (
                  <>
                    <span className="mx-1 h-5 w-px bg-line max-md:hidden" aria-hidden="true" />
                    <Button onClick={() => setDialog('stop')}>
                      <span className="text-bad-fill">
                        <Sign grid={12} size={10} d="M1 1h10v10H1Z" />
                      </span>
                      <span>
                        Stop<span className="max-sm:sr-only"> everything</span>
                      </span>
                    </Button>
                  </>
                ) : (
                  <span className="rounded-full bg-quiet-soft px-2 py-0.5 text-xs whitespace-nowrap text-quiet">
                    read-only
                  </span>
                )}
              </div>
              <Banners isStopOpen={dialog === 'stop'} />
              {looksAs && <Looking />}
            </header>
            <main
              id="content"
              className="mx-auto max-w-[90rem] px-4 pt-4 pb-24 lg:px-6 lg:pb-10 [&>nav:first-child]:-mt-4"
            >
              <Outlet />
            </main>
          </div>
          <Dock />
          <Toasts />
          {dialog === 'search' && <Search onClose={close} />}
          {dialog === 'stop' && mayStop && (
            <StopDialog
              onClose={close}
              spare={
                <Button
                  kind="danger"
                  onClick={() => {
                    void stopEverything(false);
                    close();
                  }}
                >
                  Stop everything
                </Button>
              }
            />
          )}
          {dialog === 'resume-all' && <ResumeAll onClose={close} />}
          {dialog === 'confirm-history' && <ConfirmHistory onClose={close} />}
          {dialog === 'help' && <HelpDialog onClose={close} />}
          {needsLogin && <Login />}
        </div>
      </KnownNeeds>
    </PageBar>
  );
}
