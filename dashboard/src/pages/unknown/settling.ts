import { useSyncExternalStore } from 'react';
import { ask, type Problem } from '../../api/ask.ts';
import type { Unknown } from '../../api/description.ts';
import { refreshEverything, tellProblem } from '../../api/queries.ts';
import { sendSoon, showToast } from '../../kit/toast.tsx';

/** Attempts that a person said were called: they leave the list at once, and the ledger is told when no undo can come. */
let settling: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

function set(change: (now: Set<string>) => void): void {
  const now = new Set(settling);
  change(now);
  settling = now;
  for (const tell of listeners) tell();
}

export function useSettling(): ReadonlySet<string> {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => settling,
  );
}

/** `callId` is the call that was found at the service, whose record then settles it. */
export function settleAsCalled({ attempt, name, phone }: Unknown, callId: string | null): void {
  set((now) => now.add(attempt));
  const bringBack = () => set((now) => now.delete(attempt));
  sendSoon(`${name ?? phone ?? 'This person'} is settled as called.`, {
    undone: bringBack,
    async send() {
      try {
        const body = { as: 'called' as const, ...(callId === null ? {} : { call_id: callId }) };
        const told = await ask('POST /api/unknown/{attempt}/resolve', { params: { attempt }, body });
        showToast({ kind: 'done', text: `Settled: the person is ${told.recipient_state}.` });
        refreshEverything();
      } catch (error) {
        bringBack();
        tellProblem(error as Problem);
      }
    },
  });
}
