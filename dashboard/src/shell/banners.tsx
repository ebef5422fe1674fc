import { type ReactNode, useContext, useEffect } from 'react';
import { ask, type EverythingPaused, Problem, unreachable } from '../api/ask.ts';
import { refreshEverything } from '../data/queries.ts';
import { Button } from '../kit/basics.tsx';
import { PageBar } from '../kit/page.tsx';
import { useLocation } from '../kit/router.tsx';
import { createStore } from '../kit/store.ts';
import { showToast } from '../kit/toast.tsx';
import { Since, useTick } from '../kit/values.tsx';
import { classes, counted, durationText, sentenceOf, timeText } from '../kit/words.ts';
import { useLink } from '../live/link.ts';
import { resumeAll } from './causes.ts';
import { useNeeds } from './needs.ts';
import { NeedAct } from './needs-list.tsx';

/** Stop everything is asked for again and again until it is confirmed or refused, whatever becomes of its dialog. */
export type Stopping = {
  since: number;
  hangUp: boolean;
  /** Why the last request was not confirmed. */
  problem: Problem | null;
  /** The API said no: it is not asked again. */
  isRefused: boolean;
  told: EverythingPaused | null;
};

const stopping = createStore<Stopping | null>(null);
export const useStopping = stopping.use;

/** Longer than it takes to hang up every call. */
const patienceMs = 45_000;
const againMs = 1_000;

export async function stopEverything(hangUp: boolean): Promise<void> {
  let now: Stopping = { since: Date.now(), hangUp, problem: null, isRefused: false, told: null };
  const isCurrent = () => stopping.get() === now;
  const tell = (change: Partial<Stopping>) => {
    now = { ...now, ...change };
    stopping.set(now);
  };
  tell({});
  while (isCurrent() && !now.told && !now.isRefused) {
    const signal = AbortSignal.timeout(patienceMs);
    const answer = await ask('POST /api/pause', { body: { hang_up: hangUp }, signal }).catch((error) =>
      error instanceof Problem ? error : unreachable(),
    );
    if (!isCurrent()) return;
    if (answer instanceof Problem)
      tell({
        problem: answer,
        isRefused: answer.status >= 400 && answer.status < 500 && answer.status !== 429,
      });
    else tell({ told: answer });
    if (!now.told) await new Promise((resolve) => setTimeout(resolve, againMs));
  }
  refreshEverything();
}

/** It is not asked for again; what was asked for may still happen. */
export const forgetStop = () => stopping.set(null);

/** It was asked for, and nobody said that it happened. */
export const isAsked = (now: Stopping | null): now is Stopping => now !== null && !now.told && !now.isRefused;

/** How long ago it was asked for; only that it is not confirmed is read out. */
export function Asked({ of: { since } }: { of: Stopping }) {
  const now = useTick();
  return (
    <>
      <span aria-hidden="true">asked {durationText(Math.max(0, now - since))} ago, </span>
      <span role="status">not confirmed</span>
    </>
  );
}

/** What holds for every page, above all else: how Stop everything stands, and since when what is shown is old. */
export function Banners({ isStopOpen }: { isStopOpen: boolean }) {
  const stopping = useStopping();
  const { state, okAt, why: error } = useLink();
  const { open } = useContext(PageBar);
  const { pathname } = useLocation();
  const { items, counts } = useNeeds();
  const stopped = items.find(({ id }) => id === 'stopped');
  const told = stopping?.told;
  useEffect(() => {
    if (!told || isStopOpen) return;
    const paused = counted(told.items.length, 'campaign is', 'campaigns are');
    showToast({ kind: 'done', text: `Stop everything is confirmed: ${paused} paused by it.` });
    forgetStop();
  }, [told, isStopOpen]);
  const answers = error
    ? `Carillon answers with errors: ${sentenceOf(error.words)}`
    : 'Carillon answers with errors.';
  const why = state === 'silent' ? 'Carillon does not answer.' : answers;
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
          {isAsked(stopping) ||
            (state === 'silent' ? untold : error?.code === 'ledger-unreachable' && unstored)}
        </Banner>
      )}
      {stopped && pathname !== '/' && (
        <Banner role="status" act={<NeedAct act={resumeAll} />}>
          {stopped.what.slice(0, -1)} <Since at={stopped.since!} />. {stopped.text}{' '}
          {counts.calling > 0 && `${counted(counts.calling, 'call is', 'calls are')} still in progress.`}
        </Banner>
      )}
    </>
  );
}

const untold = 'Nobody can tell from here whether calls continue. It asks again by itself.';
const unstored =
  'No call begins meanwhile. Calls in progress go on at the service; their results are fetched when the ledger is back.';

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
  live: ['up to date', 'bg-good-fill'],
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
