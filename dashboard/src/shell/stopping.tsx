import { useContext } from 'react';
import { ask, Problem, unreachable } from '../api/ask.ts';
import type { EverythingPaused } from '../api/description.ts';
import { refreshEverything } from '../data/queries.ts';
import { Button } from '../kit/button.tsx';
import { Sign } from '../kit/icon.tsx';
import { PageBar } from '../kit/page.tsx';
import { createStore } from '../kit/store.ts';
import { durationText, useTick } from '../kit/time.tsx';

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

/** The stop button of every page. */
export function StopButton() {
  const { open } = useContext(PageBar);
  return (
    <Button onClick={() => open('stop')}>
      <span className="text-bad-fill">
        <Sign grid={12} size={10} d="M1 1h10v10H1Z" />
      </span>
      <span>
        Stop<span className="max-sm:sr-only"> everything</span>
      </span>
    </Button>
  );
}
