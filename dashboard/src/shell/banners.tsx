import { type ReactNode, useContext, useEffect } from 'react';
import { Button } from '../kit/button.tsx';
import { PageBar } from '../kit/page.tsx';
import { Since, timeText } from '../kit/time.tsx';
import { showToast } from '../kit/toast.tsx';
import { classes, counted } from '../kit/words.ts';
import { useLink } from '../live/link.ts';
import { resumeAll, useNeeds } from './needs.ts';
import { Opener } from './needs-list.tsx';
import { Asked, forgetStop, isAsked, useStopping } from './stopping.tsx';

/** What holds for every page, above all else: how Stop everything stands, and since when what is shown is old. */
export function Banners({ isStopOpen }: { isStopOpen: boolean }) {
  const stopping = useStopping();
  const { state, okAt } = useLink();
  const { open } = useContext(PageBar);
  const { items, counts } = useNeeds();
  const stopped = items.find(({ id }) => id === 'stopped');
  const told = stopping?.told;
  useEffect(() => {
    if (!told || isStopOpen) return;
    const paused = counted(told.items.length, 'campaign is', 'campaigns are');
    showToast({ kind: 'done', text: `Stop everything is confirmed: ${paused} paused by it.` });
    forgetStop();
  }, [told, isStopOpen]);
  const why = state === 'silent' ? 'Carillon does not answer.' : 'Carillon answers with errors.';
  return (
    <>
      {isAsked(stopping) && !isStopOpen && (
        <Banner isBad act={<Button onClick={() => open('stop')}>How it stands</Button>}>
          Stop everything: <Asked of={stopping} />; hang up at the service.
        </Banner>
      )}
      {(state === 'silent' || state === 'failing') && (
        <Banner isBad role="alert">
          {okAt === null ? why : `Stale since ${timeText(okAt)}: ${why}`}{' '}
          {isAsked(stopping) || (state === 'silent' ? untold : 'Calls do not need this page.')}
        </Banner>
      )}
      {stopped && (
        <Banner role="status" act={<Opener act={resumeAll} />}>
          {stopped.what.slice(0, -1)} <Since at={stopped.since!} />.{' '}
          {counts.calling > 0 && `${counted(counts.calling, 'call is', 'calls are')} still in progress.`}
        </Banner>
      )}
    </>
  );
}

const untold = 'Nobody can tell from here whether calls continue. It asks again by itself.';

type BannerProps = { isBad?: boolean; role?: 'alert' | 'status'; act?: ReactNode; children: ReactNode };

const Banner = ({ isBad, role, act, children }: BannerProps) => (
  <div
    className={classes(
      'flex flex-wrap items-center justify-center gap-x-4 gap-y-1 px-4 py-1.5 text-sm font-medium',
      isBad ? 'bg-danger' : 'bg-warn-soft',
    )}
  >
    <p role={role} className={isBad ? 'text-white' : 'text-warn'}>
      {children}
    </p>
    {act}
  </div>
);

const links = {
  starting: ['connecting', 'bg-quiet'],
  live: ['live', 'bg-good-fill'],
  polling: ['every 10 s', 'bg-warn-fill'],
  silent: ['stale', 'bg-bad'],
  failing: ['stale', 'bg-bad'],
  login: ['no login', 'bg-bad'],
} as const;

/** How the page is kept up to date, in the corner of the shell. */
export function LinkState() {
  const { state } = useLink();
  const [words, color] = links[state];
  return (
    <span
      className="flex items-center gap-1.5 text-xs whitespace-nowrap text-quiet"
      title={
        state === 'polling'
          ? 'The stream of events cannot be had: the page asks every 10 seconds.'
          : undefined
      }
    >
      <span className={`size-[7px] rounded-full ${color}`} aria-hidden="true" />
      <span className="max-sm:sr-only">{words}</span>
    </span>
  );
}
