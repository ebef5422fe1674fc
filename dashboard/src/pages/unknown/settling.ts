import { ask } from '../../api/ask.ts';
import type { Unknown } from '../../api/description.ts';
import { createSoon } from '../../data/soon.ts';

/** Attempts that a person said were called: they leave the list at once. */
const settling = createSoon<true>();
export const useSettling = settling.use;

/** `callId` is the call that was found at the service, whose record then settles it. */
export function settleAsCalled({ attempt, name, phone }: Unknown, callId: string | null): void {
  settling.tell(attempt, true, `${name ?? phone ?? 'This person'} is settled as called.`, async () => {
    const body = { as: 'called' as const, ...(callId === null ? {} : { call_id: callId }) };
    const told = await ask('POST /api/unknown/{attempt}/resolve', { params: { attempt }, body });
    return `Settled: the person is ${told.recipient_state}.`;
  });
}
